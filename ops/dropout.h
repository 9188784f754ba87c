/* SPDX-License-Identifier: MIT */
#include "ops/dropout_mask.h"

ELEMENTS(dropout_forward, ag__elements(a->ys[0]))
{
    (void)add;
    dropout_range(Y(0) + lo, X(0) + lo, a, a->base + lo, hi - lo, 0);
}

ELEMENTS(dropout_backward, ag__elements(a->ys[0]))
{
    dropout_range(DX + lo, DY(0) + lo, a, a->base + lo, hi - lo, add);
}
