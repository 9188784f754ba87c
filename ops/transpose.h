/* SPDX-License-Identifier: MIT */
/* Transposition in square tiles: both sides of a tile stay in the cache. */
#include "core/kernel.h"

enum { TILE_SIDE = 32 };

AG_BOTH int64_t tiles_along(int n) { return ((int64_t)n + TILE_SIDE - 1) / TILE_SIDE; }

/* Tile r of to [m,n] = from' with from [n,m]. */
KERNEL void transpose_tile(ag_real *to, const ag_real *from, int n, int m, int64_t r, const int add)
{
    const int64_t across = tiles_along(n), i0 = r % across * TILE_SIDE, j0 = r / across * TILE_SIDE;
    const int width = n - i0 < TILE_SIDE ? (int)(n - i0) : TILE_SIDE;
    const int height = m - j0 < TILE_SIDE ? (int)(m - j0) : TILE_SIDE;
    for (int j = 0; j < height; j++) {
        const ag_real *column = from + i0 * m + j0 + j;
        ag_real *row = to + (j0 + j) * n + i0;
        EACH (i, width) PUT(row, i, column[(int64_t)i * m]);
    }
}

ROW(transpose_forward, tiles_along(a->xs[0].size[0]) * tiles_along(a->xs[0].size[1]))
{
    transpose_tile(Y(0), X(0), a->xs[0].size[0], a->xs[0].size[1], r, 0);
}

ROW_PUT(transpose_backward, tiles_along(a->xs[0].size[0]) * tiles_along(a->xs[0].size[1]))
{
    transpose_tile(DX, DY(0), a->ys[0].size[0], a->ys[0].size[1], r, add);
}
