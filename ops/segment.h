/* SPDX-License-Identifier: MIT */
/* Reductions of the rows of each segment. */
#include "core/kernel.h"
#include "ops/segment_pieces.h"

/* Without starts, all rows are one segment. */
AG_BOTH int segment_count(const ag_args *a) { return a->n_in > 1 ? a->xs[1].size[0] - 1 : 1; }
AG_BOTH row_cut segment_cut(const ag_args *a)
{
    return cut_of(XI(1), segment_count(a), a->xs[0].size[0], a->n_in < 2);
}
AG_BOTH int segment_start(const ag_args *a, int64_t g) { return cut_start(segment_cut(a), g); }
AG_BOTH int32_t segment_of(const ag_args *a, int64_t r)
{
    return a->n_in > 1 ? (int32_t)cut_segment(segment_cut(a), r) : 0;
}

/* The factor of segment g: 1 / its number of rows where attr.i[0] is 1, else 1. */
AG_BOTH ag_real segment_scale(const ag_args *a, int64_t g)
{
    const int32_t rows = segment_start(a, g + 1) - segment_start(a, g);
    return a->attr.i[0] && rows > 0 ? 1 / (ag_real)rows : 1;
}

STRIP(segment_sum_forward, segment_count(a), row_width(a->xs[0]))
{
    const int width = row_width(a->xs[0]);
    const ag_real scale = segment_scale(a, o);
    ag_real sum[AG_PER_LANE], *y = Y(0) + o * width + c;
    strip_sum(sum, X(0), NULL, NULL, segment_start(a, o), segment_start(a, o + 1), width, c, n);
    EACH (j, n) y[j] = sum[AT(j)] * scale;
}

ROW_OF_PUT(segment_sum_backward, a->xs[0].size[0], row_width(a->xs[0]))
{
    const int n = row_width(a->xs[0]);
    const int32_t g = segment_of(a, r);
    const ag_real scale = g >= 0 ? segment_scale(a, g) : 0;
    const ag_real *dy = DY(0) + (int64_t)g * n;
    ag_real *dx = DX + r * n;
    if (g >= 0) {
        EACH (i, n) PUT(dx, i, dy[i] * scale);
    } else if (!add) {
        EACH (i, n) dx[i] = 0;
    }
}

/* Y(1): the row of the first largest. */
STRIP(segment_max_forward, segment_count(a), row_width(a->xs[0]))
{
    const int width = row_width(a->xs[0]);
    ag_real best[AG_PER_LANE], *y = Y(0) + o * width + c;
    int32_t at[AG_PER_LANE], *from = YI(1) + o * width + c;
    strip_max(best, at, X(0), segment_start(a, o), segment_start(a, o + 1), width, c, n);
    EACH (j, n) {
        y[j] = best[AT(j)];
        from[j] = at[AT(j)];
    }
}

ROW_OF_PUT(segment_max_backward, a->xs[0].size[0], row_width(a->xs[0]))
{
    const int n = row_width(a->xs[0]);
    const int32_t g = segment_of(a, r), *from = YI(1) + (int64_t)g * n;
    const ag_real *dy = DY(0) + (int64_t)g * n;
    ag_real *dx = DX + r * n;
    if (g >= 0) {
        EACH (i, n) PUT(dx, i, from[i] == (int32_t)r ? dy[i] : 0);
    } else if (!add) {
        EACH (i, n) dx[i] = 0;
    }
}

/* ---- ln of the sum of e^x; the largest x is subtracted, so that no power overflows ---- */

/* y for a single column, where rows are adjacent and lanes divide them. */
KERNEL ag_real log_sum_exp(const ag_real *__restrict__ x, int n)
{
    ag_real most, sum;
    MAXIMUM(most, (ag_real)-INFINITY, i, n, x[i]);
    SUM(sum, i, n, v_exp(x[i] - most));
    return n > 0 ? most + v_log(sum) : 0;
}

STRIP(segment_log_sum_exp_forward, a->ys[0].size[0], row_width(a->xs[0]))
{
    const int width = row_width(a->xs[0]);
    const int lo = segment_start(a, o), hi = segment_start(a, o + 1);
    ag_real most[AG_PER_LANE], *y = Y(0) + o * width + c;
    int32_t at[AG_PER_LANE];
    if (width == 1) {
        const ag_real of_column = log_sum_exp(X(0) + lo, hi - lo);
        if (LANE == 0) *y = of_column;
    } else {
        IN_ROOM(sum, 0);
        strip_max(most, at, X(0), lo, hi, width, c, n);
        strip_sum(sum, X(0), NULL, most, lo, hi, width, c, n);
        EACH (j, n) y[j] = lo < hi ? most[AT(j)] + v_log(sum[AT(j)]) : 0;
    }
}

/* dx = dy e^(x - y) of elements lo..hi-1, all in one segment; y and dy are its rows. */
KERNEL void log_sum_exp_slopes(ag_real *__restrict__ dx, const ag_real *__restrict__ x,
                               const ag_real *__restrict__ y, const ag_real *__restrict__ dy,
                               int64_t lo, int64_t hi, int width, const int add)
{
    if (width == 1) {
        for (int64_t i = lo; i < hi; i++) PUT(dx, i, dy[0] * v_exp(x[i] - y[0]));
        return;
    }
    for (int64_t i = lo; i < hi;) {
        const int64_t row = i - i % width, end = row + width < hi ? row + width : hi;
        for (; i < end; i++) PUT(dx, i, dy[i - row] * v_exp(x[i] - y[i - row]));
    }
}

ELEMENTS_PUT(segment_log_sum_exp_backward, ag__elements(a->xs[0]))
{
    const int64_t width = row_width(a->xs[0]);
    for (int64_t i = lo, end; i < hi; i = end) {
        const int64_t r = i / width;
        const int32_t g = segment_of(a, r);
        end = width * (g >= 0 ? segment_start(a, g + 1) : r + 1);
        if (end > hi) end = hi;
        if (g >= 0)
            log_sum_exp_slopes(DX, X(0), Y(0) + g * width, DY(0) + g * width, i, end, (int)width,
                               add);
        else if (!add)
            for (int64_t k = i; k < end; k++) DX[k] = 0;
    }
}

/* ---- on a device, where there are few, long segments ---- */

STRIP(segment_sum_pieces, cut_slots(segment_cut(a)), row_width(a->xs[0]))
{
    leave_sum(a->scratch, segment_cut(a), X(0), NULL, o, row_width(a->xs[0]), c, n);
}

TILE(segment_sum_join, segment_count(a), row_width(a->xs[0]), 0)
{
    const int width = row_width(a->xs[0]);
    const ag_real scale = segment_scale(a, o);
    ag_real sum[AG_PER_LANE], *y = Y(0) + o * width + c;
    (void)tile;
    join_sums(sum, segment_cut(a), a->scratch, o, width, c, n);
    TILE_ROWS(r, 1)
    EACH (j, n) y[j] = sum[AT(j)] * scale;
}

STRIP(segment_max_pieces, cut_slots(segment_cut(a)), row_width(a->xs[0]))
{
    leave_max(a->scratch, segment_cut(a), X(0), o, row_width(a->xs[0]), c, n);
}

TILE(segment_max_join, segment_count(a), row_width(a->xs[0]), MAX_TILE)
{
    const int width = row_width(a->xs[0]);
    ag_real best[AG_PER_LANE], *y = Y(0) + o * width + c;
    int32_t at[AG_PER_LANE], *from = YI(1) + o * width + c;
    join_max(best, at, segment_cut(a), a->scratch, o, width, c, n, tile);
    TILE_ROWS(r, 1)
    EACH (j, n) {
        y[j] = best[AT(j)];
        from[j] = at[AT(j)];
    }
}
