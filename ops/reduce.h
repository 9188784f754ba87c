/* SPDX-License-Identifier: MIT */
/* Reductions: over all elements, down the first axis, along the last. attr.i[0]: 1 divides by the
   number of elements that were summed. */
#include "core/kernel.h"
#include "ops/segment_pieces.h"

/* ---- over all ---- */

/* Rows of ALL_ROW elements are summed into scratch, then the scratch is summed in order. */

enum { ALL_ROW = 1024 };

AG_BOTH int64_t reduce_all_rows(const ag_args *a)
{
    return (ag__elements(a->xs[0]) + ALL_ROW - 1) / ALL_ROW;
}

ROW(sum_all_parts, reduce_all_rows(a))
{
    const int64_t from = r * ALL_ROW, left = ag__elements(a->xs[0]) - from;
    const ag_real *x = X(0) + from;
    ag_real s;
    SUM(s, i, left < ALL_ROW ? (int)left : ALL_ROW, x[i]);
    if (LANE == 0) a->scratch[r] = s;
}

ROW(sum_all_total, 1)
{
    const int64_t n = ag__elements(a->xs[0]);
    const ag_real *parts = a->scratch;
    ag_real s;
    (void)r;
    SUM(s, i, (int)reduce_all_rows(a), parts[i]);
    if (LANE == 0) Y(0)[0] = a->attr.i[0] && n ? s / (ag_real)n : s;
}

ELEMENTS_PUT(sum_all_backward, ag__elements(a->xs[0]))
{
    const ag_real d = a->attr.i[0] ? DY(0)[0] / (ag_real)ag__elements(a->xs[0]) : DY(0)[0];
    for (int64_t i = lo; i < hi; i++) PUT(DX, i, d);
}

/* ---- down the rows: a value per column ---- */

STRIP(sum_rows_forward, 1, row_width(a->xs[0]))
{
    const int rows = a->xs[0].size[0];
    const ag_real scale = a->attr.i[0] && rows ? 1 / (ag_real)rows : 1;
    ag_real sum[AG_PER_LANE], *y = Y(0) + c;
    (void)o;
    strip_sum(sum, X(0), NULL, NULL, 0, rows, row_width(a->xs[0]), c, n);
    EACH (j, n) y[j] = sum[AT(j)] * scale;
}

ROW_OF_PUT(sum_rows_backward, a->xs[0].size[0], row_width(a->xs[0]))
{
    const int n = row_width(a->xs[0]);
    const ag_real scale = a->attr.i[0] ? 1 / (ag_real)a->xs[0].size[0] : 1;
    const ag_real *dy = DY(0);
    ag_real *dx = DX + r * n;
    EACH (i, n) PUT(dx, i, dy[i] * scale);
}

/* Y(1): the row of the first largest. */
STRIP(max_rows_forward, 1, row_width(a->xs[0]))
{
    ag_real best[AG_PER_LANE], *y = Y(0) + c;
    int32_t at[AG_PER_LANE], *from = YI(1) + c;
    (void)o;
    strip_max(best, at, X(0), 0, a->xs[0].size[0], row_width(a->xs[0]), c, n);
    EACH (j, n) {
        y[j] = best[AT(j)];
        from[j] = at[AT(j)];
    }
}

ROW_OF_PUT(max_rows_backward, a->xs[0].size[0], row_width(a->xs[0]))
{
    const int n = row_width(a->xs[0]);
    const int32_t *from = YI(1);
    const ag_real *dy = DY(0);
    ag_real *dx = DX + r * n;
    EACH (i, n) PUT(dx, i, from[i] == (int32_t)r ? dy[i] : 0);
}

/* For a device, where there are few, long columns. */
AG_BOTH row_cut rows_cut(const ag_args *a) { return cut_of(NULL, 1, a->xs[0].size[0], 1); }

STRIP(sum_rows_pieces, cut_slots(rows_cut(a)), row_width(a->xs[0]))
{
    leave_sum(a->scratch, rows_cut(a), X(0), NULL, o, row_width(a->xs[0]), c, n);
}

TILE(sum_rows_join, 1, row_width(a->xs[0]), 0)
{
    const ag_real scale = a->attr.i[0] ? 1 / (ag_real)a->xs[0].size[0] : 1;
    ag_real sum[AG_PER_LANE], *y = Y(0) + c;
    (void)tile;
    join_sums(sum, rows_cut(a), a->scratch, o, row_width(a->xs[0]), c, n);
    TILE_ROWS(r, 1)
    EACH (j, n) y[j] = sum[AT(j)] * scale;
}

STRIP(max_rows_pieces, cut_slots(rows_cut(a)), row_width(a->xs[0]))
{
    leave_max(a->scratch, rows_cut(a), X(0), o, row_width(a->xs[0]), c, n);
}

TILE(max_rows_join, 1, row_width(a->xs[0]), MAX_TILE)
{
    ag_real best[AG_PER_LANE], *y = Y(0) + c;
    int32_t at[AG_PER_LANE], *from = YI(1) + c;
    join_max(best, at, rows_cut(a), a->scratch, o, row_width(a->xs[0]), c, n, tile);
    TILE_ROWS(r, 1)
    EACH (j, n) {
        y[j] = best[AT(j)];
        from[j] = at[AT(j)];
    }
}

/* ---- along the columns: a value per row ---- */

ROW_OF(sum_columns_forward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *x = X(0) + r * n;
    ag_real s;
    SUM(s, i, n, x[i]);
    if (LANE == 0) Y(0)[r] = a->attr.i[0] && n ? s / (ag_real)n : s;
}

ROW_OF_PUT(sum_columns_backward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real d = a->attr.i[0] ? DY(0)[r] / (ag_real)n : DY(0)[r];
    ag_real *dx = DX + r * n;
    EACH (i, n) PUT(dx, i, d);
}

enum { MAX_CHUNK = 4096 };

/* The first i in 0..n-1 with x[i] == m, or where m is NaN the first NaN; -1: none. It is found by
   MAXIMUM, in chunks so short that a float holds their indices exactly. */
KERNEL int32_t first_equal(const ag_real *x, int n, ag_real m)
{
    for (int from = 0; from < n; from += MAX_CHUNK) {
        const int left = n - from, size = left < MAX_CHUNK ? left : MAX_CHUNK;
        const ag_real *chunk = x + from;
        ag_real behind; /* distance of the first match from the end of the chunk */
        MAXIMUM(behind, 0, i, size,
                (chunk[i] == m) | ((m != m) & (chunk[i] != chunk[i])) ? (ag_real)(size - i) : 0);
        if (behind > 0) return from + size - (int)behind;
    }
    return -1;
}

/* Y(1): the column of the first largest. A NaN is larger than all. */
ROW_OF(max_columns_forward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *x = X(0) + r * n;
    ag_real m, strange;
    MAXIMUM(m, (ag_real)-INFINITY, i, n, x[i]);
    MAXIMUM(strange, 0, i, n, (ag_real)(x[i] != x[i]));
    if (strange > 0) m = (ag_real)NAN;
    const int32_t at = first_equal(x, n, m);
    if (LANE == 0) {
        Y(0)[r] = n ? m : 0;
        YI(1)[r] = at;
    }
}

ROW_OF_PUT(max_columns_backward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const int32_t at = YI(1)[r];
    const ag_real d = DY(0)[r];
    ag_real *dx = DX + r * n;
    EACH (i, n) PUT(dx, i, i == at ? d : 0);
}
