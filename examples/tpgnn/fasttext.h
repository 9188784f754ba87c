/* SPDX-License-Identifier: MIT */
/* FastText: a vector for each word, and from its letters one for a word that was never seen
   (Bojanowski et al., "Enriching word vectors with subword information", 2017; gensim's and
   fastText's programs). The words are node types of a TIR tree, the sentences are walks over it. */
#ifndef TPGNN_FASTTEXT_H
#define TPGNN_FASTTEXT_H

#include "core/core.h"

typedef struct tpgnn_fasttext_options {
    int size;         /* of a vector, 1 to 4096 */
    int window;       /* words on either side at most; each time 1 to so many */
    int min_n, max_n; /* letters of an n-gram, < and > included; max_n 0: no n-grams */
    int64_t buckets;  /* that n-grams are hashed into, 1 to 2^31 - 1 */
    int negative;     /* words drawn against each pair */
    int epochs;
    int cbow; /* 1: the neighbours predict the word; 0 (skip-gram): the word each of them */
    double rate, last; /* learning rate, falling linearly to `last` */
    double sample;     /* words more frequent than this are thinned out; 0: none */
    double exponent;   /* negatives are drawn by count^exponent (gensim 0.75, fastText 0.5) */
    uint64_t seed;
} tpgnn_fasttext_options;

/* 18 numbers, window 5, n-grams of 3 to 6 in 2,000,000 buckets, 5 negatives, 5 epochs, skip-gram,
   0.025 to 0.0001, sample 0.001, exponent 0.75, seed 0. */
tpgnn_fasttext_options tpgnn_fasttext_defaults(void);

/* Sentences, made when they are asked for, so that no corpus is kept. get(context, i, &n) gives the
   n tokens of sentence i, the same ones each time; they live until the next call. */
typedef struct tpgnn_sentences {
    int64_t count;
    const int32_t *(*get)(void *context, int64_t index, int *length);
    void *context;
} tpgnn_sentences;

typedef struct tpgnn_fasttext {
    int size, min_n, max_n;
    int64_t buckets;
    int words;
    char **name;     /* [words] */
    float *vector;   /* [words,size]: mean of the word's own row and those of its n-grams */
    int grams;       /* buckets that occur in the words of the sentences */
    int64_t *bucket; /* [grams], ascending */
    float *gram;     /* [grams,size] */
} tpgnn_fasttext;

/* Trains the vectors of `words` different names, at most 10,000; tokens are indices into them. A
   name that no sentence has gets the vector of an unknown one. One thread; the same options, names
   and sentences give the same bits. NULL with `why`: AG_EUSE (options, names), AG_EINDEX (a token),
   AG_EDATA (no token at all), AG_EFINITE (the learning rate was too high). */
tpgnn_fasttext *tpgnn_fasttext_train(const tpgnn_fasttext_options *o, const char *const *name,
                                     int words, const tpgnn_sentences *sentences, ag_failure *why);
void tpgnn_fasttext_free(tpgnn_fasttext *f); /* NULL is allowed */

/* Index of a name, or -1. */
int tpgnn_fasttext_find(const tpgnn_fasttext *f, const char *name);

/* The vector of any name, [size]: of a known one as trained; of another the mean over those of its
   n-grams that were trained (fastText counts the untrained ones, which are noise, too), 0 when none
   was. Returns -1 for a known name, else how many n-grams that were. */
int tpgnn_fasttext_vector(float *out, const tpgnn_fasttext *f, const char *name);

/* As npz (docs/formats.md). Fails: AG_EFILE, AG_EDATA, AG_EMEMORY. */
ag_status tpgnn_fasttext_save(const tpgnn_fasttext *f, const char *path, ag_failure *why);
tpgnn_fasttext *tpgnn_fasttext_load(const char *path, ag_failure *why);

/* ---- walks over trees -------------------------------------------------------------------------
 */

typedef struct tpgnn_walk_options {
    int walks;    /* that start at each node (3) */
    int steps;    /* of a walk, to a neighbour drawn evenly: parent or child (50) */
    int families; /* 1: and, of each node with two neighbours or more, it and its children */
    uint64_t seed;
} tpgnn_walk_options;

/* 3 walks of 50 steps, no families, seed 0. */
tpgnn_walk_options tpgnn_walk_defaults(void);

/* The walks over the trees of `graphs` graphs; graph g has the nodes start[g] to start[g + 1] - 1.
   parent: counted from start[g], before the node itself (pre-order), or -1: a root. type: the token
   of each node. A sentence has steps + 1 tokens, or 1 where there is no neighbour. type is
   borrowed. NULL with `why`: AG_EINDEX (a parent, a start), AG_EUSE (options). Free it with
   tpgnn_walks_free, after the sentences are used. */
typedef struct tpgnn_walks tpgnn_walks;
tpgnn_walks *tpgnn_walks_new(const tpgnn_walk_options *o, const int32_t *type,
                             const int32_t *parent, const int64_t *start, int graphs,
                             ag_failure *why);
tpgnn_sentences tpgnn_walks_sentences(tpgnn_walks *w);
void tpgnn_walks_free(tpgnn_walks *w); /* NULL is allowed */

#endif
