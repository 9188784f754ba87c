/* SPDX-License-Identifier: MIT */
/* Describes a nest: its kind and its loops. */
#include "examples/lab/nest/nest.h"

nest_kind nest_node_kind(const lab_node *node)
{
    switch (node->op) {
    case LAB_DOT:
    case LAB_CONVOLUTION: return NEST_DOT;
    case LAB_REDUCE:
    case LAB_REDUCE_WINDOW: return node->reducer == LAB_MAX ? NEST_MAX : NEST_SUM;
    default: return NEST_MAP;
    }
}

/* Doubles hold all strides. */
void nest_loop_add(nest *nest, int64_t size, int reduce, int64_t out, int64_t in0, int64_t in1,
                   int64_t in2)
{
    nest->given[nest->n_given++] = (tpugraphs_loop){
        (double)size, (double)out, {(double)in0, (double)in1, (double)in2}, reduce, 0};
}

void nest_axes_add(nest *nest, int rank, const int *size, const int64_t *out,
                   const int64_t *const *in, int inputs)
{
    for (int a = 0; a < rank; a++) {
        int64_t move[NEST_INPUTS] = {0};
        for (int k = 0; k < inputs; k++) move[k] = in[k][a];
        nest_loop_add(nest, size[a], 0, out[a], move[0], move[1], move[2]);
    }
}

/* The bounds of one axis of operand 0 under the window of an index and the next one; their loops
   are the last two. */
static void add_window(nest *nest, const nest_reduction *r, const tpugraphs_index *x)
{
    const lab_window *w = &r->node->window[x->window - 1];
    const int loop = nest->n_given - 2;
    nest->window[nest->n_windows++] =
        (nest_window){{loop, loop + 1},
                      {w->stride, w->reversed ? -w->dilation : w->dilation},
                      (w->reversed ? (int64_t)(w->size - 1) * w->dilation : 0) - w->low,
                      (int64_t)(r->bounds[x->in[0]] - 1) * w->base_dilation + 1,
                      w->base_dilation,
                      r->from[0][x->in[0]]};
}

void nest_reduction_add(nest *nest, const nest_reduction *r)
{
    for (int i = 0; i < r->space->n; i++) {
        const tpugraphs_index *x = &r->space->index[i];
        const int bounded = x->window && r->bounds;
        const int64_t left = x->in[0] < 0 || bounded ? 0 : x->step * r->from[0][x->in[0]];
        const int64_t right = x->in[1] < 0 ? 0 : r->from[1][x->in[1]];
        const int64_t to = x->sum ? 0 : r->to[x->axis];
        if (x->split) { /* the next index is of the features that a group reads */
            nest_loop_add(nest, r->groups, 0, r->each * to, (int64_t)x[1].size * left,
                          r->each * right, 0);
            nest_loop_add(nest, r->each, 0, to, 0, right, 0);
        } else
            nest_loop_add(nest, (x->sum ? r->sum : r->out)[x->axis], x->sum, to, left, right, 0);
        if (bounded && x->sum) add_window(nest, r, x - 1);
    }
}
