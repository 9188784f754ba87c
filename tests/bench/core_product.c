/* SPDX-License-Identifier: MIT */
#include "core_product.h"

#include "core/gemm.h"
#include "core/parallel.h"
#include "core/tile.h"

#include <string.h>

int64_t bench_core_scratch(int ta, int tb, int m, int n, int k)
{
    return ag__gemm_scratch(AG_CPU, ta, tb, m, n, k);
}

void bench_core_product(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m,
                        int n, int k, ag_real *scratch)
{
    ag__gemm(AG_CPU, c, a, b, ta, tb, m, n, k, 0, scratch);
}

enum { TERMS = 128, TILES = 1000, LINE = 64 };

static void tile_block(void *context, int64_t block, int thread)
{
    const ag_tiles *set = ag__tiles();
    _Alignas(LINE) ag_real a[AG_MOST_ROWS * TERMS], b[TERMS * AG_MOST_COLUMNS],
        c[AG_MOST_ROWS * AG_MOST_COLUMNS];
    ag_tile tile = {.c_row = set->columns, .a_row = TERMS, .terms = TERMS};
    (void)context, (void)block, (void)thread;
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    ag__tile_bring(&tile, b, 0);
    for (int i = 0; i < TILES; i++) set->run(c, a, b, NULL, &tile, set->rows, set->columns);
}

double bench_core_tiles(int size[3])
{
    const int threads = ag_threads();
    size[0] = ag__tiles()->rows;
    size[1] = ag__tiles()->columns;
    size[2] = TERMS;
    ag_parallel(threads, tile_block, NULL);
    return 2.0 * size[0] * size[1] * size[2] * TILES * threads;
}
