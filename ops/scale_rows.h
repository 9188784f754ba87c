/* SPDX-License-Identifier: MIT */
/* Products of a matrix with one factor per column or per row, and sums with a term per column. */
#include "core/columns.h"
#include "core/kernel.h"

KERNEL void mul_columns_row(ag_real *to, const ag_real *from, const ag_real *s, int n,
                            const int add)
{
    EACH (i, n) PUT(to, i, from[i] * s[i]);
}

KERNEL void mul_rows_row(ag_real *to, const ag_real *from, ag_real s, int n, const int add)
{
    EACH (i, n) PUT(to, i, from[i] * s);
}

ROW_OF(mul_columns_forward, ag__rows(a->ys[0]), ag__columns(a->ys[0]))
{
    const int n = ag__columns(a->ys[0]);
    mul_columns_row(Y(0) + r * n, X(0) + r * n, X(1), n, 0);
}

ROW_OF_PUT(mul_columns_backward_x, ag__rows(a->ys[0]), ag__columns(a->ys[0]))
{
    const int n = ag__columns(a->ys[0]);
    mul_columns_row(DX + r * n, DY(0) + r * n, X(1), n, add);
}

ROW_OF(mul_rows_forward, ag__rows(a->ys[0]), ag__columns(a->ys[0]))
{
    const int n = ag__columns(a->ys[0]);
    mul_rows_row(Y(0) + r * n, X(0) + r * n, X(1)[r], n, 0);
}

ROW_OF_PUT(mul_rows_backward_x, ag__rows(a->ys[0]), ag__columns(a->ys[0]))
{
    const int n = ag__columns(a->ys[0]);
    mul_rows_row(DX + r * n, DY(0) + r * n, X(1)[r], n, add);
}

ROW_OF_PUT(mul_rows_backward_s, ag__rows(a->ys[0]), ag__columns(a->ys[0]))
{
    const int n = ag__columns(a->ys[0]);
    const ag_real *dy = DY(0) + r * n, *x = X(0) + r * n;
    ag_real s;
    SUM(s, i, n, dy[i] * x[i]);
    if (LANE == 0) PUT(DX, r, s);
}

ROW_OF(add_bias_forward, ag__rows(a->ys[0]), ag__columns(a->ys[0]))
{
    const int f = ag__columns(a->ys[0]);
    const ag_real *x = X(0) + r * f, *b = X(1);
    ag_real *y = Y(0) + r * f;
    EACH (i, f) y[i] = x[i] + b[i];
}

ROW_OF_PUT(add_bias_backward_x, ag__rows(a->ys[0]), ag__columns(a->ys[0]))
{
    const int f = ag__columns(a->ys[0]);
    const ag_real *dy = DY(0) + r * f;
    ag_real *dx = DX + r * f;
    EACH (i, f) PUT(dx, i, dy[i]);
}
