/* SPDX-License-Identifier: MIT */
/* The baselines that the TPU model has to beat. A baseline is fitted on training kernels and scores
   each configuration of any kernel: the smallest score is predicted fastest. */
#ifndef TPU_BASELINES_H
#define TPU_BASELINES_H

#include "examples/tpu/analytic/analytical.h"
#include "examples/tpu/nest/nest_trees.h"

typedef enum tpu_baseline_kind {
    /* Fusion: the geometric mean of the training run times. Tile: all equal, so that the first
       configuration of the file is taken; in the lab's files that is the default tile. */
    TPU_BASELINE_CONSTANT,
    /* Traffic over bandwidth or operations over peak, whichever is larger, plus an overhead.
       Fusion: tpu_roofline, a scale per type of kernel. Tile: TPU_COUNT_TRAFFIC. */
    TPU_BASELINE_ROOFLINE,
    /* The same with the lengths of loops and the number of contiguous pieces: TPU_COUNT_LOOPS. */
    TPU_BASELINE_LOOPS,
    /* Additive trees (XGBoost) on the rows of loop nests: tpu_nest_trees. */
    TPU_BASELINE_BOOSTING,
    TPU_BASELINES
} tpu_baseline_kind;

const char *tpu_baseline_name(tpu_baseline_kind kind); /* "constant", "roofline", ... */

typedef struct tpu_baseline_options {
    int fit_rows; /* configurations that rooflines read at most, evenly from all kernels */
    tpu_nest_trees_options trees; /* its progress may stop them */
} tpu_baseline_options;

/* 4,096 rows; tpu_nest_trees_defaults. */
tpu_baseline_options tpu_baseline_defaults(tpu_task task);

typedef struct tpu_baseline tpu_baseline;

/* NULL, the failure is in `why`: AG_EUSE (no training kernel with a run time, tile: with two
   different ones; trees in a build without libxgboost), AG_ESTOPPED, AG_EDATA (XGBoost's error).
   Equal inputs and options give equal baselines. Kernels without run times are skipped. */
tpu_baseline *tpu_baseline_fit(tpu_baseline_kind kind, tpu_task task,
                               const tpu_kernel *const *train, int count,
                               const tpu_baseline_options *options, ag_failure *why);
void tpu_baseline_free(tpu_baseline *baseline);

/* score [kernel->configs]. Fusion: ns. Tile: comparable within the kernel alone. Fails: AG_EDATA,
   AG_EMEMORY (trees). */
ag_status tpu_baseline_predict(double *score, tpu_baseline *baseline, const tpu_kernel *kernel,
                               ag_failure *why);

/* Describes the fit in a line: coefficients and error on the training kernels. */
void tpu_baseline_print(char *text, size_t bytes, const tpu_baseline *baseline);

#endif
