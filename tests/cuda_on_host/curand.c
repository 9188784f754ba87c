/* SPDX-License-Identifier: MIT */
/* Compares core/random.c with cuRAND's generator on the host, which needs the toolkit and no GPU.
   In its order, streams 0..65535 give four words each in turn. */
#include "core/random.h"

#include <curand.h>
#include <inttypes.h>
#include <stdio.h>

enum { STREAMS = 65536, TURNS = 3, WORDS = 4 * STREAMS * TURNS };

static unsigned theirs[WORDS];

/* 1: the words of this seed are the same. */
static int agrees(curandGenerator_t generator, uint64_t seed)
{
    if (curandSetPseudoRandomGeneratorSeed(generator, seed) != CURAND_STATUS_SUCCESS ||
        curandSetGeneratorOffset(generator, 0) != CURAND_STATUS_SUCCESS ||
        curandGenerate(generator, theirs, WORDS) != CURAND_STATUS_SUCCESS) {
        fprintf(stderr, "curand: cuRAND's generator on the host fails.\n");
        return 0;
    }
    for (uint64_t stream = 0; stream < STREAMS; stream++) {
        ag_random r = {seed, stream, 0};
        for (int i = 0; i < 4 * TURNS; i++) {
            const unsigned word =
                theirs[(size_t)(i / 4) * 4 * STREAMS + 4 * stream + (size_t)i % 4];
            const unsigned ours = ag_random_bits(&r);
            if (ours == word) continue;
            fprintf(stderr,
                    "curand: word %d of stream %" PRIu64 " of seed %" PRIu64
                    " is %08x, but cuRAND's is %08x.\n",
                    i, stream, seed, ours, word);
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    static const uint64_t seeds[] = {0, 1, 0x123456789abcdef0u, UINT64_MAX};
    curandGenerator_t generator;
    if (curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10) !=
        CURAND_STATUS_SUCCESS) {
        fprintf(stderr, "curand: cuRAND makes no generator on the host.\n");
        return 1;
    }
    int same = 1;
    for (int i = 0; i < 4 && same; i++) same = agrees(generator, seeds[i]);
    curandDestroyGenerator(generator);
    return !same;
}
