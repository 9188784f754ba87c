/* SPDX-License-Identifier: MIT */
/* FastText: vectors of words that also learn from the n-grams of their letters (Bojanowski et al.,
   "Enriching word vectors with subword information", 2017; gensim's and fastText's programs), as
   skip-grams with negative sampling. The words are node types of a TIR tree, the sentences are
   walks over it. */
#ifndef TPGNN_FASTTEXT_H
#define TPGNN_FASTTEXT_H

#include "core/core.h"

enum { TPGNN_MOST_WORDS = 10000 };

typedef struct tpgnn_fasttext_options {
    int size;         /* of a vector */
    int window;       /* most words on either side; each window is drawn from 1 to this */
    int min_n, max_n; /* letters of an n-gram, < and > included; max_n 0: no n-grams */
    int64_t buckets;  /* that n-grams are hashed into */
    int negative;     /* words drawn against each pair */
    int epochs;
    double rate, last; /* learning rate, falling linearly to `last` */
    double sample;     /* words more frequent than this are thinned out; 0: none */
    double exponent;   /* negatives are drawn by count^exponent (gensim 0.75, fastText 0.5) */
    uint64_t seed;
} tpgnn_fasttext_options;

/* Window 5, n-grams of 3 to 6 in 2,000,000 buckets, 5 negatives, 5 epochs, rate 0.025 to 0.0001,
   sample 0.001, exponent 0.75. */
tpgnn_fasttext_options tpgnn_fasttext_defaults(int size, uint64_t seed);

/* Sentences are made on demand, so that no corpus is kept. get(context, i, &n) gives the n tokens
   of sentence i, the same ones each time; they live until the next call. */
typedef struct tpgnn_sentences {
    int64_t count;
    const int32_t *(*get)(void *context, int64_t index, int *length);
    void *context;
} tpgnn_sentences;

/* vector [words,size]: of each word the mean of its own row and those of its n-grams; of a word
   that is in no sentence the mean over those of its n-grams that are, or 0. Names differ; tokens
   are indices into them. One thread; the same options, names and sentences give the same bits.
   Fails: AG_EUSE, over TPGNN_MOST_WORDS words. */
ag_status tpgnn_fasttext(float *vector, const tpgnn_fasttext_options *o, const char *const *name,
                         int words, const tpgnn_sentences *sentences, ag_failure *why);

#endif
