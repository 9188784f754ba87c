/* SPDX-License-Identifier: MIT */
/* The baselines that the TPU model has to beat. A baseline is fitted to training kernels and scores
   each configuration of any kernel: the smallest score is predicted fastest. */
#ifndef TPU_BASELINES_H
#define TPU_BASELINES_H

#include "examples/harness/baseline/boosting.h"
#include "examples/tpu/baseline/roofline.h"

typedef enum tpu_baseline_kind {
    /* Fusion: the geometric mean of the training run times. Tile: the first configuration of
       the file, in the lab's files the default tile, is before all others, which are equal. */
    TPU_BASELINE_CONSTANT,
    TPU_BASELINE_ROOFLINE, /* traffic over bandwidth or operations over peak: tpu_roofline */
    TPU_BASELINE_BOOSTING, /* XGBoost on sums over the nodes, fitted to ln(ns), of tiles less its
                              mean over the kernel */
    TPU_BASELINE_RIDGE,    /* ridge regression on the same */
    TPU_BASELINES
} tpu_baseline_kind;

const char *tpu_baseline_name(tpu_baseline_kind kind); /* "constant", "roofline", ... */

/* 200 trees of depth 6, rate 0.1, half of the columns for each. */
harness_boosting_options tpu_baseline_trees(void);

typedef struct tpu_baseline tpu_baseline;

/* NULL, the failure is in `why`: AG_EUSE (no training kernel with a run time, tile: with two
   different ones; trees in a build without libxgboost), AG_ESTOPPED, AG_EDATA (XGBoost's error).
   Equal inputs and options give equal baselines. Kernels without run times are skipped. trees:
   their progress may stop them. */
tpu_baseline *tpu_baseline_fit(tpu_baseline_kind kind, tpu_task task,
                               const tpu_kernel *const *train, int count,
                               const harness_boosting_options *trees, ag_failure *why);
void tpu_baseline_free(tpu_baseline *baseline);

/* score [kernel->configs]. Fusion: ns. Tile: comparable within the kernel alone. Fails: AG_EDATA,
   AG_EMEMORY (trees). */
ag_status tpu_baseline_predict(double *score, tpu_baseline *baseline, const tpu_kernel *kernel,
                               ag_failure *why);

/* The fit in a line, owned by the caller (harness_free). */
char *tpu_baseline_note(const tpu_baseline *baseline);

#endif
