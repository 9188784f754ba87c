/* SPDX-License-Identifier: MIT */
/* The size of the region of an operand that a region of the result needs. */
#include "examples/tpu/analytic/tile_work.h"

#include <math.h>

typedef struct edge {
    const tpu_tiling *tiling;
    int u, v;                  /* v is an operand of u */
    int rank, in_rank;         /* of u, of v */
    double size[TPU_RANK];     /* of u */
    double in_size[TPU_RANK];  /* of v */
    const double *out, *block; /* regions */
} edge;

static void same(double *in, const edge *e)
{
    for (int a = 0; a < e->in_rank; a++) in[a] = a < e->rank ? e->out[a] : e->in_size[a];
}

static void broadcast(double *in, const edge *e)
{
    for (int a = 0; a < e->in_rank; a++) {
        const int to = tpu_hlo_dim(&e->tiling->hlo, e->u, a);
        in[a] = to >= 0 && to < e->rank ? e->out[to] : e->in_size[a];
    }
}

static void transpose(double *in, const edge *e)
{
    for (int a = 0; a < e->in_rank; a++) in[a] = e->in_size[a];
    for (int a = 0; a < e->rank; a++) {
        const int from = tpu_hlo_dim(&e->tiling->hlo, e->u, a);
        if (from >= 0 && from < e->in_rank) in[from] = e->out[a];
    }
}

/* Groups of axes with equal numbers of elements, most minor first; the elements of a group, from
   its first to its last with those in between, fill the operand's axes from the most minor on. */
static void reshape(double *in, const edge *e)
{
    int i = e->in_rank - 1, o = e->rank - 1;
    while (i >= 0) {
        double in_all = e->in_size[i], out_all = 1, wanted = 1;
        int first = i;
        for (; o >= 0 && out_all < in_all; o--) {
            wanted += (e->out[o] - 1) * out_all;
            out_all *= e->size[o];
            while (in_all < out_all && first > 0) in_all *= e->in_size[--first];
        }
        for (; i >= first; i--) {
            in[i] = fmin(e->in_size[i], ceil(wanted));
            wanted = fmax(1, wanted / in[i]);
        }
    }
}

/* The average share of the result that comes from v. */
static void concatenate(double *in, const edge *e)
{
    const int along = tpu_hlo_dim(&e->tiling->hlo, e->u, 0);
    same(in, e);
    if (along >= 0 && along < e->rank && along < e->in_rank)
        in[along] = e->out[along] * e->in_size[along] / e->size[along];
}

static void gather(double *in, const edge *e)
{
    same(in, e);
    if (e->in_rank == 1) in[0] = e->out[0]; /* the rows that are looked up */
}

static int reduced(const edge *e, int axis)
{
    for (int i = 0; i < e->in_rank - e->rank; i++)
        if (tpu_hlo_dim(&e->tiling->hlo, e->u, i) == axis) return i;
    return -1;
}

static void reduce(double *in, const edge *e)
{
    for (int a = 0, kept = 0; a < e->in_rank; a++) {
        const int i = reduced(e, a);
        in[a] = i >= 0 ? e->block[i] : kept < e->rank ? e->out[kept++] : e->in_size[a];
    }
}

/* The number of input elements that windows at `out` places read, with `block` elements each. An
   input with gaps has fewer elements. */
static double covered(const tpu_window *w, double out, double block)
{
    return ceil(((out - 1) * w->stride + (block - 1) * w->dilation + 1) / w->base_dilation);
}

static void reduce_window(double *in, const edge *e)
{
    tpu_window window[TPU_RANK];
    const int n = tpu_hlo_windows(window, &e->tiling->hlo, e->u);
    for (int a = 0; a < e->in_rank; a++)
        in[a] = a < n && a < e->rank ? covered(&window[a], e->out[a], e->block[a]) : e->in_size[a];
}

static void dot(double *in, const edge *e)
{
    tpu_dot d;
    for (int a = 0; a < e->in_rank; a++) in[a] = e->in_size[a];
    if (!tpu_hlo_dot(&d, &e->tiling->hlo, e->u) || d.left_axis < 0) return;
    const int left = e->v == d.left, contracted = left ? d.left_axis : d.right_axis;
    int free = left ? d.batch : e->rank - (e->in_rank - d.batch - 1);
    for (int a = 0; a < e->in_rank; a++)
        if (a == contracted)
            in[a] = e->block[0];
        else if (a < d.batch)
            in[a] = e->out[a];
        else if (free >= 0 && free < e->rank)
            in[a] = e->out[free++];
}

static void convolution(double *in, const edge *e)
{
    tpu_convolution c;
    for (int a = 0; a < e->in_rank; a++) in[a] = e->in_size[a];
    if (!tpu_hlo_convolution(&c, &e->tiling->hlo, e->u)) return;
    const double features = e->block[c.spatial], made = e->out[c.out_feature];
    const double of_group = e->size[c.out_feature] / c.groups;
    for (int i = 0; i < c.spatial; i++)
        if (e->v == c.kernel)
            in[c.kernel_spatial[i]] = e->block[i];
        else
            in[c.in_spatial[i]] = covered(&c.window[i], e->out[c.out_spatial[i]], e->block[i]);
    if (e->v == c.kernel) {
        in[c.kernel_in] = features;
        in[c.kernel_out] = made;
    } else {
        in[c.in_batch] = e->out[c.out_batch];
        in[c.in_feature] = features * ceil(made / of_group);
    }
}

void tpu_tiling_operand(double in[TPU_RANK], const tpu_tiling *t, int u, int v,
                        const double out[TPU_RANK], const double block[TPU_RANK])
{
    edge e = {.tiling = t, .u = u, .v = v, .out = out, .block = block};
    e.rank = tpu_hlo_shape(e.size, &t->hlo, u);
    e.in_rank = tpu_hlo_shape(e.in_size, &t->hlo, v);
    for (int a = 0; a < TPU_RANK; a++) in[a] = 1;
    switch (t->hlo.kernel->opcode[u]) {
    case TPU_BROADCAST: broadcast(in, &e); break;
    case TPU_TRANSPOSE: transpose(in, &e); break;
    case TPU_BITCAST:
    case TPU_RESHAPE: reshape(in, &e); break;
    case TPU_CONCATENATE: concatenate(in, &e); break;
    case TPU_GATHER: gather(in, &e); break;
    case TPU_REDUCE: reduce(in, &e); break;
    case TPU_REDUCE_WINDOW: reduce_window(in, &e); break;
    case TPU_DOT: dot(in, &e); break;
    case TPU_CONVOLUTION: convolution(in, &e); break;
    default: same(in, &e);
    }
    for (int a = 0; a < e.in_rank; a++) in[a] = fmin(e.in_size[a], fmax(in[a], 1));
}
