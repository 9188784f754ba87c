/* SPDX-License-Identifier: MIT */
/* Inputs: base [n,f], part [m,c,f], where [n]. */
#include "core/kernel.h"

/* The row of part that belongs to node v, or -1. */
AG_BOTH int64_t spread_row(const ag_args *a, int64_t v)
{
    const int32_t w = XI(2)[v];
    return w >= 0 && w < a->xs[1].size[0] ? w : -1;
}

ROW(spread_forward, (int64_t)a->xs[0].size[0] * a->xs[1].size[1])
{
    const int f = a->xs[0].size[1], configs = a->xs[1].size[1];
    const int64_t v = r / configs, w = spread_row(a, v);
    const ag_real *base = X(0) + v * f, *part = X(1) + (w * configs + r % configs) * f;
    ag_real *y = Y(0) + r * f;
    if (w >= 0)
        EACH (i, f) y[i] = base[i] + part[i];
    else
        EACH (i, f) y[i] = base[i];
}

STRIP_PUT(spread_backward_base, a->xs[0].size[0], a->xs[0].size[1])
{
    const int f = a->xs[0].size[1], configs = a->xs[1].size[1];
    const ag_real *dy = DY(0) + o * configs * f + c;
    ag_real *dx = DX + o * f + c;
    ag_real sum[AG_PER_LANE];
    EACH (j, n) sum[AT(j)] = 0;
    for (int k = 0; k < configs; k++)
        EACH (j, n) sum[AT(j)] += dy[k * f + j];
    EACH (j, n) PUT(dx, j, sum[AT(j)]);
}

/* Rows of part that no node names keep the zeros of the plan. */
ROW_PUT(spread_backward_part, a->xs[0].size[0])
{
    const int f = a->xs[0].size[1], configs = a->xs[1].size[1];
    const int64_t w = spread_row(a, r), row = (int64_t)configs * f;
    if (w < 0) return;
    for (int k = 0; k < configs; k++) {
        const ag_real *dy = DY(0) + r * row + (int64_t)k * f;
        ag_real *dx = DX + w * row + (int64_t)k * f;
        EACH (i, f) PUT(dx, i, dy[i]);
    }
}
