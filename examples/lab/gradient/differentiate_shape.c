/* SPDX-License-Identifier: MIT */
/* Gradients of the ops that move elements, and of sums. */
#include "examples/lab/gradient/differentiate.h"

#include <string.h>

/* Sums over the axes that the broadcast added, and restores the order of the operand's axes. */
static void broadcast(lab_backward *b, const lab_node *node, int g)
{
    lab_program *p = b->net.p;
    int gone[LAB_RANK], n = 0, rank[LAB_RANK] = {0}, moved = 0;
    for (int axis = 0; axis < node->shape.rank; axis++) {
        int kept = 0;
        for (int i = 0; i < node->n_dims; i++) kept |= node->dims[i] == axis;
        if (!kept) gone[n++] = axis;
    }
    if (n > 0) g = lab_reduce(p, g, LAB_SUM, n, gone);
    for (int i = 0; i < node->n_dims; i++) {
        for (int k = 0; k < node->n_dims; k++) rank[i] += node->dims[k] < node->dims[i];
        moved |= rank[i] != i;
    }
    lab_backward_add(b, node->operand[0], moved ? lab_transpose(p, g, rank) : g);
}

static void transpose(lab_backward *b, const lab_node *node, int g)
{
    int inverse[LAB_RANK] = {0};
    for (int i = 0; i < node->n_dims; i++) inverse[node->dims[i]] = i;
    lab_backward_add(b, node->operand[0], lab_transpose(b->net.p, g, inverse));
}

static void concatenate(lab_backward *b, const lab_node *node, int g)
{
    int axis = node->dims[0], start = 0;
    for (int k = 0; k < node->n_operands; k++) {
        int limit = start + lab_net_size(&b->net, node->operand[k], axis);
        if (lab_backward_wants(b, node->operand[k]))
            lab_backward_add(b, node->operand[k], lab_net_part(&b->net, g, axis, start, limit));
        start = limit;
    }
}

static int slice(lab_backward *b, const lab_node *node, int g)
{
    int high[LAB_RANK] = {0};
    for (int i = 0; i < node->shape.rank; i++) {
        if (node->stride[i] != 1) return 0;
        high[i] = lab_net_size(&b->net, node->operand[0], i) - node->limit[i];
    }
    int zero = lab_net_fill(&b->net, 0, (lab_shape){LAB_F32, 0, {0}});
    lab_backward_add(b, node->operand[0], lab_pad(b->net.p, g, zero, node->start, high));
    return 1;
}

/* The padding value is a constant, so it gets no gradient. */
static void pad(lab_backward *b, const lab_node *node, int g)
{
    int start[LAB_RANK] = {0}, limit[LAB_RANK] = {0}, stride[LAB_RANK] = {0};
    for (int i = 0; i < node->shape.rank; i++) {
        start[i] = node->window[i].low;
        limit[i] = node->shape.size[i] - node->window[i].high;
        stride[i] = 1;
    }
    lab_backward_add(b, node->operand[0], lab_slice(b->net.p, g, start, limit, stride));
}

/* Each element of the input gets the sum of the gradients of the windows that contain it: a sum
   over windows of the gradient, dilated by the stride. */
static int window_sum(lab_backward *b, const lab_node *node, int g)
{
    lab_window back[LAB_RANK];
    memset(back, 0, sizeof back);
    if (node->reducer != LAB_SUM) return 0;
    for (int i = 0; i < node->shape.rank; i++) {
        lab_window w = node->window[i];
        int in = lab_net_size(&b->net, node->operand[0], i);
        int reach = (w.size - 1) * w.dilation + 1;
        int apart = (node->shape.size[i] - 1) * w.stride + 1;
        if (w.base_dilation != 1) return 0;
        back[i] =
            (lab_window){w.size, 1, reach - 1 - w.low, in - apart + w.low, w.dilation, w.stride, 0};
    }
    lab_backward_add(b, node->operand[0], lab_reduce_window(b->net.p, g, LAB_SUM, back));
    return 1;
}

int lab_backward_shape(lab_backward *b, const lab_node *node, int g)
{
    lab_program *p = b->net.p;
    int x = node->operand[0];
    lab_shape s = lab_net_shape(&b->net, x);
    switch (node->op) {
    case LAB_BROADCAST: broadcast(b, node, g); return 1;
    case LAB_RESHAPE: lab_backward_add(b, x, lab_reshape(p, g, s.rank, s.size)); return 1;
    case LAB_TRANSPOSE: transpose(b, node, g); return 1;
    case LAB_CONCATENATE: concatenate(b, node, g); return 1;
    case LAB_SLICE: return slice(b, node, g);
    case LAB_PAD: pad(b, node, g); return 1;
    case LAB_REVERSE: lab_backward_add(b, x, lab_reverse(p, g, node->n_dims, node->dims)); return 1;
    case LAB_REDUCE:
        lab_backward_add(b, x, lab_net_spread(&b->net, g, x, node->n_dims, node->dims));
        return 1;
    case LAB_REDUCE_WINDOW: return window_sum(b, node, g);
    default: return 0;
    }
}
