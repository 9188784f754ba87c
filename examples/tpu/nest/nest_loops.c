/* SPDX-License-Identifier: MIT */
/* The loops of each kind of nest, with the strides by which they move output and inputs. */
#include "examples/tpu/nest/nest_job.h"

#include <math.h>

static tpugraphs_loop *loop(tpu_job *w, double n, int reduce, double out, double left, double right)
{
    if (w->n_loops == TPU_LOOPS) return NULL;
    w->loop[w->n_loops] = (tpugraphs_loop){n, out, {left, right}, reduce, 0};
    return &w->loop[w->n_loops++];
}

void tpu_job_read(tpu_job *w, const tpu_side *s, int v)
{
    if (w->inputs == TPU_INPUTS) return;
    w->in[w->inputs] = v;
    w->from[w->inputs] = &s->place[v];
    w->box[w->inputs++] = tpu_box_of(s, v);
}

/* Loops over the box of a node and the places of inputs of its shape. */
void tpu_map_loops(tpu_job *w, const double *to, const double *box, int rank)
{
    for (int a = 0; a < rank; a++) {
        tpugraphs_loop *l = loop(w, box[a], 0, to[a], 0, 0);
        for (int k = 0; k < w->inputs && l; k++) l->in[k] = w->from[k]->stride[a];
    }
}

/* Loops over the output's axes that operand k has alone; returns the next of them. */
static int free_loops(tpu_job *w, const tpu_side *s, const double *to, int k, int batch,
                      int contracted, int axis)
{
    const double *out = tpu_box_of(s, w->node), *stride = s->place[w->in[k]].stride;
    const int rank = tpu_hlo_shape(NULL, s->h, w->in[k]);
    for (int a = batch; a < rank; a++)
        if (a != contracted) {
            loop(w, out[axis], 0, to[axis], k ? 0 : stride[a], k ? stride[a] : 0);
            axis++;
        }
    return axis;
}

void tpu_dot_loops(tpu_job *w, const tpu_side *s, const double *block, const double *to,
                   const tpu_dot *d)
{
    const double *out = tpu_box_of(s, w->node);
    tpu_job_read(w, s, d->left);
    tpu_job_read(w, s, d->right);
    if (d->left_axis < 0) { /* unknown axes: as if both were contiguous */
        tpu_map_loops(w, to, out, TPU_RANK);
        loop(w, block[0], 1, 0, 1, 1);
        return;
    }
    const double *x = s->place[d->left].stride, *y = s->place[d->right].stride;
    for (int a = 0; a < d->batch; a++) loop(w, out[a], 0, to[a], x[a], y[a]);
    const int next = free_loops(w, s, to, 0, d->batch, d->left_axis, d->batch);
    free_loops(w, s, to, 1, d->batch, d->right_axis, next);
    loop(w, block[0], 1, 0, x[d->left_axis], y[d->right_axis]);
}

void tpu_reduce_loops(tpu_job *w, const tpu_side *s, const double *block, const double *to)
{
    const int u = w->node, v = tpu_hlo_largest(s->h, u);
    const double *out = tpu_box_of(s, u);
    if (v < 0) return;
    tpu_job_read(w, s, v);
    const double *x = s->place[v].stride;
    const int rank = tpu_hlo_shape(NULL, s->h, v), dims = rank - tpu_hlo_shape(NULL, s->h, u);
    for (int a = 0, kept = 0; a < rank; a++) {
        int reduced = -1;
        for (int i = 0; i < dims; i++)
            if (tpu_hlo_dim(s->h, u, i) == a) reduced = i;
        if (reduced >= 0)
            loop(w, block[reduced], 1, 0, x[a], 0);
        else {
            loop(w, out[kept], 0, to[kept], x[a], 0);
            kept++;
        }
    }
}

void tpu_window_loops(tpu_job *w, const tpu_side *s, const double *block, const double *to)
{
    tpu_window window[TPU_RANK];
    const int u = w->node, v = tpu_hlo_largest(s->h, u), n = tpu_hlo_windows(window, s->h, u);
    const double *out = tpu_box_of(s, u);
    if (v < 0) return;
    tpu_job_read(w, s, v);
    const double *x = s->place[v].stride;
    for (int a = 0; a < n; a++) {
        loop(w, out[a], 0, to[a], window[a].stride * x[a], 0);
        loop(w, block[a], 1, 0, window[a].dilation * x[a], 0);
    }
}

void tpu_convolution_loops(tpu_job *w, const tpu_side *s, const double *block, const double *to)
{
    tpu_convolution c;
    const int u = w->node;
    const double *out = tpu_box_of(s, u);
    double size[TPU_RANK];
    if (!tpu_hlo_convolution(&c, s->h, u)) return;
    tpu_job_read(w, s, c.input);
    tpu_job_read(w, s, c.kernel);
    const double *x = s->place[c.input].stride, *y = s->place[c.kernel].stride;
    tpu_hlo_shape(size, s->h, u);
    loop(w, out[c.out_batch], 0, to[c.out_batch], x[c.in_batch], 0);
    for (int i = 0; i < c.spatial; i++) {
        const double along = x[c.in_spatial[i]];
        const int axis = c.out_spatial[i];
        loop(w, out[axis], 0, to[axis], c.window[i].stride * along, 0);
        loop(w, block[i], 1, 0, c.window[i].dilation * along, y[c.kernel_spatial[i]]);
    }
    loop(w, block[c.spatial], 1, 0, x[c.in_feature], y[c.kernel_in]);
    const double each = fmin(size[c.out_feature] / c.groups, out[c.out_feature]);
    loop(w, out[c.out_feature] / each, 0, each * to[c.out_feature],
         block[c.spatial] * x[c.in_feature], each * y[c.kernel_out]);
    loop(w, each, 0, to[c.out_feature], 0, y[c.kernel_out]);
}
