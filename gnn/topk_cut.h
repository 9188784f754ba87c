/* SPDX-License-Identifier: MIT */
/* Selects the k largest of n scores in O(n), without a sort: the smallest key among them is found
   byte by byte from the top. Host only. */
#ifndef AG_GNN_TOPK_CUT_H
#define AG_GNN_TOPK_CUT_H

#include "core/key.h"

enum { KEY_BYTE = 256 };

/* The scores with (key & mask) > least are kept, and the first `ties` of those where it equals
   least. */
typedef struct score_cut {
    score_key least, mask;
    int ties;
} score_cut;

static inline score_cut cut_at(const ag_real *score, int n, int k)
{
    score_cut cut = {0, 0, k};
    if (k >= n) return cut;
    for (int shift = KEY_BITS - 8; shift >= 0; shift -= 8) {
        int count[KEY_BYTE] = {0}, byte = KEY_BYTE - 1;
        for (int v = 0; v < n; v++) {
            const score_key key = key_of(score[v]);
            if ((key & cut.mask) == cut.least) count[key >> shift & (KEY_BYTE - 1)]++;
        }
        while (byte > 0 && count[byte] < cut.ties) cut.ties -= count[byte--];
        cut.least |= (score_key)byte << shift;
        cut.mask |= (score_key)(KEY_BYTE - 1) << shift;
        if (count[byte] == cut.ties) break; /* all that share these bytes are kept */
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
