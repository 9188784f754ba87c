/* SPDX-License-Identifier: MIT */
/* The cost of tiles: scratch, steps, work. */
#include "examples/lab/tile/tile_plan.h"

#include <math.h>

/* Items are read directly or through views. The reduction's scratch lives through all steps of a
   tile. */
int64_t tile_slots(int64_t *at, const tile_items *t, const int64_t *most)
{
    tpugraphs_value value[TILE_ITEMS];
    for (int i = 0; i < t->n; i++) value[i] = (tpugraphs_value){.size = (double)most[i], .last = i};
    for (int i = t->n - 1; i >= 0; i--) {
        const tile_item *item = &t->item[i];
        const int computed = tile_is_computed(item), reader = computed ? i : value[i].last;
        for (int k = 0; k < item->n_inputs; k++)
            if (reader > value[item->input[k]].last) value[item->input[k]].last = reader;
        if (!computed || i == t->root) value[i].last = -1; /* those that read it come later */
    }
    const double all = tpugraphs_find_slots(value, t->n, t->reduction);
    for (int i = 0; i < t->n; i++)
        if (value[i].last >= 0) at[i] = (int64_t)value[value[i].slot].at;
    return (int64_t)all;
}

void tile_box_at(tile_box *box, const int *index, const int *size, const double *bound, int rank)
{
    box->some = 1;
    for (int a = 0; a < rank; a++) {
        const int n = (int)bound[a];
        box->lo[a] = index[a] * n;
        box->n[a] = size[a] - box->lo[a] < n ? size[a] - box->lo[a] : n;
    }
}

double tile_blocks(int *count, const int *size, const double *bound, int rank)
{
    double n = 1;
    for (int a = 0; a < rank; a++) {
        count[a] = (size[a] - 1) / (int)bound[a] + 1;
        n *= count[a];
    }
    return n;
}

double tile_note_sizes(int64_t *most, const tile_items *t, const tile_box *box, int first, int last)
{
    double work = 0;
    for (int i = first; i <= last; i++) {
        if (!tile_is_computed(&t->item[i])) continue;
        const int64_t n = tile_box_elements(&box[i], t->item[i].rank);
        if (n > most[i]) most[i] = n;
        if (i != t->reduction) work += (double)n;
    }
    return work;
}

/* The multiply-adds of one step of the reduction. */
static double reduced(double uses[2], const tile_items *t, const tile_box *out,
                      const tile_box *block)
{
    const tile_item *item = &t->item[t->reduction];
    const double work =
        (double)tile_box_elements(out, item->rank) * (double)tile_box_elements(block, t->n_blocked);
    for (int k = 0; k < item->n_inputs && k < 2; k++) {
        tile_box in;
        tile_reduction_box(&in, t, k, out, block);
        const double each = work / (double)tile_box_elements(&in, t->item[item->input[k]].rank);
        if (each > uses[k]) uses[k] = each;
    }
    return work;
}

/* The first, middle or last of each axis. */
static void probe(tile_box *box, const int *count, const int *size, const double *bound, int rank,
                  int which)
{
    int index[LAB_RANK];
    for (int a = 0; a < rank; a++) index[a] = (count[a] - 1) * which / 2;
    tile_box_at(box, index, size, bound, rank);
}

tpugraphs_cost tile_estimate(double uses[2], tile_items *t, const tpugraphs_bounds *bounds)
{
    const tile_item *root = &t->item[t->root];
    const int r = t->reduction, first = r < 0 ? 0 : r;
    int tiles[LAB_RANK], blocks[LAB_RANK];
    int64_t most[TILE_ITEMS] = {0}, at[TILE_ITEMS];
    tile_box *box = t->box, block;
    const double n_tiles = tile_blocks(tiles, root->size, bounds->out, root->rank);
    const double n_blocks = tile_blocks(blocks, t->blocked, bounds->blocked, t->n_blocked);
    double behind = 0, before = 0;
    uses[0] = uses[1] = 0;
    for (int which = 0; which < 3; which++) {
        probe(&box[t->root], tiles, root->size, bounds->out, root->rank, which);
        tile_boxes(box, t, first, t->root, NULL);
        behind = fmax(behind, tile_note_sizes(most, t, box, first, t->root));
        if (r < 0 || !box[r].some) continue;
        probe(&block, blocks, t->blocked, bounds->blocked, t->n_blocked, which);
        tile_boxes(box, t, 0, r, &block);
        before = fmax(before,
                      tile_note_sizes(most, t, box, 0, r - 1) + reduced(uses, t, &box[r], &block));
    }
    return (tpugraphs_cost){(double)tile_slots(at, t, most),
                            n_tiles * (r < 0 ? 1 : n_blocks + (r != t->root)),
                            n_tiles * (behind + n_blocks * before)};
}
