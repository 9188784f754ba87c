/* SPDX-License-Identifier: MIT */
/* The baselines that the TPU model has to beat. A baseline is fitted on training kernels and scores
   each configuration of any kernel: the smallest score is predicted fastest. */
#ifndef TPU_BASELINES_H
#define TPU_BASELINES_H

#include "examples/harness/baseline/boosting.h"
#include "examples/tpu/analytic/analytical.h"

typedef enum tpu_baseline_kind {
    /* Fusion: the geometric mean of the training run times. Tile: all equal, so that the first
       configuration of the file is taken; in the lab's files that is the default tile. */
    TPU_BASELINE_CONSTANT,
    /* Traffic over bandwidth or operations over peak, whichever is larger, plus an overhead.
       Fusion: tpu_roofline, a scale per type of kernel. Tile: TPU_COUNT_TRAFFIC. */
    TPU_BASELINE_ROOFLINE,
    /* The same with the lengths of loops and the number of contiguous pieces: TPU_COUNT_LOOPS. */
    TPU_BASELINE_LOOPS,
    /* Regression trees (XGBoost) on tpu_baseline_columns. */
    TPU_BASELINE_BOOSTING,
    TPU_BASELINES
} tpu_baseline_kind;

const char *tpu_baseline_name(tpu_baseline_kind kind); /* "constant", "roofline", ... */

typedef struct tpu_baseline_options {
    int fit_rows;  /* configurations that rooflines read at most */
    int tree_rows; /* configurations that trees read at most; both evenly from all kernels */
    harness_boosting_options trees; /* its progress may stop them */
} tpu_baseline_options;

/* 4,096 and 32,768 rows (77 MB), 100 trees of depth 6, rate 0.1. */
tpu_baseline_options tpu_baseline_defaults(void);

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

/* ---- columns of the trees ---- */

enum {
    TPU_POOLED = 3 * TPUGRAPHS_FEATURES + TPU_OPCODES + TPU_STATIC,
    TPU_COLUMNS = TPU_POOLED + TPUGRAPHS_TILE_FEATURES
};

/* Mean, maximum and sum over the nodes of s(v) = sign(v) log(1 + |v|) of the 140 features; the
   number of nodes with each op code; s of the static features. out [TPU_POOLED]. */
void tpu_baseline_pool(float *out, const tpu_kernel *kernel);
/* The pooled columns, then s of the tile's numbers (0 without a tile). out [TPU_COLUMNS]. */
void tpu_baseline_columns(float *out, const float *pooled, const tpu_kernel *kernel, int config);

#endif
