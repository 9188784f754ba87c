/* SPDX-License-Identifier: MIT */
#include "core/kernel.h"
#include "core/philox.h"

/* Element 128 b + 64 h + 16 w + l takes half h of word w of the Philox counter (16 b + l, ordinal,
   step): 16 neighbours are computed in one pass, and any element can be computed alone. */
KERNEL void dropout_words(uint32_t words[64], const ag_args *a, uint64_t b)
{
    ag__philox_sixteen(words, 16 * b, a->ordinal << 16, (uint32_t)a->step,
                       (uint32_t)(a->step >> 32) ^ 0x64726f70u, a->seed);
}

/* What elements 128 b to 128 b + 127 of the whole tensor are multiplied with: 1 / (1 - p) where the
   16 bits are at least p 2^16, else 0; p is rounded to a multiple of 2^-16. */
KERNEL void dropout_factors(ag_real factor[128], const ag_args *a, uint64_t b)
{
    const int32_t limit = (int32_t)(a->attr.f[0] * 65536.0 + 0.5);
    const ag_real scale = (ag_real)(1 / (1 - a->attr.f[0]));
    uint32_t words[64];
    dropout_words(words, a, b);
    for (int k = 0; k < 64; k++) {
        factor[k] = (int32_t)(words[k] & 0xffff) >= limit ? scale : 0;
        factor[64 + k] = (int32_t)(words[k] >> 16) >= limit ? scale : 0;
    }
}

/* to = from times the factors (what is not finite stays so). */
KERNEL void dropout_range(ag_real *__restrict__ to, const ag_real *__restrict__ from,
                          const ag_args *a, int64_t lo, int64_t hi, const int add)
{
    ag_real factor[128];
    for (int64_t i = lo; i < hi;) {
        const int64_t e = a->base + i, b = e / 128;
        const int skip = (int)(e - b * 128), all = 128 - skip,
                  n = hi - i < all ? (int)(hi - i) : all;
        dropout_factors(factor, a, (uint64_t)b);
        for (int k = 0; k < n; k++) PUT(to, i + k, from[i + k] * factor[skip + k]);
        i += n;
    }
}

ELEMENTS(dropout_forward, ag__elements(a->ys[0]))
{
    (void)add;
    dropout_range(Y(0), X(0), a, lo, hi, 0);
}

ELEMENTS(dropout_backward, ag__elements(a->ys[0])) { dropout_range(DX, DY(0), a, lo, hi, add); }
