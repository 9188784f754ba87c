/* SPDX-License-Identifier: MIT */
/* Reductions: over all elements, down the first axis, along the last. */
#include "core/kernel.h"

/* ---- over all: rows of ALL_ROW elements are summed into scratch, then the scratch in order
 * ---------- */

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
    (void)add;
    SUM(s, i, left < ALL_ROW ? (int)left : ALL_ROW, x[i]);
    if (LANE == 0) a->scratch[r] = s;
}

/* attr.i[0]: 1 divides by the number of elements. */
ROW(sum_all_total, 1)
{
    const int64_t n = ag__elements(a->xs[0]);
    const ag_real *parts = a->scratch;
    ag_real s;
    (void)add, (void)r;
    SUM(s, i, (int)reduce_all_rows(a), parts[i]);
    if (LANE == 0) Y(0)[0] = a->attr.i[0] && n ? s / (ag_real)n : s;
}

ELEMENTS(sum_all_backward, ag__elements(a->xs[0]))
{
    const ag_real d = a->attr.i[0] ? DY(0)[0] / (ag_real)ag__elements(a->xs[0]) : DY(0)[0];
    for (int64_t i = lo; i < hi; i++) PUT(DX, i, d);
}
