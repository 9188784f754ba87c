/* SPDX-License-Identifier: MIT */
/* Largest and mean of the rows of each segment side by side, in one pass. Inputs: x [n,f], starts;
   Y(1): the row of the first largest. Starts outside of the rows are taken as the nearest end. */
#include "core/kernel.h"
#include "ops/segment_of.h"
#include "ops/segment_pieces.h"

/* As strip_max and strip_sum, of the same rows at once. */
KERNEL void strip_max_sum(ag_real *best, int32_t *at, ag_real *sum, const ag_real *x, int64_t lo,
                          int64_t hi, int width, int c, int n)
{
    EACH (j, n) {
        best[AT(j)] = lo < hi ? x[lo * width + c + j] : 0;
        at[AT(j)] = lo < hi ? (int32_t)lo : -1;
        sum[AT(j)] = 0;
    }
    for (int64_t group = lo; group < hi; group += ROW_GROUP) {
        const int64_t end = group + ROW_GROUP < hi ? group + ROW_GROUP : hi;
        ag_real part[AG_PER_LANE];
        EACH (j, n) part[AT(j)] = 0;
        for (int64_t r = group; r < end; r++) {
            const ag_real *row = x + r * width + c;
            EACH (j, n) {
                const ag_real v = row[j];
                const int better = (v > best[AT(j)]) | ((v != v) & (best[AT(j)] == best[AT(j)]));
                best[AT(j)] = better ? v : best[AT(j)];
                at[AT(j)] = better ? (int32_t)r : at[AT(j)];
                part[AT(j)] += v;
            }
        }
        EACH (j, n) sum[AT(j)] += part[AT(j)];
    }
}

/* Columns c..c+n-1 of one segment, rows lo..hi-1 of x: its rows y [2 width] and from [width]. */
KERNEL void strip_max_mean(ag_real *y, int32_t *from, const ag_real *x, int64_t lo, int64_t hi,
                           int width, int c, int n)
{
    const ag_real scale = hi > lo ? 1 / (ag_real)(hi - lo) : 0;
    ag_real best[AG_PER_LANE];
    int32_t at[AG_PER_LANE];
    IN_ROOM(sum, 0);
    strip_max_sum(best, at, sum, x, lo, hi, width, c, n);
    EACH (j, n) {
        y[c + j] = best[AT(j)];
        y[width + c + j] = sum[AT(j)] * scale;
        from[c + j] = at[AT(j)];
    }
}

STRIP(segment_max_mean_forward, a->ys[0].size[0], ag__columns(a->xs[0]))
{
    const int width = ag__columns(a->xs[0]);
    (void)add;
    strip_max_mean(Y(0) + o * 2 * width, YI(1) + o * width, X(0), segment_start(a, o),
                   segment_start(a, o + 1), width, c, n);
}

ROW_OF(segment_max_mean_backward, a->xs[0].size[0], ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const int32_t g = segment_of(a, r), *from = YI(1) + (int64_t)g * n;
    const ag_real *dy = DY(0) + (int64_t)g * 2 * n, *mean = dy + n;
    ag_real *dx = DX + r * n;
    if (g >= 0) {
        const ag_real scale = 1 / (ag_real)(segment_start(a, g + 1) - segment_start(a, g));
        EACH (i, n) PUT(dx, i, (from[i] == (int32_t)r ? dy[i] : 0) + mean[i] * scale);
    } else if (!add) {
        EACH (i, n) dx[i] = 0;
    }
}

/* ---- on a device ---- */

/* For few segments that are long. Scratch: maxima, their rows, sums, of all slots each. */

AG_BOTH row_cut max_mean_cut(const ag_args *a)
{
    return cut_of(XI(1), a->ys[0].size[0], a->xs[0].size[0], 0);
}
AG_BOTH ag_real *max_mean_sums(const ag_args *a)
{
    return a->scratch + pieces_scratch(max_mean_cut(a), 2, ag__columns(a->xs[0]));
}

STRIP(segment_max_mean_pieces, cut_slots(max_mean_cut(a)), ag__columns(a->xs[0]))
{
    const int width = ag__columns(a->xs[0]);
    (void)add;
    leave_max(a->scratch, max_mean_sums(a), max_mean_cut(a), X(0), o, width, c, n);
}

TILE(segment_max_mean_join, a->ys[0].size[0], ag__columns(a->xs[0]), MAX_TILE)
{
    const int width = ag__columns(a->xs[0]);
    const int rows = segment_start(a, o + 1) - segment_start(a, o);
    const ag_real scale = rows > 0 ? 1 / (ag_real)rows : 0;
    ag_real best[AG_PER_LANE], sum[AG_PER_LANE], *y = Y(0) + o * 2 * width + c;
    int32_t at[AG_PER_LANE], *from = YI(1) + o * width + c;
    (void)add;
    join_max(best, at, max_mean_cut(a), a->scratch, o, width, c, n, tile);
    join_sums(sum, max_mean_cut(a), max_mean_sums(a), o, width, c, n);
    TILE_ROWS(r, 1)
    EACH (j, n) {
        y[j] = best[AT(j)];
        y[width + j] = sum[AT(j)] * scale;
        from[j] = at[AT(j)];
    }
}
