/* SPDX-License-Identifier: MIT */
/* Nests of the ops with a reduction. */
#include "examples/lab/run/lower_internal.h"

/* The bounds of one axis of operand 0 under the window of an index and the next one; their loops
   are the last two. */
static void window(lab_piece *piece, const lab__lowering *l, const tpugraphs_index *x)
{
    const lab_window *w = &l->node->window[x->window - 1];
    const int64_t size = l->p->nodes[l->node->operand[0]].shape.size[x->in[0]];
    const int loop = piece->nest.n_loops - 2;
    nest_window_add(&piece->nest,
                    (nest_window){{loop, loop + 1},
                                  {w->stride, w->reversed ? -w->dilation : w->dilation},
                                  (w->reversed ? (int64_t)(w->size - 1) * w->dilation : 0) - w->low,
                                  (size - 1) * w->base_dilation + 1,
                                  w->base_dilation,
                                  l->in[0].stride[x->in[0]]});
}

/* The loops over groups and over the features of a group; next: the features of a group that are
   read. */
static void feature_loops(lab_piece *piece, const lab__lowering *l, const tpugraphs_index *x)
{
    const int groups = l->node->conv.groups, gives = l->node->shape.size[x->axis] / groups;
    const int64_t to = l->out->stride[x->axis], kernel = l->in[1].stride[x->in[1]];
    const int64_t group = l->in[0].stride[x->in[0]] * (int64_t)x[1].size;
    nest_loop_add(&piece->nest, groups, 0, gives * to, group, gives * kernel, 0);
    nest_loop_add(&piece->nest, gives, 0, to, 0, kernel, 0);
}

/* A loop for each index. Windows bound operand 0, which their loops do not move. */
static void loops(lab_piece *piece, const lab__lowering *l, const tpugraphs_index *x)
{
    int64_t stride[2] = {0};
    for (int k = 0; k < 2; k++)
        if (x->in[k] >= 0 && (k || !x->window)) stride[k] = l->in[k].stride[x->in[k]];
    if (x->split)
        feature_loops(piece, l, x);
    else if (x->sum)
        nest_loop_add(&piece->nest, (int)x->size, 1, 0, stride[0], stride[1], 0);
    else
        nest_loop_add(&piece->nest, l->node->shape.size[x->axis], 0, l->out->stride[x->axis],
                      stride[0], stride[1], 0);
    if (x->window && x->sum) window(piece, l, x - 1);
}

void lab__lower_sum(lab__lowering *l)
{
    const lab_node *node = l->node;
    const int product = node->op == LAB_DOT || node->op == LAB_CONVOLUTION;
    const tpugraphs_space s = lab_space(l->p, (int)(node - l->p->nodes));
    lab_piece *piece = lab__piece(l,
                                  product                    ? NEST_DOT
                                  : node->reducer == LAB_MAX ? NEST_MAX
                                                             : NEST_SUM,
                                  node->op);
    for (int k = 0; k < 1 + product; k++) piece->from[k] = k;
    for (int i = 0; i < s.n; i++) loops(piece, l, &s.index[i]);
    nest_plan(&piece->nest);
}
