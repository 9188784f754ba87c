/* SPDX-License-Identifier: MIT */
#include "core/kernel.h"
#include "core/philox.h"

/* Element 128 b + 64 h + 16 w + l takes half h of word w of the Philox counter (16 b + l, ordinal,
   step): 16 neighbours are computed in one pass, and any element can be computed alone. */
KERNEL void dropout_words(uint32_t words[64], const ag_args *a, uint64_t b)
{
    uint32_t k0 = (uint32_t)a->seed, k1 = (uint32_t)(a->seed >> 32);
    uint32_t *x0 = words, *x1 = words + 16, *x2 = words + 32, *x3 = words + 48;
    for (int l = 0; l < 16; l++) {
        const uint64_t n = b * 16 + (uint64_t)l;
        x0[l] = (uint32_t)n;
        x1[l] = (uint32_t)(n >> 32) ^ (a->ordinal << 16);
        x2[l] = (uint32_t)a->step;
        x3[l] = (uint32_t)(a->step >> 32) ^ 0x64726f70u;
    }
    for (int round = 0; round < AG_PHILOX_ROUNDS; round++) {
        for (int l = 0; l < 16; l++) ag__philox_round(&x0[l], &x1[l], &x2[l], &x3[l], k0, k1);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* to = from / (1 - p) where the 16 bits are at least p 2^16, else 0 (a factor of 0: what is not
   finite stays so); p is rounded to a multiple of 2^-16. */
KERNEL void dropout_range(ag_real *__restrict__ to, const ag_real *__restrict__ from,
                          const ag_args *a, int64_t lo, int64_t hi, const int add)
{
    const int32_t limit = (int32_t)(a->attr.f[0] * 65536.0 + 0.5);
    const ag_real scale = (ag_real)(1 / (1 - a->attr.f[0]));
    uint32_t words[64];
    ag_real factor[128];
    for (int64_t i = lo; i < hi;) {
        const int64_t e = a->base + i, b = e / 128;
        const int skip = (int)(e - b * 128), all = 128 - skip,
                  n = hi - i < all ? (int)(hi - i) : all;
        dropout_words(words, a, (uint64_t)b);
        for (int k = 0; k < 64; k++) {
            factor[k] = (int32_t)(words[k] & 0xffff) >= limit ? scale : 0;
            factor[64 + k] = (int32_t)(words[k] >> 16) >= limit ? scale : 0;
        }
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
