/* SPDX-License-Identifier: MIT */
/* What dropout multiplies with; of this file for all ops that drop, so that all draw alike. */
#ifndef AG_OPS_DROPOUT_MASK_H
#define AG_OPS_DROPOUT_MASK_H

#include "core/kernel.h"
#include "core/philox.h"

/* Element 128 b + 64 h + 16 w + l takes half h of word w of the Philox counter (16 b + l, ordinal,
   step): 16 neighbours are computed in one pass, and any element can be computed alone. */
KERNEL void dropout_words(uint32_t words[64], const ag_args *a, uint64_t b)
{
    ag__philox_sixteen(words, 16 * b, a->ordinal << 16, (uint32_t)a->step,
                       (uint32_t)(a->step >> 32) ^ 0x64726f70u, a->seed);
}

/* The factors of elements 128 b to 128 b + 127 of the whole tensor: 1 / (1 - p) where the 16 bits
   are at least p 2^16, else 0; p is attr.f[0], rounded to a multiple of 2^-16. */
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

/* The factor of one element alone. */
KERNEL ag_real dropout_factor(const ag_args *a, int64_t e)
{
    const int in = (int)(e % 128), word = in % 64 / 16;
    const uint32_t bits =
        ag__philox_word((uint64_t)(e / 128 * 16 + in % 16), a->ordinal << 16, (uint32_t)a->step,
                        (uint32_t)(a->step >> 32) ^ 0x64726f70u, a->seed, word);
    const int32_t limit = (int32_t)(a->attr.f[0] * 65536.0 + 0.5);
    const int32_t half = (int32_t)(in < 64 ? bits & 0xffff : bits >> 16);
    return half >= limit ? (ag_real)(1 / (1 - a->attr.f[0])) : 0;
}

/* dropout_range, for many elements: a block of 128 at a time. */
KERNEL void dropout_blocks(ag_real *__restrict__ to, const ag_real *__restrict__ from,
                           const ag_args *a, int64_t e, int64_t n, const int add)
{
    ag_real factor[128];
    for (int64_t i = 0; i < n;) {
        const int64_t b = (e + i) / 128;
        const int skip = (int)(e + i - b * 128), all = 128 - skip,
                  some = n - i < all ? (int)(n - i) : all;
        dropout_factors(factor, a, (uint64_t)b);
        for (int k = 0; k < some; k++) PUT(to, i + k, from[i + k] * factor[skip + k]);
        i += some;
    }
}

/* to[i] = from[i] times the factor of element e + i of the whole tensor, i < n (what is not finite
   stays so), or to[i] += that. */
KERNEL void dropout_range(ag_real *__restrict__ to, const ag_real *__restrict__ from,
                          const ag_args *a, int64_t e, int64_t n, const int add)
{
    if (LANES > 1) /* a thread of a GPU has one element */
        for (int64_t i = 0; i < n; i++) PUT(to, i, from[i] * dropout_factor(a, e + i));
    else
        dropout_blocks(to, from, a, e, n, add);
}

#endif
