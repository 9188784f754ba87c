/* SPDX-License-Identifier: MIT */
/* The one op of a kernel that reduces: its blocked axes and its inputs. */
#include "examples/lab/tile/tile_plan.h"

#include <math.h>
#include <string.h>

int tile_is_reduction(lab_op op)
{
    return op == LAB_DOT || op == LAB_CONVOLUTION || op == LAB_REDUCE || op == LAB_REDUCE_WINDOW;
}

/* Axis of input 0 and of the output that window i moves along. */
static void window_axes(int *in, int *out, const lab_node *node, int i)
{
    *in = node->op == LAB_CONVOLUTION ? node->conv.in_spatial[i] : i;
    *out = node->op == LAB_CONVOLUTION ? node->conv.out_spatial[i] : i;
}

/* Windows that leave the input, or that see it dilated, read a padded copy of the part that they
   need. */
static int add_padded(tile_items *t, const lab_node *node, int n_windows, int input)
{
    const int rank = t->item[input].rank;
    int size[LAB_RANK], inside = 1;
    memcpy(size, t->item[input].size, sizeof size);
    for (int i = 0; i < n_windows; i++) {
        const lab_window *w = &node->window[i];
        int in, out;
        window_axes(&in, &out, node, i);
        const int covered =
            (node->shape.size[out] - 1) * w->stride + (w->size - 1) * w->dilation + 1;
        inside &= w->low == 0 && w->base_dilation == 1 && covered <= size[in];
        size[in] = covered;
    }
    if (inside) return input;
    const int border = tile_items_constant(
        t, node->op == LAB_REDUCE_WINDOW && node->reducer == LAB_MAX ? -INFINITY : 0.0f);
    tile_item *item = border < 0 ? NULL : tile_items_add(t, TILE_PAD, 1, rank, size);
    if (!item) return -1;
    item->n_inputs = 2;
    item->input[0] = input;
    item->input[1] = border;
    for (int a = 0; a < rank; a++) item->step[a] = 1;
    for (int i = 0; i < n_windows; i++) {
        int in, out;
        window_axes(&in, &out, node, i);
        item->at[in] = node->window[i].low;
        item->step[in] = node->window[i].base_dilation;
    }
    return t->n - 1;
}

static int add_reversed(tile_items *t, const lab_node *node, int input)
{
    const lab_conv_dims *c = &node->conv;
    int any = 0;
    for (int i = 0; i < c->spatial; i++) any |= node->window[i].reversed;
    if (!any) return input;
    tile_item *item = tile_items_add(t, TILE_VIEW, 1, t->item[input].rank, t->item[input].size);
    if (!item) return -1;
    item->n_inputs = 1;
    item->input[0] = input;
    for (int a = 0; a < item->rank; a++) {
        item->from[a] = a;
        item->step[a] = 1;
    }
    for (int i = 0; i < c->spatial; i++) {
        const int axis = c->kernel_spatial[i];
        if (!node->window[i].reversed) continue;
        item->at[axis] = item->size[axis] - 1;
        item->step[axis] = -1;
    }
    return t->n - 1;
}

int tile_reduction_input(tile_items *t, const lab_node *node, int k, int input)
{
    if (node->op == LAB_CONVOLUTION)
        return k ? add_reversed(t, node, input) : add_padded(t, node, node->conv.spatial, input);
    if (node->op == LAB_REDUCE_WINDOW) return add_padded(t, node, node->shape.rank, input);
    return input;
}
