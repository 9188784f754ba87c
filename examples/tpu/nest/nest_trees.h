/* SPDX-License-Identifier: MIT */
/* Additive boosted trees on the loop nests of kernels: the time of a kernel is the sum over its
   nests of price * exp(trees(columns)). Tiles: the order within a kernel is learned; fusion: ln of
   the run time with the default tile, where an error beyond 0.1 counts linearly, as the percentage
   that it is measured by does. */
#ifndef TPU_NEST_TREES_H
#define TPU_NEST_TREES_H

#include "examples/harness/baseline/additive.h"
#include "examples/harness/baseline/trees.h"
#include "examples/tpu/nest/nest_rows.h"

typedef struct tpu_nest_trees_options {
    int bags; /* fits with seeds of their own, whose predictions are averaged */
    int rows; /* configurations that are read at most, evenly from all kernels */
    harness_boosting_options trees;
} tpu_nest_trees_options;

/* 3 fits; 16,384 configurations; trees: tiles 600 of depth 4, fusion 600 of depth 5; each sees half
   of the columns, and a leaf has at least 20 configurations. Chosen on the validation files of both
   splits. */
tpu_nest_trees_options tpu_nest_trees_defaults(tpu_task task);

/* NULL: the failure is in `why`. Kernels without run times are skipped. */
typedef struct tpu_nest_trees tpu_nest_trees;
tpu_nest_trees *tpu_nest_trees_fit(const tpu_kernel *const *train, int count,
                                   const tpu_nest_trees_options *options, ag_failure *why);
/* score [configs]: ln ns (fusion), or comparable within the kernel (tile). */
ag_status tpu_nest_trees_score(double *score, tpu_nest_trees *trees, const tpu_kernel *kernel,
                               ag_failure *why);
int tpu_nest_trees_count(const tpu_nest_trees *trees); /* of one fit */

/* Copies the trees of all fits into `kept`, opened for bags * rounds of them, such that the cost of
   a nest is price * exp(sum of kept trees): the mean of the fits, nest by nest. Fails: as
   harness_trees_take. */
ag_status tpu_nest_trees_keep(harness_trees *kept, tpu_nest_trees *trees, ag_failure *why);
/* ln of the time of a configuration of `rows` by kept trees. */
double tpu_nest_trees_log_time(const harness_trees *kept, const tpu_rows *rows, int config);
void tpu_nest_trees_free(tpu_nest_trees *trees);

#endif
