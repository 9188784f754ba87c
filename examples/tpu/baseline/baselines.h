/* SPDX-License-Identifier: MIT */
/* The baselines that the TPU model has to beat. */
#ifndef TPU_BASELINES_H
#define TPU_BASELINES_H

#include "examples/harness/baseline/boosting.h"
#include "examples/tpu/baseline/roofline.h"

typedef enum tpu_baseline {
    /* Fusion: the geometric mean of the training run times. Tile: the first configuration of the
       file (in the lab's files the default tile) is best, all others are equal. */
    TPU_BASELINE_CONSTANT,
    TPU_BASELINE_ROOFLINE, /* traffic over bandwidth or operations over peak: tpu_roofline */
    TPU_BASELINE_BOOSTING, /* XGBoost on sums over the nodes, fitted to ln(ns), of tiles less its
                              mean over the kernel */
    TPU_BASELINE_RIDGE,    /* ridge regression on the same */
    TPU_BASELINES
} tpu_baseline;

extern const char *const tpu_baseline_name[TPU_BASELINES];

/* 200 trees of depth 6, rate 0.1, half of the columns for each. */
harness_boosting_options tpu_baseline_trees(void);

/* Fits a baseline to the kernels of `train` with known run times and scores every configuration of
   `scored`: the smallest is predicted fastest. Fusion: ns. Tile: scores that compare only within a
   kernel. Returns a line that describes the fit, owned by the caller (harness_free). NULL: AG_EUSE
   (no training kernel with a run time, tile: with two different ones; trees in a build without
   libxgboost), AG_ESTOPPED, AG_EDATA (XGBoost's error), AG_EMEMORY. Equal inputs and options give
   equal scores. trees: trees->progress may stop the fit. */
char *tpu_baseline_score(double *score, tpu_baseline kind, const tpu_data *train,
                         const tpu_data *scored, const harness_boosting_options *trees,
                         ag_failure *why);

#endif
