/* SPDX-License-Identifier: MIT */
/* Random trees of node types, and sentences from arrays. */
#ifndef TEST_TPGNN_CORPUS_H
#define TEST_TPGNN_CORPUS_H

#include "examples/tpgnn/fasttext/walks.h"

enum { CORPUS_TYPES = 18 };
extern const char *const corpus_names[CORPUS_TYPES];

/* Trees that read like lowered programs: loops around stores of expressions. */
tpgnn_forest corpus_new(int trees, uint64_t seed);
void corpus_free(tpgnn_forest *c);

/* Sentence i has the tokens first[i] to first[i + 1] - 1. */
typedef struct corpus_list {
    const int32_t *token;
    const int *first;
} corpus_list;
tpgnn_sentences corpus_sentences(corpus_list *list, int count);

/* Cosine of the angle between two vectors. */
double corpus_cosine(const float *a, const float *b, int size);

#endif
