/* SPDX-License-Identifier: MIT */
/* Nests of the ops with a reduction. */
#include "examples/lab/run/lower_internal.h"

static nest_kind kind_of(const lab_node *node)
{
    return node->reducer == LAB_MAX ? NEST_MAX : NEST_SUM;
}

static void reduce(lab__lowering *l)
{
    const lab_node *node = l->node;
    const int rank = l->p->nodes[node->operand[0]].shape.rank;
    lab_piece *piece = lab__piece(l, kind_of(node), node->op);
    lab__output(piece, l);
    piece->from[0] = 0;
    for (int i = 0, sum = 0, out = 0; i < rank; i++) {
        const int64_t stride = l->in[0].stride[i];
        if (sum < node->n_dims && node->dims[sum] == i) {
            lab__input(piece, l, 0, i, l->part->sum.start[sum]);
            nest_loop_add(&piece->nest, l->part->sum.size[sum++], 1, 0, stride, 0, 0);
        } else {
            lab__input(piece, l, 0, i, l->part->out.start[out]);
            nest_loop_add(&piece->nest, l->part->out.size[out], 0, l->out->stride[out], stride, 0,
                          0);
            out++;
        }
    }
    nest_plan(&piece->nest);
}

/* The bounds of one axis of operand 0 under a window; the loops exist already. */
static void window(lab_piece *piece, const lab__lowering *l, const lab_window *w, int in_axis,
                   int out_axis, int sum_axis, int out_loop, int sum_loop)
{
    const int64_t first = l->part->out.start[out_axis], tap = l->part->sum.start[sum_axis];
    const int64_t size = l->p->nodes[l->node->operand[0]].shape.size[in_axis];
    lab__input(piece, l, 0, in_axis, 0);
    nest_window_add(&piece->nest,
                    (nest_window){{out_loop, sum_loop},
                                  {w->stride, w->reversed ? -w->dilation : w->dilation},
                                  first * w->stride - w->low +
                                      (w->reversed ? w->size - 1 - tap : tap) * w->dilation,
                                  (size - 1) * w->base_dilation + 1,
                                  w->base_dilation,
                                  l->in[0].stride[in_axis]});
}

static void reduce_window(lab__lowering *l)
{
    lab_piece *piece = lab__piece(l, kind_of(l->node), l->node->op);
    lab__output(piece, l);
    piece->from[0] = 0;
    for (int i = 0; i < l->node->shape.rank; i++) {
        const int out =
            nest_loop_add(&piece->nest, l->part->out.size[i], 0, l->out->stride[i], 0, 0, 0);
        const int sum = nest_loop_add(&piece->nest, l->part->sum.size[i], 1, 0, 0, 0, 0);
        window(piece, l, &l->node->window[i], i, i, i, out, sum);
    }
    nest_plan(&piece->nest);
}

/* An axis of the result that one operand alone has. */
static void free_axis(lab_piece *piece, const lab__lowering *l, int k, int axis, int out)
{
    const int64_t stride = l->in[k].stride[axis];
    lab__input(piece, l, k, axis, l->part->out.start[out]);
    nest_loop_add(&piece->nest, l->part->out.size[out], 0, l->out->stride[out], k ? 0 : stride,
                  k ? stride : 0, 0);
}

static void dot(lab__lowering *l)
{
    const lab_dot_dims d = l->node->dot;
    const int left = l->p->nodes[l->node->operand[0]].shape.rank;
    const int right = l->p->nodes[l->node->operand[1]].shape.rank;
    lab_piece *piece = lab__piece(l, NEST_DOT, l->node->op);
    lab__output(piece, l);
    piece->from[0] = 0;
    piece->from[1] = 1;
    int out = 0;
    for (; out < d.batch; out++) {
        for (int k = 0; k < 2; k++) lab__input(piece, l, k, out, l->part->out.start[out]);
        nest_loop_add(&piece->nest, l->part->out.size[out], 0, l->out->stride[out],
                      l->in[0].stride[out], l->in[1].stride[out], 0);
    }
    for (int i = d.batch; i < left; i++)
        if (i != d.left) free_axis(piece, l, 0, i, out++);
    for (int i = d.batch; i < right; i++)
        if (i != d.right) free_axis(piece, l, 1, i, out++);
    lab__input(piece, l, 0, d.left, l->part->sum.start[0]);
    lab__input(piece, l, 1, d.right, l->part->sum.start[0]);
    nest_loop_add(&piece->nest, l->part->sum.size[0], 1, 0, l->in[0].stride[d.left],
                  l->in[1].stride[d.right], 0);
    nest_plan(&piece->nest);
}

/* Output features start..start+size are within one group, or are whole groups with `each` input and
   `gives` output features. */
static void convolve(lab__lowering *l, int start, int size, int each, int gives)
{
    const lab_node *node = l->node;
    const lab_conv_dims *d = &node->conv;
    const lab_view *x = &l->in[0], *w = &l->in[1];
    const int group = start / gives, features = d->spatial;
    lab_piece *piece = lab__piece(l, NEST_DOT, node->op);
    nest *nest = &piece->nest;
    lab__output(piece, l);
    piece->from[0] = 0;
    piece->from[1] = 1;
    nest->out_at += (start - l->part->out.start[d->out_feature]) * l->out->stride[d->out_feature];
    lab__input(piece, l, 0, d->in_batch, l->part->out.start[d->out_batch]);
    nest_loop_add(nest, l->part->out.size[d->out_batch], 0, l->out->stride[d->out_batch],
                  x->stride[d->in_batch], 0, 0);
    lab__input(piece, l, 1, d->kernel_out, start);
    const int groups = size > gives ? size / gives : 1;
    nest_loop_add(nest, groups, 0, gives * l->out->stride[d->out_feature],
                  each * x->stride[d->in_feature], gives * w->stride[d->kernel_out], 0);
    nest_loop_add(nest, size / groups, 0, l->out->stride[d->out_feature], 0,
                  w->stride[d->kernel_out], 0);
    const int64_t from = l->part->sum.start[features];
    lab__input(piece, l, 0, d->in_feature, (int64_t)group * each + from);
    lab__input(piece, l, 1, d->kernel_in, from);
    nest_loop_add(nest, l->part->sum.size[features], 1, 0, x->stride[d->in_feature],
                  w->stride[d->kernel_in], 0);
    for (int i = 0; i < d->spatial; i++) {
        const int axis = d->out_spatial[i];
        lab__input(piece, l, 1, d->kernel_spatial[i], l->part->sum.start[i]);
        const int out =
            nest_loop_add(nest, l->part->out.size[axis], 0, l->out->stride[axis], 0, 0, 0);
        const int sum =
            nest_loop_add(nest, l->part->sum.size[i], 1, 0, 0, w->stride[d->kernel_spatial[i]], 0);
        window(piece, l, &node->window[i], d->in_spatial[i], axis, i, out, sum);
    }
    nest_plan(nest);
}

/* Whole groups are computed together, the parts of groups at both ends of the box separately. */
static void convolution(lab__lowering *l)
{
    const lab_conv_dims *d = &l->node->conv;
    const int each = l->p->nodes[l->node->operand[1]].shape.size[d->kernel_in];
    const int gives = l->node->shape.size[d->out_feature] / d->groups;
    int at = l->part->out.start[d->out_feature];
    const int end = at + l->part->out.size[d->out_feature];
    while (at < end) {
        const int left = end - at, behind = at % gives;
        int take = gives - behind < left ? gives - behind : left;
        if (!behind && left > gives) take = left - left % gives;
        convolve(l, at, take, each, gives);
        at += take;
    }
}

void lab__lower_sum(lab__lowering *l)
{
    switch (l->node->op) {
    case LAB_REDUCE: reduce(l); break;
    case LAB_REDUCE_WINDOW: reduce_window(l); break;
    case LAB_DOT: dot(l); break;
    default: convolution(l); break;
    }
}
