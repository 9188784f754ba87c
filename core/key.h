/* SPDX-License-Identifier: MIT */
/* Turns scores into unsigned integers of the same order, to select among them byte by byte. */
#ifndef AG_CORE_KEY_H
#define AG_CORE_KEY_H

#include "core/vmath.h"

#ifdef AG_DOUBLE
typedef uint64_t score_key;
#else
typedef uint32_t score_key;
#endif

enum { KEY_BITS = 8 * (int)sizeof(score_key) };

/* The key of a score. Keys have the order of the scores: -0 equals 0, and a NaN is the largest. */
AG_BOTH score_key key_of(ag_real score)
{
    const ag_real s = score == 0 ? 0 : score;
    score_key bits;
    memcpy(&bits, &s, sizeof bits);
    if (s != s) return ~(score_key)0;
    return bits >> (KEY_BITS - 1) ? ~bits : bits | (score_key)1 << (KEY_BITS - 1);
}

#endif
