/* SPDX-License-Identifier: MIT */
/* The elements of its operands that a dot, convolution, reduce or reduce-window needs for a box of
   its output and a block of its reduction. */
#include "examples/lab/tile/tile_plan.h"

static void axis_as(tile_box *in, int axis, const tile_box *out, int from)
{
    in->lo[axis] = out->lo[from];
    in->n[axis] = out->n[from];
}

static void dot_box(tile_box *in, const tile_items *t, int k, const tile_box *out,
                    const tile_box *blocked)
{
    const tile_item *item = &t->item[t->reduction];
    const lab_dot_dims d = item->node->dot;
    const tile_item *left = &t->item[item->input[0]], *right = &t->item[item->input[1]];
    const int rank = k ? right->rank : left->rank, contracted = k ? d.right : d.left;
    int axis = k ? left->rank - 1 : d.batch; /* of the output: the first free one */
    for (int a = 0; a < rank; a++)
        if (a == contracted)
            axis_as(in, a, blocked, 0);
        else
            axis_as(in, a, out, a < d.batch ? a : axis++);
}

static void reduce_box(tile_box *in, const tile_items *t, const tile_box *out,
                       const tile_box *blocked)
{
    const tile_item *item = &t->item[t->reduction];
    const lab_node *node = item->node;
    for (int a = 0, kept = 0, reduced = 0; a < t->item[item->input[0]].rank; a++)
        if (reduced < node->n_dims && node->dims[reduced] == a)
            axis_as(in, a, blocked, reduced++);
        else
            axis_as(in, a, out, kept++);
}

/* The part of an axis that windows at the output's elements cover. */
static void window_box(tile_box *in, int in_axis, const lab_window *w, const tile_box *out,
                       int out_axis, const tile_box *blocked, int window)
{
    in->lo[in_axis] = out->lo[out_axis] * w->stride + blocked->lo[window] * w->dilation;
    in->n[in_axis] =
        (out->n[out_axis] - 1) * w->stride + (blocked->n[window] - 1) * w->dilation + 1;
}

/* Features of the input that the groups of a range of output features read. */
static void feature_box(tile_box *in, const lab_node *node, const tile_items *t,
                        const tile_box *out, const tile_box *block)
{
    const lab_conv_dims *c = &node->conv;
    const int feature = c->spatial;
    const int in_each = t->blocked[feature],
              out_each = node->shape.size[c->out_feature] / c->groups;
    const int lo = out->lo[c->out_feature], n = out->n[c->out_feature];
    const int first = lo / out_each, last = (lo + n - 1) / out_each;
    in->lo[c->in_feature] = first * in_each + block->lo[feature];
    in->n[c->in_feature] = (last - first) * in_each + block->n[feature];
}

static void convolution_box(tile_box *in, const tile_items *t, int k, const tile_box *out,
                            const tile_box *blocked)
{
    const lab_node *node = t->item[t->reduction].node;
    const lab_conv_dims *c = &node->conv;
    for (int i = 0; i < c->spatial; i++)
        if (k)
            axis_as(in, c->kernel_spatial[i], blocked, i);
        else
            window_box(in, c->in_spatial[i], &node->window[i], out, c->out_spatial[i], blocked, i);
    if (k) {
        axis_as(in, c->kernel_in, blocked, c->spatial);
        axis_as(in, c->kernel_out, out, c->out_feature);
    } else {
        axis_as(in, c->in_batch, out, c->out_batch);
        feature_box(in, node, t, out, blocked);
    }
}

void tile_reduction_box(tile_box *in, const tile_items *t, int k, const tile_box *out,
                        const tile_box *blocked)
{
    const tile_item *item = &t->item[t->reduction];
    in->some = out->some;
    switch (item->node->op) {
    case LAB_DOT: dot_box(in, t, k, out, blocked); break;
    case LAB_CONVOLUTION: convolution_box(in, t, k, out, blocked); break;
    case LAB_REDUCE: reduce_box(in, t, out, blocked); break;
    default:
        for (int a = 0; a < item->rank; a++)
            window_box(in, a, &item->node->window[a], out, a, blocked, a);
    }
}
