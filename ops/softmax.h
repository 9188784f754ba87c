/* SPDX-License-Identifier: MIT */
/* Softmax over the last axis. The largest element is subtracted first, so that no exponential
   overflows. */
#include "core/kernel.h"

ROW_OF(softmax_forward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ x = X(0) + r * n;
    ag_real *__restrict__ y = Y(0) + r * n;
    ag_real m, s;
    MAXIMUM(m, (ag_real)-INFINITY, i, n, x[i]);
    EACH (i, n) y[i] = v_exp(x[i] - m);
    SUM(s, i, n, y[i]);
    EACH (i, n) y[i] /= s;
}

ROW_OF_PUT(softmax_backward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ y = Y(0) + r * n, *__restrict__ dy = DY(0) + r * n;
    ag_real *__restrict__ dx = DX + r * n;
    ag_real s;
    SUM(s, i, n, y[i] * dy[i]);
    EACH (i, n) PUT(dx, i, y[i] * (dy[i] - s));
}

ROW_OF(log_softmax_forward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ x = X(0) + r * n;
    ag_real *__restrict__ y = Y(0) + r * n;
    ag_real m, s;
    MAXIMUM(m, (ag_real)-INFINITY, i, n, x[i]);
    SUM(s, i, n, v_exp(x[i] - m));
    s = v_log(s);
    EACH (i, n) y[i] = x[i] - m - s;
}

ROW_OF_PUT(log_softmax_backward, ag__rows(a->xs[0]), ag__columns(a->xs[0]))
{
    const int n = ag__columns(a->xs[0]);
    const ag_real *__restrict__ y = Y(0) + r * n, *__restrict__ dy = DY(0) + r * n;
    ag_real *__restrict__ dx = DX + r * n;
    ag_real s;
    SUM(s, i, n, dy[i]);
    EACH (i, n) PUT(dx, i, dy[i] - v_exp(y[i]) * s);
}
