/* SPDX-License-Identifier: MIT */
/* Rows of root mean square 1. Y(1): 1 / the root mean square of each row; attr.f[0]: epsilon. */
#include "core/kernel.h"

ROW(rms_norm_forward, ag__rows(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ x = X(0) + r * n;
    ag_real *__restrict__ y = Y(0) + r * n;
    ag_real s;
    (void)add;
    SUM(s, i, n, x[i] * x[i]);
    s = 1 / v_sqrt(s / (ag_real)(n ? n : 1) + (ag_real)a->attr.f[0]);
    EACH (i, n) y[i] = x[i] * s;
    if (LANE == 0) Y(1)[r] = s;
}

/* dx = s (dy - y <y, dy> / n) */
ROW(rms_norm_backward, ag__rows(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ y = Y(0) + r * n, *__restrict__ dy = DY(0) + r * n;
    const ag_real s = Y(1)[r];
    ag_real *__restrict__ dx = DX + r * n;
    ag_real dot;
    SUM(dot, i, n, y[i] * dy[i]);
    dot /= (ag_real)(n ? n : 1);
    EACH (i, n) PUT(dx, i, s * (dy[i] - y[i] * dot));
}
