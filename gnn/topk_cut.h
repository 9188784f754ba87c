/* SPDX-License-Identifier: MIT */
/* Selects the k largest of n scores in O(n), without a sort: the smallest key among them is found
   byte by byte from the top. Host only. */
#ifndef AG_GNN_TOPK_CUT_H
#define AG_GNN_TOPK_CUT_H

#include "core/key.h"

static inline score_cut cut_at(const ag_real *score, int n, int k)
{
    score_cut cut = {0, 0, k};
    if (k >= n) return cut;
    for (int shift = KEY_BITS - 8; shift >= 0; shift -= 8) {
        int count[KEY_BYTE] = {0};
        for (int v = 0; v < n; v++) {
            const score_key key = key_of(score[v]);
            if ((key & cut.mask) == cut.least) count[key >> shift & (KEY_BYTE - 1)]++;
        }
        if (cut_byte(&cut, count, shift)) break;
    }
    return cut;
}

/* 1: this score is kept. Call it once for every score, in order. */
static inline int keeps(score_cut *cut, ag_real score)
{
    const score_key key = key_of(score) & cut->mask;
    if (key == cut->least) return cut->ties > 0 ? cut->ties-- > 0 : 0;
    return key > cut->least;
}

#endif
