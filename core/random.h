/* SPDX-License-Identifier: MIT */
/* Random numbers, shuffles, samples and splits. */
#ifndef AG_CORE_RANDOM_H
#define AG_CORE_RANDOM_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Philox4x32-10 (Salmon et al., SC'11): four 32-bit words as a function of a 128-bit counter and a
 * 64-bit key. */
AG_API void ag_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

/* A stream of random numbers: a position in the Philox sequence of (seed, stream). To save it, copy
   the struct. Word number `position` is word position % 4 of ag_philox with counter {low, high 32
   bits of position / 4, low, high 32 bits of stream} and key {low, high 32 bits of seed}. cuRAND's
   Philox gives the same words after curand_init(seed, stream, position). */
struct ag_random {
    uint64_t seed, stream, position;
};

AG_API uint32_t ag_random_bits(ag_random *r);  /* 32 random bits */
AG_API double ag_random_uniform(ag_random *r); /* uniform in (0,1), 32-bit resolution */
AG_API double ag_random_normal(ag_random *r);  /* mean 0, variance 1 (Box-Muller) */
AG_API uint32_t ag_random_below(ag_random *r,
                                uint32_t n); /* uniform in 0..n-1 without bias; 0 if n is 0 */
AG_API void ag_random_shuffle(ag_random *r, int32_t *items, int64_t n); /* Fisher-Yates; n < 2^32 */

/* Draws one of 0..n-1, such as the next letter of a text, with the probabilities softmax(logits /
   temperature). Uses one word of the stream, so probabilities are multiples of 2^-32. At
   temperature 0, and if the largest logit is infinite or NaN, it uses no word and returns the index
   of the first largest logit; a NaN is larger than all numbers (as in ag_argmax). Returns -1 where
   n < 1, temperature is below 0 or NaN, or a pointer is NULL. */
AG_API int ag_sample_softmax(const ag_real *logits, int n, double temperature, ag_random *random);

/* Puts n items into parts at random, as a function of the seed: part[i] is 0..parts-1, and part k
   gets share[k] of the items, rounded to whole groups. share NULL: equal shares, as for the folds
   of cross-validation. Items with the same group[i] (a program, a user) are a group and stay
   together; group NULL: each item is a group of its own. Fails: AG_EUSE (a share outside of 0..1,
   or shares that do not sum to 1), AG_EMEMORY. */
AG_API ag_status ag_split(int32_t *part, const int32_t *group, int n, const double *share,
                          int parts, uint64_t seed, ag_failure *why);

/* Writes to `which` [n] the indices of the items of part k, in ascending order. If `others` is not
   0, it writes those of all other parts instead (the training items of a fold). Returns how many it
   wrote. */
AG_API int ag_part(int32_t *which, const int32_t *part, int n, int k, int others);

#ifdef __cplusplus
}
#endif

#endif
