/* SPDX-License-Identifier: MIT */
/* The bias of linear; the product is core/gemm. */
#include "core/kernel.h"
#include "core/columns.h"

/* y += b, for linear on a device, where the product is a call of its own. */
ROW_OF(linear_bias, a->n_in < 3 ? 0 : ag__rows(a->ys[0]), ag__columns(a->ys[0]))
{
    const int f = ag__columns(a->ys[0]);
    const ag_real *b = X(2);
    ag_real *y = Y(0) + r * f;
    EACH (i, f) y[i] += b[i];
}

/* y = relu(y + b), for linear with a ReLU on a device, where the product is a call of its own. */
ROW_OF(linear_bias_relu, ag__rows(a->ys[0]), ag__columns(a->ys[0]))
{
    const int f = ag__columns(a->ys[0]);
    const ag_real *b = a->n_in < 3 ? NULL : X(2);
    ag_real *y = Y(0) + r * f;
    EACH (i, f) {
        const ag_real v = b ? y[i] + b[i] : y[i];
        y[i] = v < 0 ? 0 : v;
    }
}
