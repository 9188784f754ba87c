/* SPDX-License-Identifier: MIT */
/* Regressions on features of a whole kernel, which read what the network reads, without a graph:
   boosted trees and ridge regression. */
#ifndef TPU_POOLED_H
#define TPU_POOLED_H

#include "examples/harness/baseline/boosting.h"
#include "examples/tpu/data/data.h"

/* The columns of a kernel with one of its tiles, where l(v) = sign(v) ln(1 + |v|): sums over its
   nodes of l of the 140 features, for products, reductions, elementwise ops, parameters and all
   others apart; numbers of nodes of each op code; l of the static features; l of the tile size (0:
   fusion). */
enum {
    TPU_POOLED_KINDS = 5,
    TPU_POOLED_COLUMNS =
        TPU_POOLED_KINDS * TPUGRAPHS_FEATURES + TPU_OPCODES + TPU_STATIC + TPUGRAPHS_TILE_FEATURES
};
void tpu_pooled_columns(float out[TPU_POOLED_COLUMNS], const tpu_kernel *kernel, int config);

typedef struct tpu_pooled tpu_pooled;

/* Fits to ln(ns), tile: less its mean over the kernel, of at most `rows` configurations, evenly
   from all kernels. trees: NULL for ridge regression. NULL: the failure is in `why` (as
   harness_boosting_fit; AG_ESTOPPED, AG_EMEMORY). */
tpu_pooled *tpu_pooled_fit(const tpu_kernel *const *train, int count, int rows,
                           const harness_boosting_options *trees, ag_failure *why);
void tpu_pooled_free(tpu_pooled *pooled);
/* score [kernel->configs]: what was fitted to. Fails: AG_EDATA, AG_EMEMORY. */
ag_status tpu_pooled_score(double *score, tpu_pooled *pooled, const tpu_kernel *kernel,
                           ag_failure *why);

#endif
