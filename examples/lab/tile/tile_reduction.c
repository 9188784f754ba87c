/* SPDX-License-Identifier: MIT */
/* The one op of a kernel that reduces: its blocked axes and its inputs. */
#include "examples/lab/tile/tile_plan.h"

#include <math.h>
#include <string.h>

int tile_is_reduction(lab_op op)
{
    return op == LAB_DOT || op == LAB_CONVOLUTION || op == LAB_REDUCE || op == LAB_REDUCE_WINDOW;
}

/* Windows that leave the input, or that see it dilated, read a padded copy of the part that they
   need. */
static int add_padded(tile_items *t, const lab_node *node, int input)
{
    const int rank = t->item[input].rank;
    tile_item pad = {.role = TILE_PAD, .rank = rank, .n_inputs = 2, .input = {input}};
    int inside = 1;
    memcpy(pad.size, t->item[input].size, sizeof pad.size);
    for (int a = 0; a < rank; a++) pad.step[a] = 1;
    for (int i = 0; i < t->space.n; i++) {
        const tpugraphs_index *x = &t->space.index[i];
        if (!x->window || x->sum) continue;
        const lab_window *w = &node->window[x->window - 1];
        const int a = x->in[0], n = node->shape.size[x->axis];
        inside &= !tpugraphs_leaves(w, n, pad.size[a]);
        pad.size[a] = (int)tpugraphs_covered(w, n, w->size);
        pad.at[a] = w->low;
        pad.step[a] = w->base_dilation;
    }
    if (inside) return input;
    pad.input[1] = tile_items_constant(
        t, node->op == LAB_REDUCE_WINDOW && node->reducer == LAB_MAX ? -INFINITY : 0.0f);
    *tile_items_add(t, TILE_PAD, input, rank, pad.size) = pad;
    return t->n - 1;
}

static int add_reversed(tile_items *t, const lab_node *node, int input)
{
    const lab_conv_dims *c = &node->conv;
    int any = 0;
    for (int i = 0; i < c->spatial; i++) any |= node->window[i].reversed;
    if (!any) return input;
    tile_item *item = tile_items_add(t, TILE_VIEW, input, t->item[input].rank, t->item[input].size);
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
    if (node->op == LAB_CONVOLUTION && k) return add_reversed(t, node, input);
    return add_padded(t, node, input);
}
