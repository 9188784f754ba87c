/* SPDX-License-Identifier: MIT */
/* The elementwise parts of channel attention, for all ops that contain it; core/gemm computes the
   products. */
#ifndef AG_OPS_CHANNEL_ROWS_H
#define AG_OPS_CHANNEL_ROWS_H

#include "core/channel.h"
#include "core/kernel.h"

/* h = max(0, h + b), rows of r. */
KERNEL void squeeze_rows(ag_real *h, const ag_real *b, int64_t rows, int r)
{
    for (int64_t i = 0; i < rows; i++)
        EACH (j, r) h[i * r + j] = ag__squeezed(h[i * r + j] + b[j]);
}

/* y holds h w2' and becomes x sigmoid(y + b). */
KERNEL void gate_rows(ag_real *__restrict__ y, const ag_real *__restrict__ x,
                      const ag_real *__restrict__ b, int64_t rows, int f)
{
    for (int64_t i = 0; i < rows; i++)
        EACH (j, f) y[i * f + j] = ag__gated(x[i * f + j], y[i * f + j] + b[j]);
}

/* pre holds h w2' and becomes its gradient dy x g (1 - g), where g is the gate; dx gets dy g. */
KERNEL void gate_gradient(ag_real *__restrict__ pre, ag_real *__restrict__ dx,
                          const ag_real *__restrict__ x, const ag_real *__restrict__ dy,
                          const ag_real *__restrict__ b, int64_t rows, int f, const int add)
{
    for (int64_t i = 0; i < rows; i++)
        EACH (j, f) {
            const int64_t e = i * f + j;
            ag_real dv;
            const ag_real d = ag__gate_back(&dv, x[e], dy[e], pre[e] + b[j]);
            PUT(dx, e, d);
            pre[e] = dv;
        }
}

/* dh = 0 where the hidden value is 0; sum += column sums of dh. */
KERNEL void squeeze_gradient(ag_real *dh, ag_real *sum, const ag_real *h, int64_t rows, int r)
{
    for (int64_t i = 0; i < rows; i++)
        EACH (j, r) {
            const ag_real d = h[i * r + j] > 0 ? dh[i * r + j] : 0;
            dh[i * r + j] = d;
            sum[j] += d;
        }
}

#endif
