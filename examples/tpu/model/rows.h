/* SPDX-License-Identifier: MIT */
/* The option --rows: the loop nests of a kernel under its tile, or of a fused kernel under its
   default tile, join the nodes that they compute. */
#ifndef TPU_ROWS_H
#define TPU_ROWS_H

#include "examples/tpu/model/batch.h"

/* Fills b->rows for the samples of b, whose other arrays are filled. A place is a node of a sample.
   Fails: AG_EMEMORY. */
ag_status tpu_rows_fill(tpu_batch *b, const nests_joined *joined, ag_failure *why);

/* The scale of the columns, and the mean of ln(ns) less ln of the sum of the prices, from at most
   NESTS_FITTED configurations of each kernel with known run times. Fails: AG_ESTOPPED. */
ag_status tpu_rows_fit(nests_scale *scale, const tpu_data *data, ag_failure *why);

#endif
