/* SPDX-License-Identifier: MIT */
/* Rows of length 1. Y(1): the length of each row of x; attr.f[0]: epsilon. */
#include "core/kernel.h"

ROW_OF(l2_norm_forward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ x = X(0) + r * n;
    const ag_real epsilon = (ag_real)a->attr.f[0];
    ag_real *__restrict__ y = Y(0) + r * n;
    ag_real s;
    SUM(s, i, n, x[i] * x[i]);
    const ag_real length = v_sqrt(s), d = length < epsilon ? epsilon : length;
    EACH (i, n) y[i] = x[i] / d;
    if (LANE == 0) Y(1)[r] = length;
}

/* dx = (dy - y <y, dy>) / length; where epsilon replaced the length, dx = dy / epsilon. */
ROW_OF_PUT(l2_norm_backward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ y = Y(0) + r * n, *__restrict__ dy = DY(0) + r * n;
    const ag_real epsilon = (ag_real)a->attr.f[0], length = Y(1)[r];
    const ag_real d = length < epsilon ? epsilon : length;
    ag_real *__restrict__ dx = DX + r * n;
    ag_real s;
    SUM(s, i, n, y[i] * dy[i]);
    if (length < epsilon) s = 0;
    EACH (i, n) PUT(dx, i, (dy[i] - y[i] * s) / d);
}
