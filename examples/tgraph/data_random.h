/* SPDX-License-Identifier: MIT */
/* Which Philox streams the data uses: one per purpose and number, so that no generator has to be
   saved. */
#ifndef TGRAPH_DATA_RANDOM_H
#define TGRAPH_DATA_RANDOM_H

#include "core/core.h"

enum {
    TGRAPH_RANDOM_EPOCH = 1,
    TGRAPH_RANDOM_DRAW,
    TGRAPH_RANDOM_PERMUTATION,
    TGRAPH_RANDOM_FOLD,
    TGRAPH_RANDOM_SPLIT
};

/* The upper 16 bits keep these streams apart from those of initialisation and dropout. */
static inline ag_random tgraph_random(int purpose, uint64_t seed, uint64_t index)
{
    uint64_t kind = (uint64_t)(0x5447 + purpose) << 48;
    return (ag_random){seed, kind ^ index, 0};
}

#endif
