/* SPDX-License-Identifier: MIT */
/* The loops of each kind of nest, with the strides by which they move output and inputs, and the
   order in which they run. */
#include "examples/tpu/rows/job.h"

#include <math.h>

static tpugraphs_loop *loop(nests_job *w, double n, int reduce, double out, double left,
                            double right)
{
    if (w->n_loops == NESTS_TILE_LOOPS) return NULL;
    w->loop[w->n_loops] = (tpugraphs_loop){n, out, {left, right}, reduce, 0};
    return &w->loop[w->n_loops++];
}

void nests_job_read(nests_job *w, const nests_side *s, int v)
{
    if (w->inputs == NESTS_TILE_INPUTS) return;
    w->in[w->inputs] = v;
    w->from[w->inputs] = &s->place[v];
    w->box[w->inputs++] = s->t->box[v];
}

/* Loops over the box of a node and the places of inputs of its shape. */
void nests_map_loops(nests_job *w, const double *to, const double *box, int rank)
{
    for (int a = 0; a < rank; a++) {
        tpugraphs_loop *l = loop(w, box[a], 0, to[a], 0, 0);
        for (int k = 0; k < w->inputs && l; k++) l->in[k] = w->from[k]->stride[a];
    }
}

/* Features that are made run group by group. */
static void feature_loops(nests_job *w, double of_group, double made, double to, double in,
                          double kernel)
{
    const double each = fmin(of_group, made);
    loop(w, made / each, 0, each * to, in, each * kernel);
    loop(w, each, 0, to, 0, kernel);
}

void nests_reduction_loops(nests_job *w, const nests_side *s, const double *block, const double *to)
{
    tpugraphs_space space;
    const double *out = s->t->box[w->node], *stride[2] = {0};
    const tpugraphs_operation *o = tpu_hlo_sum(&space, s->h, w->node);
    if (!o) return;
    for (int k = 0; k < o->operands; k++) {
        nests_job_read(w, s, o->operand[k]);
        stride[k] = s->place[o->operand[k]].stride;
    }
    for (int i = 0; i < space.n; i++) {
        const tpugraphs_index *x = &space.index[i];
        const double left = x->in[0] < 0 ? 0 : x->step * stride[0][x->in[0]];
        const double right = x->in[1] < 0 ? 0 : stride[1][x->in[1]];
        if (x->in[0] < 0 && x->in[1] < 0) { /* unknown axes: as if both were contiguous */
            nests_map_loops(w, to, out, TPUGRAPHS_AXES);
            loop(w, block[0], 1, 0, 1, 1);
        } else if (x->split) /* the features of a group that are read come next */
            feature_loops(w, nests_made(o), out[x->axis], to[x->axis], block[x[1].axis] * left,
                          right);
        else if (x->sum)
            loop(w, block[x->axis], 1, 0, left, right);
        else
            loop(w, out[x->axis], 0, to[x->axis], left, right);
    }
}

/* ---- the plan ---- */

static double iterations(const tpugraphs_loop *loop, int n)
{
    double all = 1;
    for (int i = 0; i < n; i++) all *= loop[i].size;
    return all;
}

void nests_plan_loops(nests_plan *plan, const tpugraphs_loop *loop, int n)
{
    const tpugraphs_loop one = {.size = 1, .out = 1};
    tpugraphs_loop all[NESTS_TILE_LOOPS + 1];
    int count = 0, free = 0;
    for (int i = 0; i < n; i++)
        if (loop[i].size > 1) all[count++] = loop[i];
    *plan = (nests_plan){.row = one, .sum = one, .next = one};
    count = tpugraphs_plan_loops(all, count, TPUGRAPHS_BY_STRIDES, &plan->folds);
    while (free < count && !all[free].reduce) free++;
    const int rows = free ? free - 1 : 0, sums = count > free ? count - free - 1 : 0;
    if (free) plan->row = all[rows];
    if (count > free) plan->sum = all[count - 1];
    plan->free = iterations(all, rows);
    plan->reduced = iterations(all + free, sums);
    plan->depth = rows + sums;
    if (plan->depth) plan->next = sums ? all[free + sums - 1] : all[rows - 1];
}
