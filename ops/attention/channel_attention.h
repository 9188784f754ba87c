/* SPDX-License-Identifier: MIT */
/* Channel attention on a device: the kernels between its products. */
#include "ops/attention/channel_rows.h"

/* Scratch: the gradient of the gate's argument [rows,f], then that of the hidden values [rows,r].
 */
ROW_OF(channel_squeeze, ag__rows(a->ys[1]), ag__columns(a->ys[1]))
{
    const int n = ag__columns(a->ys[1]);
    squeeze_rows(Y(1) + r * n, X(2), 1, n);
}
ROW(channel_gate, ag__rows(a->ys[0]))
{
    const int f = ag__columns(a->ys[0]);
    gate_rows(Y(0) + r * f, X(0) + r * f, X(4), 1, f);
}
ROW_PUT(channel_gate_back, ag__rows(a->ys[0]))
{
    const int f = ag__columns(a->ys[0]);
    gate_gradient(a->scratch + r * f, DX + r * f, X(0) + r * f, DY(0) + r * f, X(4), 1, f, add);
}
ROW_OF(channel_squeeze_back, ag__rows(a->ys[1]), ag__columns(a->ys[1]))
{
    const int n = ag__columns(a->ys[1]);
    const ag_real *h = (const ag_real *)a->y[1] + r * n;
    ag_real *dh = a->scratch + ag__elements(a->ys[0]) + r * n;
    EACH (j, n) dh[j] = h[j] > 0 ? dh[j] : 0;
}
