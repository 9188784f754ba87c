/* SPDX-License-Identifier: MIT */
#include "examples/tpu/nest/nest_rows.h"

#include "examples/harness/harness.h"
#include "examples/tpu/analytic/default_tile.h"

#include <math.h>
#include <string.h>

static void append(tpu_rows *rows, const tpu_nests *nests)
{
    int at = rows->first[rows->configs];
    if (at + nests->count > rows->room) {
        const size_t room = (size_t)(rows->room = 2 * (at + nests->count));
        rows->x = harness_grow(rows->x, room * TPU_NEST_COLUMNS * sizeof *rows->x);
        rows->price = harness_grow(rows->price, room * sizeof *rows->price);
        rows->node = harness_grow(rows->node, room * sizeof *rows->node);
    }
    for (int i = 0; i < nests->count; i++, at++) {
        memcpy(rows->x + (size_t)at * TPU_NEST_COLUMNS, nests->nest[i].column,
               sizeof nests->nest[i].column);
        rows->price[at] = nests->nest[i].price;
        rows->node[at] = nests->nest[i].node;
    }
    rows->first[++rows->configs] = at;
}

void tpu_rows_set(tpu_rows *rows, const tpu_kernel *k, int from, int every)
{
    float standard[TPUGRAPHS_TILE_FEATURES];
    tpu_tiling tiling;
    tpu_nests nests = {0};
    rows->first = harness_grow(rows->first, ((size_t)k->configs + 1) * sizeof *rows->first);
    rows->configs = rows->first[0] = 0;
    tpu_tiling_open(&tiling, k);
    if (!k->tile) tpu_default_tile(standard, &tiling);
    for (int c = from; c < k->configs; c += every) {
        const float *tile = k->tile ? k->tile + (size_t)c * TPUGRAPHS_TILE_FEATURES : standard;
        tpu_nests_set(&nests, &tiling, tile);
        append(rows, &nests);
    }
    tpu_nests_free(&nests);
    tpu_tiling_close(&tiling);
}

double tpu_rows_log_price(const tpu_rows *rows, int config)
{
    double price = 0;
    for (int e = rows->first[config]; e < rows->first[config + 1]; e++) price += rows->price[e];
    return log(fmax(price, 1));
}

void tpu_rows_free(tpu_rows *rows)
{
    harness_free(rows->first);
    harness_free(rows->x);
    harness_free(rows->price);
    harness_free(rows->node);
    *rows = (tpu_rows){0};
}
