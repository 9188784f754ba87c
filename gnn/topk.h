/* SPDX-License-Identifier: MIT */
/* Pooling by score. Inputs: x [n, ...]; p [f] (topk) or the scores before tanh [n] (sag_pool);
   starts; the starts of the nodes that stay. Outputs: y [k, ...]; score [n]; perm [k], the old
   number of each node that stays; place [n], each node's new number, or -1 if it was dropped. */
#include "core/kernel.h"
#include "gnn/pool_score.h"
#include "ops/first_axis.h"

KERNEL void pool_scale(ag_real *y, const ag_real *x, ag_real s, int f)
{
    EACH (i, f) y[i] = x[i] * s;
}

/* The gradient of tanh's argument of node v: through its score and, if the node stays, through
   y. */
KERNEL ag_real pool_slope(const ag_args *a, int64_t v, int f)
{
    const int j = YI(3)[v];
    const ag_real s = Y(1)[v];
    ag_real ds = 0;
    if (DY(0) && j >= 0) ds = pool_dot(DY(0) + (int64_t)j * f, X(0) + v * f, f);
    if (DY(1)) ds += DY(1)[v];
    return ds * (1 - s * s);
}

/* dx = s dy + t p; dy or p may be NULL, for 0. */
KERNEL void pool_row_back(ag_real *dx, const ag_real *dy, ag_real s, const ag_real *p, ag_real t,
                          int f, const int add)
{
    if (dy && p) {
        EACH (i, f) PUT(dx, i, s * dy[i] + t * p[i]);
    } else if (dy) {
        EACH (i, f) PUT(dx, i, s * dy[i]);
    } else if (p) {
        EACH (i, f) PUT(dx, i, t * p[i]);
    } else if (!add) {
        EACH (i, f) dx[i] = 0;
    }
}

/* The row of dy that belongs to node v; NULL: the node was dropped. */
KERNEL const ag_real *pool_dy(const ag_args *a, int64_t v, int f)
{
    const int j = YI(3)[v];
    return DY(0) && j >= 0 ? DY(0) + (int64_t)j * f : 0;
}

ROW_OF_PUT(sag_pool_backward_x, a->xs[0].size[0], row_width(a->xs[0]))
{
    const int f = row_width(a->xs[0]);
    pool_row_back(DX + r * f, pool_dy(a, r, f), Y(1)[r], 0, 0, f, add);
}

ROW_OF_PUT(sag_pool_backward_score, a->xs[0].size[0], row_width(a->xs[0]))
{
    const ag_real t = pool_slope(a, r, row_width(a->xs[0]));
    if (LANE == 0) PUT(DX, r, t);
}

/* ---- on a device ---- */

/* A kernel computes the scores, core/cuda chooses the nodes, and another kernel moves their rows.
 * Scratch of topk in backward: the sum of t x over all nodes [f], then t [n]. */

ROW_OF(topk_score, a->xs[0].size[0], row_width(a->xs[0]))
{
    const int f = row_width(a->xs[0]);
    const ag_real s = pool_dot(X(0) + r * f, X(1), f) * pool_unit(X(1), f);
    if (LANE == 0) Y(1)[r] = v_tanh(s);
}

ELEMENTS(sag_pool_score, a->xs[0].size[0])
{
    for (int64_t v = lo; v < hi; v++) Y(1)[v] = v_tanh(X(1)[v]);
}

ROW_OF(pool_keep, a->ys[0].size[0], row_width(a->xs[0]))
{
    const int f = row_width(a->xs[0]), v = YI(2)[r];
    pool_scale(Y(0) + r * f, X(0) + (int64_t)v * f, Y(1)[v], f);
}

ROW_OF_PUT(topk_row_back, a->xs[0].size[0], row_width(a->xs[0]))
{
    const int f = row_width(a->xs[0]);
    const ag_real *dy = pool_dy(a, r, f);
    const ag_real t = pool_slope(a, r, f) * pool_unit(X(1), f);
    const int scored = dy || DY(1);
    pool_row_back(DX + r * f, dy, Y(1)[r], scored ? X(1) : 0, t, f, add);
    if (LANE == 0) a->scratch[f + r] = scored ? t : 0;
}

/* dp = g - p <g, p> / |p|^2 with g the sum in scratch. */
ROW_PUT(topk_along_back, 1)
{
    const int f = row_width(a->xs[0]);
    const ag_real *g = a->scratch, unit = pool_unit(X(1), f);
    const ag_real along = pool_dot(g, X(1), f) * unit * unit;
    (void)r;
    EACH (i, f) PUT(DX, i, g[i] - X(1)[i] * along);
}
