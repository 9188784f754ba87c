/* SPDX-License-Identifier: MIT */
/* Copies of rows that an index names, and sums into rows that an index names. */
#include "ops/listed_rows.h"

/* to[r,:] = from[index[r],:], zeros where from [n, ...] has no such row. */
KERNEL void gather_row(ag_real *to, const ag_real *from, const int32_t *index, int n, int width,
                       int64_t r, const int add)
{
    const int32_t v = index[r];
    const ag_real *row = from + (int64_t)v * width;
    to += r * width;
    if (v >= 0 && v < n) {
        EACH (i, width) PUT(to, i, row[i]);
    } else if (!add) {
        EACH (i, width) to[i] = 0;
    }
}

ROW_OF(gather_forward, a->xs[1].size[0], row_width(a->xs[0]))
{
    gather_row(Y(0), X(0), XI(1), a->xs[0].size[0], row_width(a->xs[0]), r, 0);
}

STRIP_PUT(gather_backward, a->xs[0].size[0], row_width(a->xs[0]))
{
    scatter_strip(DX, DY(0), a, a->xs[0].size[0], row_width(a->xs[0]), o, c, n, add);
}

STRIP(scatter_sum_forward, a->ys[0].size[0], row_width(a->ys[0]))
{
    scatter_strip(Y(0), X(0), a, a->ys[0].size[0], row_width(a->ys[0]), o, c, n, 0);
}

ROW_OF_PUT(scatter_sum_backward, a->xs[1].size[0], row_width(a->ys[0]))
{
    gather_row(DX, DY(0), XI(1), a->ys[0].size[0], row_width(a->ys[0]), r, add);
}

/* ---- on a device ---- */

STRIP(gather_back_pieces, cut_slots(list_cut(a, a->xs[0].size[0])), row_width(a->xs[0]))
{
    scatter_piece(DY(0), a, a->xs[0].size[0], row_width(a->xs[0]), o, c, n);
}

TILE_PUT(gather_back_join, a->xs[0].size[0], row_width(a->xs[0]), 0)
{
    (void)tile;
    scatter_join(DX, a, a->xs[0].size[0], row_width(a->xs[0]), o, c, n, add);
}

STRIP(scatter_sum_pieces, cut_slots(list_cut(a, a->ys[0].size[0])), row_width(a->ys[0]))
{
    scatter_piece(X(0), a, a->ys[0].size[0], row_width(a->ys[0]), o, c, n);
}

TILE(scatter_sum_join, a->ys[0].size[0], row_width(a->ys[0]), 0)
{
    (void)tile;
    scatter_join(Y(0), a, a->ys[0].size[0], row_width(a->ys[0]), o, c, n, 0);
}
