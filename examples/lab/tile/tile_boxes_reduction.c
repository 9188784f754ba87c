/* SPDX-License-Identifier: MIT */
/* The elements of its operands that a dot, convolution, reduce or reduce-window needs for a box of
   its output and a block of its reduction. */
#include "examples/lab/tile/tile_plan.h"

/* Moves the features of the input to the groups that a range of output features reads. */
static void add_groups(tile_box *in, const tpugraphs_index *x, const lab_node *node,
                       const tile_box *out)
{
    const int each = node->shape.size[x->axis] / node->conv.groups, read = (int)x[1].size;
    const int first = out->lo[x->axis] / each,
              last = (out->lo[x->axis] + out->n[x->axis] - 1) / each;
    in->lo[x->in[0]] += first * read;
    in->n[x->in[0]] += (last - first) * read;
}

void tile_reduction_box(tile_box *in, const tile_items *t, int k, const tile_box *out,
                        const tile_box *blocked)
{
    in->some = out->some;
    for (int a = 0; a < LAB_RANK; a++) {
        in->lo[a] = 0;
        in->n[a] = 1;
    }
    for (int i = 0; i < t->space.n; i++) {
        const tpugraphs_index *x = &t->space.index[i];
        const tile_box *box = x->sum ? blocked : out;
        const int a = x->in[k], step = k ? 1 : x->step;
        if (a < 0) continue;
        if (x->split && !k) {
            add_groups(in, x, t->item[t->reduction].node, out);
            continue;
        }
        in->lo[a] += box->lo[x->axis] * step;
        in->n[a] += (box->n[x->axis] - 1) * step;
    }
}
