/* SPDX-License-Identifier: MIT */
/* A ReLU, pooling by score, and a readout. The inputs are those of topk, with two axes for x. The
   outputs are those of topk, then the readout [graphs, 2f], and which row of y is the largest in
   each column [graphs, f]. */
#include "core/kernel.h"
#include "gnn/pool_score.h"
#include "ops/first_axis.h"
#include "ops/row_pieces.h"

/* Rectified rows are computed before they are summed: compilers do not vectorize a sum with
   conditions. */
KERNEL ag_real rectified(ag_real x) { return x < 0 ? 0 : x; }

KERNEL void rectify(ag_real *to, const ag_real *x, int f)
{
    ag_real *__restrict__ y = to;
    EACH (i, f) y[i] = rectified(x[i]);
}

/* strip_max and strip_sum of the same rows in one pass. */
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

/* For columns c..c+n-1 of one segment, rows lo..hi-1 of x: writes its rows y [2 width] and from
   [width]. */
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

/* Columns c..c+n-1 of the readout of graph g; n is at most AG_STRIP. */
KERNEL void read_columns(const ag_args *a, int64_t g, int c, int n)
{
    const int f = a->xs[0].size[1];
    strip_max_mean(Y(4) + g * 2 * f, YI(5) + g * f, Y(0), XI(3)[g], XI(3)[g + 1], f, c, n);
}

/* The gradient of row j of y, which belongs to graph g; 0 where x, its rectified row, is 0. */
KERNEL void row_gradient(ag_real *row, const ag_args *a, const ag_real *x, int64_t g, int j, int f)
{
    ag_real *__restrict__ to = row;
    const ag_real *dy = DY(0) ? DY(0) + (int64_t)j * f : 0;
    const ag_real *most = DY(4) ? DY(4) + g * 2 * f : 0, *mean = most ? most + f : 0;
    const int32_t *from = YI(5) + g * f;
    const ag_real share = 1 / (ag_real)(XI(3)[g + 1] - XI(3)[g]);
    if (most) {
        EACH (i, f) to[i] = (from[i] == j ? most[i] : 0) + mean[i] * share;
    } else {
        EACH (i, f) to[i] = 0;
    }
    if (dy)
        EACH (i, f) to[i] += dy[i];
    EACH (i, f) to[i] = x[i] > 0 ? to[i] : 0;
}

/* dx = s dy + t p where x is above 0; there t x is added to the part of dp. */
KERNEL void rectified_back(ag_real *to, ag_real *sum, const ag_real *x, const ag_real *dy,
                           const ag_real *p, ag_real s, ag_real t, int f, const int add)
{
    ag_real *__restrict__ dx = to, *__restrict__ part = sum;
    EACH (i, f) {
        const ag_real through = s * dy[i] + t * p[i];
        PUT(dx, i, x[i] > 0 ? through : 0);
        part[i] += t * rectified(x[i]);
    }
}

/* dx of node v of graph g, and what it adds to this part of dp; dy is scratch. */
KERNEL void node_back(ag_real *part, ag_real *dy, const ag_args *a, int64_t g, int64_t v,
                      ag_real unit, int f, const int add)
{
    const ag_real *x = X(0) + v * f, s = Y(1)[v];
    const int j = YI(3)[v];
    ag_real ds = 0;
    if (j < 0 && !DY(1)) {
        EACH (i, f) PUT(DX + v * f, i, 0);
        return;
    }
    if (j >= 0) {
        row_gradient(dy, a, x, g, j, f);
        SUM(ds, i, f, dy[i] * x[i]);
    } else {
        EACH (i, f) dy[i] = 0;
    }
    if (DY(1)) ds += DY(1)[v];
    rectified_back(DX + v * f, part, x, dy, X(1), j >= 0 ? s : 0, ds * (1 - s * s) * unit, f, add);
}

/* ---- on a device ---- */

/* The nodes are chosen as for topk. Scratch in backward: the sum of the parts of dp [f], then for
 * each node its part of dp and the gradient of its row of y, [n,f] each. */

ROW(relu_topk_score, a->xs[0].size[0])
{
    const int f = a->xs[0].size[1];
    const ag_real *x = X(0) + r * f, *p = X(1), unit = pool_unit(p, f);
    ag_real s;
    SUM(s, i, f, rectified(x[i]) * p[i]);
    if (LANE == 0) Y(1)[r] = v_tanh(s * unit);
}

ROW(relu_topk_keep, a->ys[0].size[0])
{
    const int f = a->xs[0].size[1], v = YI(2)[r];
    const ag_real *x = X(0) + (int64_t)v * f, s = Y(1)[v];
    EACH (i, f) Y(0)[r * f + i] = rectified(x[i]) * s;
}

STRIP(relu_topk_read, a->ys[4].size[0], a->xs[0].size[1]) { read_columns(a, o, c, n); }

ROW_PUT(relu_topk_row_back, a->xs[0].size[0])
{
    const int f = a->xs[0].size[1], nodes = a->xs[0].size[0];
    const int64_t g = cut_segment(cut_of(XI(2), a->xs[2].size[0] - 1, nodes, 0), r);
    ag_real *part = a->scratch + f + r * f, *dy = part + (int64_t)nodes * f;
    EACH (i, f) part[i] = 0;
    node_back(part, dy, a, g, r, pool_unit(X(1), f), f, add);
}
