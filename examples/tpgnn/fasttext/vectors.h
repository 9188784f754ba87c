/* SPDX-License-Identifier: MIT */
/* FastText's vectors of node classes, learned from the trees that a model is trained on. */
#ifndef TPGNN_VECTORS_H
#define TPGNN_VECTORS_H

#include "examples/tpgnn/data/data.h"

/* vector [words of class,size]: FastText's vector of each class of the vocabulary, over walks
   through the first schedule of each task; word 0, for unknown classes, gets the mean of the
   others. The same data and seed give the same bits. Fails: as tpgnn_fasttext. */
ag_status tpgnn_vectors(ag_real *vector, int size, const tpgnn_data *data, uint64_t seed,
                        ag_failure *why);

#endif
