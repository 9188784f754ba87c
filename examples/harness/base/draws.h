/* SPDX-License-Identifier: MIT */
/* Orders and random draws. Each is a function of the seed and a number, so no generator has to be
   saved. Also dense ranks of run times. */
#ifndef HARNESS_DRAWS_H
#define HARNESS_DRAWS_H

#include "core/random.h"

/* The Philox streams: one per purpose and number. */
enum {
    HARNESS_STREAM_EPOCH = 1,
    HARNESS_STREAM_DRAW,
    HARNESS_STREAM_PERMUTATION,
    HARNESS_STREAM_SPLIT = 5,
    HARNESS_STREAM_NOISE,
    HARNESS_STREAM_SKIP
};

/* The upper 16 bits keep these streams apart from those of initialisation and dropout. */
static inline ag_random harness_stream(int purpose, uint64_t seed, uint64_t index)
{
    uint64_t kind = (uint64_t)(0x5447 + purpose) << 48;
    return (ag_random){seed, kind ^ index, 0};
}

/* A number from 0 to n - 1. */
static inline int32_t harness_below(ag_random *random, int32_t n)
{
    return (int32_t)ag_random_below(random, (uint32_t)n);
}

/* 0..count-1 in an order that the generator draws. */
void harness_shuffle(int32_t *order, int count, ag_random random);
/* Parts as numpy.array_split makes them: the first returns their number, ceil(count / most), the
   second gives the first item and the length of one part. */
int harness_chunks(int count, int most);
void harness_chunk(int *first, int *length, int count, int chunks, int index);
/* Draws `most` of the `count` items, uniformly without replacement, in the order drawn, and moves
   them to the front. Returns their number. */
int harness_draw(int32_t *items, int count, int most, ag_random *random);
/* Dense ranks 0..: equal run times have equal ranks, slower is higher. order [count] is scratch. */
typedef struct harness_timed {
    int64_t ns;
    int32_t item;
} harness_timed;
void harness_ranks(int32_t *rank, const int64_t *runtime, int count, harness_timed *order);
/* The same within groups, of which group g has the items start[g]..start[g + 1] - 1. */
void harness_group_ranks(int32_t *rank, const int64_t *runtime, const int32_t *start, int groups,
                         harness_timed *order);

#endif
