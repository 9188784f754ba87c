/* SPDX-License-Identifier: MIT */
/* Row k of x [h,d] is in columns k d .. (k+1) d - 1 of row k of y [h, h d]. */
#include "core/kernel.h"

ELEMENTS(block_diagonal_forward, ag__elements(a->ys[0]))
{
    const int64_t d = a->xs[0].size[1], wide = a->xs[0].size[0] * d;
    for (int64_t i = lo; i < hi; i++) {
        const int64_t at = i % wide;
        Y(0)[i] = at / d == i / wide ? X(0)[at] : 0;
    }
}

ELEMENTS_PUT(block_diagonal_backward, ag__elements(a->xs[0]))
{
    const int64_t d = a->xs[0].size[1], wide = a->xs[0].size[0] * d;
    for (int64_t i = lo; i < hi; i++) PUT(DX, i, DY(0)[i / d * wide + i]);
}
