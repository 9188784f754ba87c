/* SPDX-License-Identifier: MIT */
/* Gradients of weights, from the sums that pieces of the rows have computed. */
#ifndef AG_OPS_GRADIENT_PIECES_H
#define AG_OPS_GRADIENT_PIECES_H

#include "core/kernel.h"

/* The gradient of `which`, n elements: the sum over the pieces, in order. A piece's sums are
   `apart` elements after the previous piece's. */
static inline void add_pieces(const ag_args *a, const ag_real *sums, int pieces, int64_t apart,
                              int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        ag_real d = a->add ? DX[i] : 0;
        for (int p = 0; p < pieces; p++) d += sums[p * apart + i];
        DX[i] = d;
    }
}

#endif
