/* SPDX-License-Identifier: MIT */
/* The baselines that TGraph has to beat: random scores, ridge regression and gradient
   boosting, scored on the same configurations. */
#ifndef TGRAPH_BASELINES_H
#define TGRAPH_BASELINES_H

#include "examples/harness/baseline/boosting.h"
#include "examples/harness/baseline/ridge.h"
#include "examples/tgraph/data/data.h"

typedef enum tgraph_baseline_kind {
    TGRAPH_BASELINE_RANDOM,   /* uniform scores */
    TGRAPH_BASELINE_RIDGE,    /* linear in the standardised columns, squared error */
    TGRAPH_BASELINE_BOOSTING, /* regression trees (XGBoost), squared error */
    TGRAPH_BASELINE_ROUNDED,  /* their scores to three digits: closer ones tie, as equally fast ones
                                 do */
    TGRAPH_BASELINES
} tgraph_baseline_kind;

/* Configurations of a file, which is borrowed, to fit on or to score. */
typedef struct tgraph_baseline_part {
    const tgraph_file *file;
    const int32_t *config; /* [count] configurations; NULL: 0..count-1 */
    int count;
} tgraph_baseline_part;

/* The training part of a file after tgraph_file_split; without a split the whole file. */
tgraph_baseline_part tgraph_baseline_train(const tgraph_file *file);

typedef struct tgraph_baseline_options {
    uint64_t seed;    /* of random scores, of rows that are drawn, of the trees */
    int most_rows;    /* configurations that a fit reads, of all its files together */
    int most_columns; /* one-hot columns per file; those that vary most stay */
    int most_cells;   /* rows x columns of a fit: every n-th row then stays (4 bytes each) */

    /* Called often while fitting, in the caller's thread; may be NULL. done is in 0..1. A result
       other than 0 stops the fits and leaves out the baselines that are not ready. */
    int (*progress)(void *context, const char *label, double done);
    void *context;
} tgraph_baseline_options;

/* Seed 0, 65,536 rows, 1,536 columns, 2^24 cells (64 MiB). The trees are harness_boosting_defaults.
 */
tgraph_baseline_options tgraph_baseline_defaults(void);

/* One baseline on one part. */
typedef struct tgraph_baseline {
    double *score;  /* [count] in the part's order, slowest largest; NULL: see note */
    char note[240]; /* settings and parts left out, or the reason why there are no scores */
} tgraph_baseline;

typedef struct tgraph_baseline_result {
    int within; /* 1: fitted on the file's own training part */
    tgraph_baseline of[TGRAPH_BASELINES];
} tgraph_baseline_result;

/* Fits on `train` and scores each part of `parts` into result[parts].

   A file that was split is fitted by itself, on its own training part: the target is the
   log run time, standardised; the columns are one-hot of the 18 digits of its configurable nodes
   (node, digit, value), without constant columns and with equal ones taken once.

   All other files share one fit on `train`; without any part they have random scores alone. The
   target is the log of run time, standardised within each program; the columns are
   tgraph_baseline_layout_features.

   Ridge: columns standardised, weight per row chosen from 1e-6 ... 1 on a fifth of the rows (of
   the files, from five on), then fitted on all. Parts without run times are scored, but not fitted
   on. Without libxgboost, or when it fails, trees have only a note. Equal inputs, options and
   number of threads give equal results.

   Fails: AG_EUSE (too many nodes for one-hot columns), AG_EFINITE, AG_EDATA; result is then empty.
   A file that nothing could be fitted for is no failure. */
ag_status tgraph_baselines_run(tgraph_baseline_result *result, const tgraph_baseline_part *train,
                               int trains, const tgraph_baseline_part *parts, int count,
                               const tgraph_baseline_options *options, ag_failure *why);
void tgraph_baselines_free(tgraph_baseline_result *result, int count);

/* ---- columns of the fits across programs ---- */

enum {
    TGRAPH_KINDS = 4, /* of configurable nodes: convolution, dot, reshape, other */
    TGRAPH_COUNTS = TGRAPH_KINDS * TGRAPH_DIGITS * TGRAPH_LAYOUT_ROWS,
    TGRAPH_POOLED = 2 * TGRAPH_NUMERIC,
    TGRAPH_LAYOUT_COLUMNS = 2 * TGRAPH_COUNTS + TGRAPH_POOLED
};

/* Of a configuration: how many configurable nodes of a kind have a digit at a
   value, x[(kind 18 + digit) 8 + row]; the same with each node counted log(1 + elements of its
   shape) times, x[576 + ...]; then `pooled`. x [1420]. */
void tgraph_baseline_layout_features(float *x, const tgraph_file *file, int config,
                                     const float pooled[TGRAPH_POOLED]);
/* Mean, then maximum, over all nodes of sign(v) log(1+|v|) of the numeric columns. */
void tgraph_baseline_pool(float pooled[TGRAPH_POOLED], const tgraph_graph *graph);

/* ---- one-hot columns of one file ---- */

/* The distinct columns among the rows that were counted: key is (node 18 + digit) 8 + row,
   ascending. */
typedef struct tgraph_onehot {
    int32_t *key; /* [columns] */
    int columns;
    int found; /* before most_columns */
} tgraph_onehot;

ag_status tgraph_onehot_open(tgraph_onehot *onehot, const tgraph_file *file, const int32_t *config,
                             int rows, int most_columns, ag_failure *why);
void tgraph_onehot_row(float *x, const tgraph_onehot *onehot, const tgraph_file *file, int config);
void tgraph_onehot_close(tgraph_onehot *onehot);

#endif
