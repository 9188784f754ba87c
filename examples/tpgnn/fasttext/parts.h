/* SPDX-License-Identifier: MIT */
/* Parts of FastText that its files share. */
#ifndef TPGNN_FASTTEXT_PARTS_H
#define TPGNN_FASTTEXT_PARTS_H

#include "examples/tpgnn/fasttext/fasttext.h"

/* FNV-1a of 32 bits; bytes are taken as signed, as in fastText. */
uint32_t tpgnn__hash(const char *text, size_t bytes);

/* The buckets of the n-grams of <name>, by first letter, then length, repeated ones as often as
   they occur: a growing array (bag). A letter is a code point of UTF-8. */
int64_t *tpgnn__grams(const char *name, int min_n, int max_n, int64_t buckets);

/* Which rows of the table of inputs make up each word: its own row, which is its number, and those
   of its n-grams, from `words` on. Buckets have a row if they occur in a word with a count. A word
   without one has only the rows of its n-grams that others have, too. */
typedef struct tpgnn_rows {
    int32_t *row; /* bag: the rows of all words, concatenated */
    int *first;   /* [words + 1]: where they begin */
    int grams;    /* buckets that have a row */
} tpgnn_rows;
tpgnn_rows tpgnn__rows(const tpgnn_fasttext_options *o, const char *const *name,
                       const int64_t *count, int words);
void tpgnn__rows_free(tpgnn_rows *r);

/* One step of negative sampling, with s the sigmoid. h is the mean of the input's rows; for each
   target t, of which the first is right (y = 1) and the others are not (y = 0),
       g = rate (y - s(h . output[t])),  e += g output[t],  output[t] += g h;
   then each of the rows += e. That is gradient descent on -ln s(h . o_0) - sum ln s(-h . o_t), but
   without the 1/rows of the mean, as in fastText and gensim. work: [2,size]. */
void tpgnn__fasttext_step(float *input, float *output, const int32_t *rows, int n,
                          const int32_t *targets, int count, float rate, int size, float *work);

#endif
