/* SPDX-License-Identifier: MIT */
/* Reshapes that a tile can see as other strides: each axis is split in several, or several become
   one. A part of a split axis is a range of it; a part of merged axes is a range of one of them,
   with single elements of those outside of it and all of those inside. */
#include "examples/lab/tile/tile_plan.h"

static int wide_axes(int axis[LAB_RANK], const int *size, int rank)
{
    int n = 0;
    for (int a = 0; a < rank; a++)
        if (size[a] > 1) axis[n++] = a;
    return n;
}

int tile_reshape_groups(tile_item *item, const int *in_size, int in_rank)
{
    int in[LAB_RANK], out[LAB_RANK], i = 0, j = 0;
    const int n_in = wide_axes(in, in_size, in_rank),
              n_out = wide_axes(out, item->size, item->rank);
    item->n_groups = 0;
    while (i < n_in && j < n_out) {
        tile_group *g = &item->group[item->n_groups++];
        int64_t a = in_size[in[i]], b = item->size[out[j]];
        *g = (tile_group){1, 1, {in[i++]}, {out[j++]}};
        while (a != b) {
            if (a < b && i < n_in) {
                a *= in_size[in[i]];
                g->in[g->n_in++] = in[i++];
            } else if (b < a && j < n_out) {
                b *= item->size[out[j]];
                g->out[g->n_out++] = out[j++];
            } else
                return 0; /* not the same number of elements */
        }
        if (g->n_in > 1 && g->n_out > 1) return 0;
    }
    return i == n_in && j == n_out;
}

/* Indices of element e of a run along the input axes of a group. */
static void digits(int64_t index[LAB_RANK], const int *in_size, const tile_group *g, int64_t e)
{
    for (int k = g->n_in - 1; k >= 0; k--) {
        index[k] = e % in_size[g->in[k]];
        e /= in_size[g->in[k]];
    }
}

/* The first and the last element, along the run of a group, of the box of its output axes. */
static void run_of_box(int64_t *low, int64_t *high, const tile_item *item, const tile_group *g,
                       const tile_box *out)
{
    *low = *high = 0;
    for (int k = 0; k < g->n_out; k++) {
        const int a = g->out[k];
        *low = *low * item->size[a] + out->lo[a];
        *high = *high * item->size[a] + out->lo[a] + out->n[a] - 1;
    }
}

void tile_reshape_box(tile_box *in, const tile_items *t, const tile_item *item, const tile_box *out)
{
    const tile_item *input = &t->item[item->input[0]];
    *in = (tile_box){out->some, {0}, {1, 1, 1, 1, 1, 1}};
    for (int i = 0; i < item->n_groups; i++) {
        const tile_group *g = &item->group[i];
        int64_t low, high, first[LAB_RANK], last[LAB_RANK];
        run_of_box(&low, &high, item, g, out);
        digits(first, input->size, g, low);
        digits(last, input->size, g, high);
        for (int k = 0, differ = 0; k < g->n_in; k++) {
            const int a = g->in[k];
            in->lo[a] = differ ? 0 : (int)first[k];
            in->n[a] = differ ? input->size[a] : (int)(last[k] - first[k] + 1);
            differ |= first[k] != last[k];
        }
    }
}

void tile_reshape_place(tile_place *place, const tile_items *t, const tile_item *item,
                        const tile_place *in, const tile_box *box)
{
    const tile_item *input = &t->item[item->input[0]];
    /* Input axes of size 1 are in no group; their index is always 0. */
    for (int i = 0; i < item->n_groups; i++) {
        const tile_group *g = &item->group[i];
        int64_t low, high, first[LAB_RANK], stride = in->stride[g->in[g->n_in - 1]];
        run_of_box(&low, &high, item, g, box);
        digits(first, input->size, g, low);
        for (int k = 0; k < g->n_in; k++) place->at += first[k] * in->stride[g->in[k]];
        place->at -= low * stride; /* where the run would have the box's first element */
        for (int k = g->n_out - 1; k >= 0; k--) {
            place->stride[g->out[k]] = stride;
            stride *= item->size[g->out[k]];
        }
    }
}
