/* SPDX-License-Identifier: MIT */
/* Rows picked by an index, and sums into rows named by one. A sum has one unit per destination and
   strip of columns: the inverse of the index (core/inverse.h) lists the rows that go there. */
#include "core/inverse.h"
#include "core/kernel.h"
#include "ops/strip.h"

/* The inverse of an index stands in scratch as int32: n + 1 starts, then the order. */
AG_BOTH int32_t *inverse_starts(const ag_args *a) { return (int32_t *)(void *)a->scratch; }
AG_BOTH int64_t inverse_scratch(int64_t n, int64_t count)
{
    const int64_t bytes = (n + 1 + count) * (int64_t)sizeof(int32_t);
    return (bytes + (int64_t)sizeof(ag_real) - 1) / (int64_t)sizeof(ag_real);
}

/* to[r,:] = from[index[r],:], zeros where from [n, ...] has no such row. */
KERNEL void gather_row(ag_real *to, const ag_real *from, const int32_t *index, int n, int width,
                       int64_t r, const int add)
{
    const int32_t v = index[r];
    const ag_real *row = from + (int64_t)v * width;
    to += r * width;
    if (v >= 0 && v < n) {
        EACH (i, width) PUT(to, i, row[i]);
    } else if (!add) {
        EACH (i, width) to[i] = 0;
    }
}

/* to[v,c..c+n-1] = sum of the rows of `from` that the inverse lists for v, in their order. */
KERNEL void scatter_strip(ag_real *to, const ag_real *from, const int32_t *starts, int rows,
                          int width, int64_t v, int c, int n, const int add)
{
    const int32_t *order = starts + rows + 1;
    ag_real sum[AG_PER_LANE];
    strip_sum(sum, from, order, starts[v], starts[v + 1], width, c, n);
    to += v * width + c;
    EACH (j, n) PUT(to, j, sum[AT(j)]);
}

ROW(gather_forward, a->xs[1].size[0])
{
    (void)add;
    gather_row(Y(0), X(0), XI(1), a->xs[0].size[0], row_width(a->xs[0]), r, 0);
}

STRIP(gather_backward, a->xs[0].size[0], row_width(a->xs[0]))
{
    scatter_strip(DX, DY(0), inverse_starts(a), a->xs[0].size[0], row_width(a->xs[0]), o, c, n,
                  add);
}

STRIP(scatter_sum_forward, a->ys[0].size[0], row_width(a->ys[0]))
{
    (void)add;
    scatter_strip(Y(0), X(0), inverse_starts(a), a->ys[0].size[0], row_width(a->ys[0]), o, c, n, 0);
}

ROW(scatter_sum_backward, a->xs[1].size[0])
{
    gather_row(DX, DY(0), XI(1), a->ys[0].size[0], row_width(a->ys[0]), r, add);
}
