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

/* Kept are the scores with (key & mask) > least, and the first `ties` of those where it equals
   least. */
enum { KEY_BYTE = 256 };
typedef struct score_cut {
    score_key least, mask;
    int ties;
} score_cut;

/* Finds the next byte of the cut, at `shift`, from how many of the scores in question have which.
   Returns 1 if all that share these bytes are kept. */
AG_BOTH int cut_byte(score_cut *cut, const int count[KEY_BYTE], int shift)
{
    int byte = KEY_BYTE - 1;
    while (byte > 0 && count[byte] < cut->ties) cut->ties -= count[byte--];
    cut->least |= (score_key)byte << shift;
    cut->mask |= (score_key)(KEY_BYTE - 1) << shift;
    return count[byte] == cut->ties;
}

#endif
