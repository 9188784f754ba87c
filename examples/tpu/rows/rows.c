/* SPDX-License-Identifier: MIT */
#include "examples/harness/run/bag.h"
#include "examples/tpu/rows/job.h"

int nests_tile_next(nests_tile_rows *rows)
{
    nests_rows *t = &rows->table;
    const int at = t->rows++;
    stbds_arrsetlen(t->x, (size_t)t->rows * NESTS_TILE_COLUMNS);
    stbds_arrsetlen(t->word, t->rows);
    stbds_arrsetlen(t->work, t->rows);
    stbds_arrsetlen(t->row, t->rows);
    stbds_arrsetlen(rows->node, t->rows);
    return t->row[at] = at;
}

void nests_tile_rows_add(nests_tile_rows *rows, const tpu_kernel *k, const int *config, int n)
{
    float standard[TPUGRAPHS_TILE_FEATURES];
    nests_rows *t = &rows->table;
    stbds_arrsetlen(t->first, t->items + n + 1);
    t->first[0] = 0;
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
    bag_free(rows->table.first);
    bag_free(rows->table.x);
    bag_free(rows->table.word);
    bag_free(rows->table.work);
    bag_free(rows->table.row);
    bag_free(rows->node);
    *rows = (nests_tile_rows){0};
}
