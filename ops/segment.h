/* SPDX-License-Identifier: MIT */
/* Reductions of the rows of each segment: rows starts[g]..starts[g+1]-1. Starts outside of the rows
   of x are taken as the nearest end, so that bad ones read nothing else. */
#include "core/kernel.h"
#include "ops/strip.h"

AG_BOTH int32_t segment_start(const ag_args *a, int64_t g)
{
    const int32_t start = XI(1)[g];
    return start < 0 ? 0 : start < a->xs[0].size[0] ? start : a->xs[0].size[0];
}

/* attr.i[0] == 1: 1 / number of rows of segment g. */
AG_BOTH ag_real segment_scale(const ag_args *a, int64_t g)
{
    const int32_t rows = segment_start(a, g + 1) - segment_start(a, g);
    return a->attr.i[0] && rows > 0 ? 1 / (ag_real)rows : 1;
}

/* The segment that holds row r: the last that starts at r or before, if it ends behind r; else -1.
 */
AG_BOTH int32_t segment_of(const ag_args *a, int64_t r)
{
    int32_t lo = -1, hi = a->xs[1].size[0] - 1; /* starts[lo] <= r < starts[hi], if both exist */
    const int32_t segments = hi;
    while (hi - lo > 1) {
        const int32_t middle = lo + (hi - lo) / 2;
        if (segment_start(a, middle) <= r)
            lo = middle;
        else
            hi = middle;
    }
    return lo >= 0 && lo < segments && r < segment_start(a, lo + 1) ? lo : -1;
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

ROW(segment_sum_backward, a->xs[0].size[0])
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

ROW(segment_max_backward, a->xs[0].size[0])
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
