/* SPDX-License-Identifier: MIT */
#include "examples/harness/harness.h"
#include "examples/tpu/rows/job.h"

int nests_tile_next(nests_tile_rows *rows)
{
    nests_rows *t = &rows->table;
    if (t->rows == rows->room) {
        const size_t room = (size_t)(rows->room = 2 * rows->room + 16);
        t->x = harness_grow(t->x, room * NESTS_TILE_COLUMNS * sizeof *t->x);
        t->word = harness_grow(t->word, room * sizeof *t->word);
        t->work = harness_grow(t->work, room * sizeof *t->work);
        t->row = harness_grow(t->row, room * sizeof *t->row);
        rows->node = harness_grow(rows->node, room * sizeof *rows->node);
        for (int i = t->rows; i < rows->room; i++) t->row[i] = i;
    }
    return t->rows++;
}

static void make_room(nests_tile_rows *rows, int items)
{
    if (items < rows->item_room) return;
    rows->item_room = 2 * items + 1;
    rows->table.first =
        harness_grow(rows->table.first, (size_t)rows->item_room * sizeof *rows->table.first);
    rows->table.first[0] = 0;
}

void nests_tile_rows_add(nests_tile_rows *rows, const tpu_kernel *k, const int *config, int n)
{
    float standard[TPUGRAPHS_TILE_FEATURES];
    nests_rows *t = &rows->table;
    make_room(rows, t->items + n);
    t->rows = t->first[t->items];
    nests_tiling_open(&rows->tiling, k);
    if (!k->tile) nests_default_tile(standard, &rows->tiling);
    for (int i = 0; i < n; i++) {
        const size_t c = (size_t)(config ? config[i] : i);
        nests_tile_set(rows, k->tile ? k->tile + c * TPUGRAPHS_TILE_FEATURES : standard);
        t->first[++t->items] = t->rows;
    }
}

void nests_tile_rows_free(nests_tile_rows *rows)
{
    nests_tiling_close(&rows->tiling);
    harness_free(rows->table.first);
    harness_free(rows->table.x);
    harness_free(rows->table.word);
    harness_free(rows->table.work);
    harness_free(rows->table.row);
    harness_free(rows->node);
    *rows = (nests_tile_rows){0};
}
