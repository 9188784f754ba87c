/* SPDX-License-Identifier: MIT */
/* Copies of rows that an index names, and sums into rows that an index names. A sum has one unit
   per destination and strip of columns: the inverse of the index (core/inverse.h) lists the rows
   that go there. */
#include "core/inverse.h"
#include "core/kernel.h"
#include "ops/segment_pieces.h"

/* The inverse of an index is in scratch as int32: n + 1 starts, then the order. */
AG_BOTH int32_t *inverse_starts(const ag_args *a) { return (int32_t *)(void *)a->scratch; }
AG_BOTH int64_t inverse_scratch(int64_t n, int64_t count)
{
    const int64_t bytes = (n + 1 + count) * (int64_t)sizeof(int32_t);
    return (bytes + (int64_t)sizeof(ag_real) - 1) / (int64_t)sizeof(ag_real);
}

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

/* to[v,c..c+n-1] = sum of the rows of `from` that the inverse lists for v, in their order. */
KERNEL void scatter_strip(ag_real *to, const ag_real *from, const int32_t *starts, int rows,
                          int width, int64_t v, int c, int n, const int add)
{
    const int32_t *order = starts + rows + 1;
    ag_real sum[AG_PER_LANE];
    strip_sum(sum, from, order, starts[v], starts[v + 1], width, c, n);
    to += v * width + c;
    EACH (j, n) PUT(to, j, sum[AT(j)]);
}

ROW_OF(gather_forward, a->xs[1].size[0], row_width(a->xs[0]))
{
    gather_row(Y(0), X(0), XI(1), a->xs[0].size[0], row_width(a->xs[0]), r, 0);
}

STRIP_PUT(gather_backward, a->xs[0].size[0], row_width(a->xs[0]))
{
    scatter_strip(DX, DY(0), inverse_starts(a), a->xs[0].size[0], row_width(a->xs[0]), o, c, n,
                  add);
}

STRIP(scatter_sum_forward, a->ys[0].size[0], row_width(a->ys[0]))
{
    scatter_strip(Y(0), X(0), inverse_starts(a), a->ys[0].size[0], row_width(a->ys[0]), o, c, n, 0);
}

ROW_OF_PUT(scatter_sum_backward, a->xs[1].size[0], row_width(a->ys[0]))
{
    gather_row(DX, DY(0), XI(1), a->ys[0].size[0], row_width(a->ys[0]), r, add);
}

/* ---- on a device, for few destinations with long lists: the lists are cut into pieces ---- */

/* The pieces for an index into n rows. */
AG_BOTH row_cut list_cut(const ag_args *a, int n)
{
    return cut_of(inverse_starts(a), n, a->xs[1].size[0], 0);
}

/* In scratch the sums of pieces follow the inverse, if that was made. */
AG_BOTH ag_real *list_sums(const ag_args *a, int n)
{
    return a->scratch + inverse_scratch(n, a->xs[1].size[0]);
}

STRIP(gather_back_pieces, cut_slots(list_cut(a, a->xs[0].size[0])), row_width(a->xs[0]))
{
    const int rows = a->xs[0].size[0];
    leave_sum(list_sums(a, rows), list_cut(a, rows), DY(0), inverse_starts(a) + rows + 1, o,
              row_width(a->xs[0]), c, n);
}

TILE_PUT(gather_back_join, a->xs[0].size[0], row_width(a->xs[0]), 0)
{
    const int rows = a->xs[0].size[0], width = row_width(a->xs[0]);
    ag_real sum[AG_PER_LANE], *dx = DX + o * width + c;
    (void)tile;
    join_sums(sum, list_cut(a, rows), list_sums(a, rows), o, width, c, n);
    TILE_ROWS(r, 1)
    EACH (j, n) PUT(dx, j, sum[AT(j)]);
}

STRIP(scatter_sum_pieces, cut_slots(list_cut(a, a->ys[0].size[0])), row_width(a->ys[0]))
{
    const int rows = a->ys[0].size[0];
    leave_sum(list_sums(a, rows), list_cut(a, rows), X(0), inverse_starts(a) + rows + 1, o,
              row_width(a->ys[0]), c, n);
}

TILE(scatter_sum_join, a->ys[0].size[0], row_width(a->ys[0]), 0)
{
    const int rows = a->ys[0].size[0], width = row_width(a->ys[0]);
    ag_real sum[AG_PER_LANE], *y = Y(0) + o * width + c;
    (void)tile;
    join_sums(sum, list_cut(a, rows), list_sums(a, rows), o, width, c, n);
    TILE_ROWS(r, 1)
    EACH (j, n) y[j] = sum[AT(j)];
}
