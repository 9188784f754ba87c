/* SPDX-License-Identifier: MIT */
/* Reductions of the rows of each segment. */
#include "core/kernel.h"
#include "ops/segment_of.h"
#include "ops/strip_pieces.h"

/* attr.i[0] == 1: 1 / number of rows of segment g. */
AG_BOTH ag_real segment_scale(const ag_args *a, int64_t g)
{
    const int32_t rows = segment_start(a, g + 1) - segment_start(a, g);
    return a->attr.i[0] && rows > 0 ? 1 / (ag_real)rows : 1;
}

STRIP(segment_sum_forward, a->ys[0].size[0], row_width(a->xs[0]))
{
    const int width = row_width(a->xs[0]);
    const ag_real scale = segment_scale(a, o);
    ag_real sum[AG_PER_LANE], *y = Y(0) + o * width + c;
    (void)add;
    strip_sum(sum, X(0), NULL, segment_start(a, o), segment_start(a, o + 1), width, c, n);
    EACH (j, n) y[j] = sum[AT(j)] * scale;
}

ROW_OF(segment_sum_backward, a->xs[0].size[0], row_width(a->xs[0]))
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
STRIP(segment_max_forward, a->ys[0].size[0], row_width(a->xs[0]))
{
    const int width = row_width(a->xs[0]);
    ag_real best[AG_PER_LANE], *y = Y(0) + o * width + c;
    int32_t at[AG_PER_LANE], *from = YI(1) + o * width + c;
    (void)add;
    strip_max(best, at, X(0), segment_start(a, o), segment_start(a, o + 1), width, c, n);
    EACH (j, n) {
        y[j] = best[AT(j)];
        from[j] = at[AT(j)];
    }
}

ROW_OF(segment_max_backward, a->xs[0].size[0], row_width(a->xs[0]))
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

/* ---- on a device, where few segments are long ---- */

AG_BOTH row_cut segment_cut(const ag_args *a)
{
    return cut_of(XI(1), a->ys[0].size[0], a->xs[0].size[0], 0);
}

STRIP(segment_sum_pieces, cut_slots(segment_cut(a)), row_width(a->xs[0]))
{
    (void)add;
    leave_sum(a->scratch, segment_cut(a), X(0), NULL, o, row_width(a->xs[0]), c, n);
}

TILE(segment_sum_join, a->ys[0].size[0], row_width(a->xs[0]), 0)
{
    const int width = row_width(a->xs[0]);
    const ag_real scale = segment_scale(a, o);
    ag_real sum[AG_PER_LANE], *y = Y(0) + o * width + c;
    (void)tile, (void)add;
    join_sums(sum, segment_cut(a), a->scratch, o, width, c, n);
    TILE_ROWS(r, 1)
    EACH (j, n) y[j] = sum[AT(j)] * scale;
}

STRIP(segment_max_pieces, cut_slots(segment_cut(a)), row_width(a->xs[0]))
{
    (void)add;
    leave_max(a->scratch, NULL, segment_cut(a), X(0), o, row_width(a->xs[0]), c, n);
}

TILE(segment_max_join, a->ys[0].size[0], row_width(a->xs[0]), MAX_TILE)
{
    const int width = row_width(a->xs[0]);
    ag_real best[AG_PER_LANE], *y = Y(0) + o * width + c;
    int32_t at[AG_PER_LANE], *from = YI(1) + o * width + c;
    (void)add;
    join_max(best, at, segment_cut(a), a->scratch, o, width, c, n, tile);
    TILE_ROWS(r, 1)
    EACH (j, n) {
        y[j] = best[AT(j)];
        from[j] = at[AT(j)];
    }
}
