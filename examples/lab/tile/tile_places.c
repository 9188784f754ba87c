/* SPDX-License-Identifier: MIT */
/* The places of each item's elements: memory outside with its own strides, scratch densely by the
   box, views with the strides of their input. */
#include "examples/lab/tile/tile_plan.h"

#include <string.h>

static void view_place(tile_place *place, const tile_item *item, int rank, const tile_place *in)
{
    memset(place->stride, 0, sizeof place->stride);
    place->base = in->base;
    place->at = in->at;
    for (int a = 0; a < rank; a++) {
        place->at += item->at[a] * in->stride[a];
        if (item->from[a] >= 0) place->stride[item->from[a]] += item->step[a] * in->stride[a];
    }
}

static void scratch_place(tile_place *place, const tile_item *item, int base, const tile_box *box)
{
    int64_t stride = 1;
    place->base = base;
    place->at = 0;
    for (int a = item->rank - 1; a >= 0; a--) {
        place->stride[a] = stride;
        place->at -= box->lo[a] * stride;
        stride *= box->n[a];
    }
}

/* The output, and memory outside. */
void tile_places_outside(tile_place *place, const tile_items *t)
{
    for (int i = 0; i < t->n; i++) {
        const tile_item *item = &t->item[i];
        if (item->role != TILE_EXTERNAL && i != t->root) continue;
        int64_t stride = 1;
        place[i].base = i;
        place[i].at = 0;
        memcpy(place[i].stride, item->stride, sizeof item->stride);
        for (int a = item->rank - 1; i == t->root && a >= 0; a--) {
            place[i].stride[a] = stride;
            stride *= item->size[a];
        }
    }
}

void tile_places(tile_place *place, const tile_items *t, const tile_box *box, int first, int last)
{
    for (int i = first; i <= last; i++) {
        const tile_item *item = &t->item[i];
        if (item->role == TILE_EXTERNAL || i == t->root || !box[i].some) continue;
        const tile_place *in = item->n_inputs ? &place[item->input[0]] : NULL;
        if (item->role == TILE_VIEW)
            view_place(&place[i], item, t->item[item->input[0]].rank, in);
        else if (item->role == TILE_RESHAPE)
            tile_reshape_place(&place[i], t, item, in, &box[i]);
        else
            scratch_place(&place[i], item, i, &box[i]);
    }
}
