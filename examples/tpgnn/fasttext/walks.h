/* SPDX-License-Identifier: MIT */
/* Sentences of FastText: random walks over trees. */
#ifndef TPGNN_WALKS_H
#define TPGNN_WALKS_H

#include "examples/tpgnn/fasttext/fasttext.h"

enum { TPGNN_WALKS = 3, TPGNN_WALK_STEPS = 50 }; /* from each node; of a walk */

/* Trees one after the other. */
typedef struct tpgnn_forest {
    int32_t *type;   /* [nodes]: the token of each node */
    int32_t *parent; /* [nodes]: counted from the tree's first node, before the node; -1: a root */
    int64_t *start;  /* [trees + 1]: the first node of each tree; the last: how many there are */
    int trees;
} tpgnn_forest;

/* A step goes to the parent or to a child, drawn evenly. A sentence has TPGNN_WALK_STEPS + 1
   tokens, or 1 where there is no neighbour. The forest's types are borrowed. */
typedef struct tpgnn_walks tpgnn_walks;
tpgnn_walks *tpgnn_walks_new(const tpgnn_forest *forest, uint64_t seed);
tpgnn_sentences tpgnn_walks_sentences(tpgnn_walks *w);
void tpgnn_walks_free(tpgnn_walks *w); /* after the sentences are used */

#endif
