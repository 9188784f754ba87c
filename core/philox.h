/* SPDX-License-Identifier: MIT */
/* One round of Philox4x32, for all who need the generator inline: core/random.c and the bodies of
 * random ops. */
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

#endif
