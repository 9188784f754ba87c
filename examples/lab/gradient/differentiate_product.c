/* SPDX-License-Identifier: MIT */
/* Gradients of dot and convolution, which are dots and convolutions themselves. */
#include "examples/lab/gradient/differentiate.h"

/* Merges `n` axes of x, from `first` on. */
static int merged(lab_backward *b, int x, int first, int n)
{
    lab_shape s = lab_net_shape(&b->net, x);
    int size[LAB_RANK] = {0}, rank = 0;
    if (n == 1) return x;
    for (int i = 0; i < first; i++) size[rank++] = s.size[i];
    size[rank] = 1;
    for (int i = first; i < first + n; i++) size[rank] *= s.size[i];
    rank++;
    for (int i = first + n; i < s.rank; i++) size[rank++] = s.size[i];
    return lab_reshape(b->net.p, x, rank, size);
}

/* x with axis `from` moved to place `to`. */
static int moved(lab_backward *b, int x, int from, int to)
{
    int rank = lab_net_shape(&b->net, x).rank, dims[LAB_RANK] = {0}, next = 0;
    if (from == to) return x;
    for (int i = 0; i < rank; i++) {
        if (i == to) {
            dims[i] = from;
            continue;
        }
        if (next == from) next++;
        dims[i] = next++;
    }
    return lab_transpose(b->net.p, x, dims);
}

/* Merges the free axes of x; returns the new places of that axis and of the contracted one, too. */
static int with_one_free(lab_backward *b, int x, int batch, int *contracted, int *free_axis)
{
    int last = lab_net_shape(&b->net, x).rank - 1;
    int first = *contracted == batch && last > batch;
    if (!first) x = moved(b, x, *contracted, last);
    *contracted = first ? batch : batch + 1;
    *free_axis = first ? batch + 1 : batch;
    return merged(b, x, *free_axis, last - batch);
}

/* y [batch, left..., right...] contracts l of u with r of v. The gradient of u contracts the right
   axes of g with those of v; that of v the left axes of g with those of u. */
static void dot_left(lab_backward *b, const lab_node *node, int g)
{
    int batch = node->dot.batch, u = node->operand[0], v = node->operand[1];
    int left = lab_net_shape(&b->net, u).rank - batch - 1;
    int contracted = node->dot.right, across;
    v = with_one_free(b, v, batch, &contracted, &across);
    g = merged(b, g, batch + left, node->shape.rank - batch - left);
    int du = lab_dot(b->net.p, g, v, (lab_dot_dims){batch, batch + left, across});
    lab_backward_add(b, u, moved(b, du, batch + left, node->dot.left));
}

static void dot_right(lab_backward *b, const lab_node *node, int g)
{
    int batch = node->dot.batch, u = node->operand[0], v = node->operand[1];
    int left = lab_net_shape(&b->net, u).rank - batch - 1, right = node->dot.right;
    int last = lab_net_shape(&b->net, v).rank - 1, contracted = node->dot.left, across, dv;
    u = with_one_free(b, u, batch, &contracted, &across);
    g = merged(b, g, batch, left);
    if (right == last) { /* the contracted axis comes last */
        dv = lab_dot(b->net.p, g, u, (lab_dot_dims){batch, batch, across});
    } else {
        dv = lab_dot(b->net.p, u, g, (lab_dot_dims){batch, across, batch});
        dv = moved(b, dv, batch, right);
    }
    lab_backward_add(b, node->operand[1], dv);
}

static void swap(int *a, int *b)
{
    const int was = *a;
    *a = *b;
    *b = was;
}

/* Convolves the gradient, dilated by the stride and padded, with the reversed kernel, whose input
   and output features are swapped. */
static void conv_input(lab_backward *b, const lab_node *node, int g)
{
    lab_conv_dims d = node->conv, e = d;
    lab_window window[LAB_RANK] = {0};
    swap(&e.in_batch, &e.out_batch);
    swap(&e.in_feature, &e.out_feature);
    swap(&e.kernel_in, &e.kernel_out);
    for (int i = 0; i < d.spatial; i++) {
        lab_window w = node->window[i];
        int in = lab_net_size(&b->net, node->operand[0], d.in_spatial[i]);
        int reach = (w.size - 1) * w.dilation, low = reach - w.low;
        int apart = (node->shape.size[d.out_spatial[i]] - 1) * w.stride;
        int high = (in - 1) * w.base_dilation + reach - apart - low;
        swap(&e.in_spatial[i], &e.out_spatial[i]);
        window[i] = (lab_window){w.size, w.base_dilation, low, high, w.dilation, w.stride, 1};
    }
    int dx = lab_convolution(b->net.p, g, node->operand[1], e, window);
    lab_backward_add(b, node->operand[0], dx);
}

/* The gradient takes the place of the kernel, and batch and features of the input are swapped. */
static void conv_kernel(lab_backward *b, const lab_node *node, int g)
{
    lab_conv_dims d = node->conv, e = d;
    swap(&e.in_batch, &e.in_feature);
    swap(&e.kernel_in, &e.out_batch);
    swap(&e.kernel_out, &e.out_feature);
    lab_window window[LAB_RANK] = {0};
    for (int i = 0; i < d.spatial; i++) {
        lab_window w = node->window[i];
        int out = node->shape.size[d.out_spatial[i]];
        int in = lab_net_size(&b->net, node->operand[0], d.in_spatial[i]);
        int high = (w.size - 1) * w.dilation + (out - 1) * w.stride - (in - 1) * w.base_dilation;
        swap(&e.kernel_spatial[i], &e.out_spatial[i]);
        window[i] =
            (lab_window){out, w.dilation, w.low, high - w.low, w.stride, w.base_dilation, 0};
    }
    lab_backward_add(b, node->operand[1],
                     lab_convolution(b->net.p, node->operand[0], g, e, window));
}

int lab_backward_product(lab_backward *b, const lab_node *node, int g)
{
    int u = node->operand[0], v = node->operand[1];
    if (node->op == LAB_DOT) {
        if (lab_backward_wants(b, u)) dot_left(b, node, g);
        if (lab_backward_wants(b, v)) dot_right(b, node, g);
        return 1;
    }
    if (node->op != LAB_CONVOLUTION || node->conv.groups != 1) return 0;
    for (int i = 0; i < node->conv.spatial; i++)
        if (node->window[i].reversed) return 0;
    if (lab_backward_wants(b, u)) conv_input(b, node, g);
    if (lab_backward_wants(b, v)) conv_kernel(b, node, g);
    return 1;
}
