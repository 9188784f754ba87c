/* SPDX-License-Identifier: MIT */
/* Parts of FastText that tests look at. */
#ifndef TPGNN_FASTTEXT_PARTS_H
#define TPGNN_FASTTEXT_PARTS_H

#include "examples/tpgnn/fasttext.h"

enum { TPGNN_MOST_WORDS = 10000 };

/* FNV-1a of 32 bits; bytes count as signed ones, as fastText has it. */
uint32_t tpgnn__hash(const char *text, size_t bytes);

/* The buckets of the n-grams of <name>, by first letter, then length, repeated ones as often as
   they occur: a growing array (bag). A letter is a code point of UTF-8. */
int64_t *tpgnn__grams(const char *name, int min_n, int max_n, int64_t buckets);

/* One step of negative sampling, with s the sigmoid. h is the mean of the input's rows; for each
   target t, of which the first is right (y = 1) and the others are not (y = 0),
       g = rate (y - s(h . output[t])),  e += g output[t],  output[t] += g h;
   then each of the rows += e. That is gradient descent on -ln s(h . o_0) - sum ln s(-h . o_t), but
   without the 1/rows of the mean, as in fastText and gensim. work: [2,size]. */
void tpgnn__fasttext_step(float *input, float *output, const int32_t *rows, int n,
                          const int32_t *targets, int count, float rate, int size, float *work);

/* The vector of a name by its n-grams alone; returns how many of them were trained. */
int tpgnn__unknown(float *out, const tpgnn_fasttext *f, const char *name);

/* Options and names that training takes. Fails: AG_EUSE. */
ag_status tpgnn__fasttext_check(const tpgnn_fasttext_options *o, const char *const *name, int words,
                                ag_failure *why);

/* Index of a bucket that was trained, or -1. */
int tpgnn__gram_find(const int64_t *bucket, int n, int64_t wanted);

#endif
