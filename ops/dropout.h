/* SPDX-License-Identifier: MIT */
/* Dropout: the gradient draws the same mask again. */
#include "ops/dropout_mask.h"

ELEMENTWISE(dropout_forward, AG_READS_X)
{
    (void)add;
    dropout_range(Y(0) + lo, X(0) + lo, a, NUMBER(lo), hi - lo, 0);
}

ELEMENTWISE(dropout_backward, AG_READS_DY)
{
    dropout_range(DX + lo, DY(0) + lo, a, NUMBER(lo), hi - lo, add);
}
