/* SPDX-License-Identifier: MIT */
#include "examples/tpu/rows/rows.h"

#include "examples/harness/harness.h"
#include "examples/tpu/rows/default_tile.h"

#include <string.h>

static void append(nests_tile_rows *rows, const nests_tile *nests)
{
    int at = rows->first[rows->configs];
    if (at + nests->count > rows->room) {
        const size_t room = (size_t)(rows->room = 2 * (at + nests->count));
        rows->x = harness_grow(rows->x, room * NESTS_TILE_COLUMNS * sizeof *rows->x);
        rows->price = harness_grow(rows->price, room * sizeof *rows->price);
        rows->node = harness_grow(rows->node, room * sizeof *rows->node);
        rows->word = harness_grow(rows->word, room * sizeof *rows->word);
        rows->row = harness_grow(rows->row, room * sizeof *rows->row);
    }
    for (int i = 0; i < nests->count; i++, at++) {
        memcpy(rows->x + (size_t)at * NESTS_TILE_COLUMNS, nests->nest[i].column,
               sizeof nests->nest[i].column);
        rows->price[at] = nests->nest[i].price;
        rows->node[at] = nests->nest[i].node;
    }
    rows->first[++rows->configs] = at;
}

static void make_room(nests_tile_rows *rows, int configs)
{
    if (configs < rows->config_room) return;
    rows->config_room = 2 * configs + 1;
    rows->first = harness_grow(rows->first, (size_t)rows->config_room * sizeof *rows->first);
    rows->first[0] = 0;
}

void nests_tile_rows_add(nests_tile_rows *rows, const tpu_kernel *k, const int *config, int n)
{
    float standard[TPUGRAPHS_TILE_FEATURES];
    nests_tiling *t = &rows->tiling;
    make_room(rows, rows->configs + n);
    nests_tiling_open(t, k);
    if (!k->tile) nests_default_tile(standard, t);
    for (int i = 0; i < n; i++) {
        const size_t c = (size_t)(config ? config[i] : i);
        nests_tile_set(&rows->nests, t, k->tile ? k->tile + c * TPUGRAPHS_TILE_FEATURES : standard);
        append(rows, &rows->nests);
    }
}

void nests_tile_rows_table(nests_rows *table, nests_tile_rows *rows)
{
    const int n = rows->first[rows->configs];
    for (int r = 0; r < n; r++) {
        const float *x = rows->x + (size_t)r * NESTS_TILE_COLUMNS;
        rows->word[r] = (int)x[0];
        memmove(rows->x + (size_t)r * NESTS_TILE_ROW, x + 1, NESTS_TILE_ROW * sizeof *x);
        rows->row[r] = r;
    }
    *table = (nests_rows){.rows = n,
                          .items = rows->configs,
                          .x = rows->x,
                          .word = rows->word,
                          .work = rows->price,
                          .first = rows->first,
                          .row = rows->row,
                          .memory = rows};
}

void nests_tile_rows_free(nests_tile_rows *rows)
{
    nests_tile_free(&rows->nests);
    nests_tiling_close(&rows->tiling);
    harness_free(rows->first);
    harness_free(rows->x);
    harness_free(rows->price);
    harness_free(rows->node);
    harness_free(rows->word);
    harness_free(rows->row);
    *rows = (nests_tile_rows){0};
}
