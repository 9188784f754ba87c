/* SPDX-License-Identifier: MIT */
/* Philox4x32 for code that needs the generator inline: core/random.c computes one counter at a
   time, the bodies of random ops up to sixteen. */
#ifndef AG_CORE_PHILOX_H
#define AG_CORE_PHILOX_H

#include "core/vmath.h"

enum { AG_PHILOX_ROUNDS = 10 };

/* x is the counter, k the key of this round (k0 grows by 0x9E3779B9, k1 by 0xBB67AE85 from round to
 * round). */
AG_BOTH void ag__philox_round(uint32_t *x0, uint32_t *x1, uint32_t *x2, uint32_t *x3, uint32_t k0,
                              uint32_t k1)
{
    const uint64_t a = (uint64_t)0xD2511F53u * *x0, b = (uint64_t)0xCD9E8D57u * *x2;
    *x0 = (uint32_t)(b >> 32) ^ *x1 ^ k0;
    *x2 = (uint32_t)(a >> 32) ^ *x3 ^ k1;
    *x1 = (uint32_t)b;
    *x3 = (uint32_t)a;
}

/* The four words of the counter (low half of n, high half of n ^ c1, c2, c3). */
AG_BOTH void ag__philox_four(uint32_t x[4], uint64_t n, uint32_t c1, uint32_t c2, uint32_t c3,
                             uint64_t key)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    x[0] = (uint32_t)n;
    x[1] = (uint32_t)(n >> 32) ^ c1;
    x[2] = c2;
    x[3] = c3;
    for (int round = 0; round < AG_PHILOX_ROUNDS; round++) {
        ag__philox_round(&x[0], &x[1], &x[2], &x[3], k0, k1);
        k0 += 0x9E3779B9u; /* golden ratio */
        k1 += 0xBB67AE85u; /* sqrt(3) - 1 */
    }
}

/* Word number `word`, 0 to 3, of those that ag__philox_four gives for the same arguments. */
AG_BOTH uint32_t ag__philox_word(uint64_t n, uint32_t c1, uint32_t c2, uint32_t c3, uint64_t key,
                                 int word)
{
    uint32_t x[4];
    ag__philox_four(x, n, c1, c2, c3, key);
    return word == 0 ? x[0] : word == 1 ? x[1] : word == 2 ? x[2] : x[3];
}

/* The words of the counters of n + l for l = 0..15, where n is a multiple of 16: word w of counter
   l is words[16 w + l]. */
#if !defined(__CUDACC__) && (defined(__AVX512F__) || defined(__AVX2__))
/* Each counter has a lane of 64 bits, with anything in its upper half: one instruction multiplies
   the lower halves. */
# include <immintrin.h>
# if defined(__AVX512F__)
typedef uint64_t ag__lanes __attribute__((vector_size(64)));
#  define AG__LANES_PRODUCT(x, y) ((ag__lanes)_mm512_mul_epu32((__m512i)(x), (__m512i)(y)))
# else
typedef uint64_t ag__lanes __attribute__((vector_size(32)));
#  define AG__LANES_PRODUCT(x, y) ((ag__lanes)_mm256_mul_epu32((__m256i)(x), (__m256i)(y)))
# endif
AG_BOTH void ag__philox_sixteen(uint32_t words[64], uint64_t n, uint32_t c1, uint32_t c2,
                                uint32_t c3, uint64_t key)
{
    enum { LANES_ = sizeof(ag__lanes) / 8, GROUPS = 16 / LANES_ };
    typedef uint32_t half __attribute__((vector_size(sizeof(ag__lanes) / 2)));
    const ag__lanes zero = {0}, m0 = zero + 0xD2511F53u, m1 = zero + 0xCD9E8D57u;
    ag__lanes x[GROUPS][4], first = {0};
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int l = 0; l < LANES_; l++) first[l] = (uint64_t)l;
    for (int g = 0; g < GROUPS; g++) {
        x[g][0] = first + (n + (uint64_t)(g * LANES_));
        x[g][1] = zero + ((uint32_t)(n >> 32) ^ c1);
        x[g][2] = zero + c2;
        x[g][3] = zero + c3;
    }
    for (int round = 0; round < AG_PHILOX_ROUNDS; round++) {
        for (int g = 0; g < GROUPS; g++) {
            const ag__lanes a = AG__LANES_PRODUCT(x[g][0], m0), b = AG__LANES_PRODUCT(x[g][2], m1);
            x[g][0] = (b >> 32) ^ x[g][1] ^ (zero + k0);
            x[g][2] = (a >> 32) ^ x[g][3] ^ (zero + k1);
            x[g][1] = b;
            x[g][3] = a;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (int g = 0; g < GROUPS; g++)
        for (int w = 0; w < 4; w++) {
            const half narrow = __builtin_convertvector(x[g][w], half);
            memcpy(words + 16 * w + g * LANES_, &narrow, sizeof narrow);
        }
}
#else
AG_BOTH void ag__philox_sixteen(uint32_t words[64], uint64_t n, uint32_t c1, uint32_t c2,
                                uint32_t c3, uint64_t key)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t *x0 = words, *x1 = words + 16, *x2 = words + 32, *x3 = words + 48;
    for (int l = 0; l < 16; l++) {
        x0[l] = (uint32_t)n + (uint32_t)l;
        x1[l] = (uint32_t)(n >> 32) ^ c1;
        x2[l] = c2;
        x3[l] = c3;
    }
    for (int round = 0; round < AG_PHILOX_ROUNDS; round++) {
        for (int l = 0; l < 16; l++) ag__philox_round(&x0[l], &x1[l], &x2[l], &x3[l], k0, k1);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}
#endif

#endif
