/* SPDX-License-Identifier: MIT */
/* The factors of dropout, in one file for all ops that drop, so that all draw in the same way. */
#ifndef AG_OPS_DROPOUT_MASK_H
#define AG_OPS_DROPOUT_MASK_H

#include "core/kernel.h"
#include "core/philox.h"

/* The constants of a call, read once for all elements. */
typedef struct dropout_key {
    uint64_t seed;
    uint32_t node, low, high; /* words of the Philox counter: the ordinal, then the step */
    int32_t limit;            /* 0: nothing is dropped */
    ag_real scale;
} dropout_key;

KERNEL dropout_key dropout_key_of(const ag_args *a)
{
    const ag_run_record run = *a->run;
    dropout_key key = {run.seed,
                       a->ordinal << 16,
                       (uint32_t)run.step,
                       (uint32_t)(run.step >> 32) ^ 0x64726f70u,
                       (int32_t)(a->attr.f[0] * 65536.0 + 0.5),
                       (ag_real)(1 / (1 - a->attr.f[0]))};
    return key;
}

/* The factors of elements 128 b to 128 b + 127 of the whole tensor: 1 / (1 - p) where the 16 bits
   are at least p 2^16, else 0; p is attr.f[0], rounded to a multiple of 2^-16. Element 128 b + 64 h
   + 16 w + l takes half h of word w of the Philox counter (16 b + l, ordinal, step): 16 neighbours
   are computed in one pass, and any element can be computed by itself. */
KERNEL void dropout_factors(ag_real factor[128], const ag_args *a, uint64_t b)
{
    const dropout_key key = dropout_key_of(a);
    uint32_t words[64];
    ag__philox_sixteen(words, 16 * b, key.node, key.low, key.high, key.seed);
    for (int k = 0; k < 64; k++) {
        factor[k] = (int32_t)(words[k] & 0xffff) >= key.limit ? key.scale : 0;
        factor[64 + k] = (int32_t)(words[k] >> 16) >= key.limit ? key.scale : 0;
    }
}

/* The factor of one element. */
KERNEL ag_real dropout_factor(const dropout_key *key, int64_t e)
{
    const int in = (int)(e % 128), word = in % 64 / 16;
    const uint32_t bits = ag__philox_word((uint64_t)(e / 128 * 16 + in % 16), key->node, key->low,
                                          key->high, key->seed, word);
    const int32_t half = (int32_t)(in < 64 ? bits & 0xffff : bits >> 16);
    return half >= key->limit ? key->scale : 0;
}

/* dropout_range for many elements: a block of 128 at a time. */
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

/* dropout_range for the elements that a thread of a GPU has in one block of 128: e, e + 32, ... of
   the whole tensor, where e is among the first 32 of the block. They share one counter. */
KERNEL void dropout_apart(ag_real *to, const ag_real *from, const ag_args *a, int64_t e, int64_t n,
                          const int add)
{
    const dropout_key key = dropout_key_of(a);
    const int in = (int)(e % 128);
    uint32_t words[4];
    ag__philox_four(words, (uint64_t)(e / 128 * 16 + in % 16), key.node, key.low, key.high,
                    key.seed);
    for (int k = 0; k < (int)n; k++) {
        const int at = in + 32 * k, word = at % 64 / 16;
        const uint32_t bits = word == 0   ? words[0]
                              : word == 1 ? words[1]
                              : word == 2 ? words[2]
                                          : words[3];
        const int32_t half = (int32_t)(at < 64 ? bits & 0xffff : bits >> 16);
        PUT(to, k, from[k] * (half >= key.limit ? key.scale : 0));
    }
}

/* to[i] = from[i] times the factor of element e + i of the whole tensor, i < n, or to[i] += that.
   What is not finite stays so. On a GPU element i is e + 32 i of the whole tensor. */
KERNEL void dropout_range(ag_real *__restrict__ to, const ag_real *__restrict__ from,
                          const ag_args *a, int64_t e, int64_t n, const int add)
{
    if (MOST_LANES > 1)
        dropout_apart(to, from, a, e, n, add);
    else
        dropout_blocks(to, from, a, e, n, add);
}

#endif
