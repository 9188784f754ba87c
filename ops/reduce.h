/* SPDX-License-Identifier: MIT */
/* Reductions: over all elements and along the last axis; segment.h has those down the first.
   attr.i[0]: 1 divides by the number of elements that were summed. */
#include "core/kernel.h"

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
