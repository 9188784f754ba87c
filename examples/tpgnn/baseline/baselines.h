/* SPDX-License-Identifier: MIT */
/* The baselines that a learned model has to beat: gradient boosting with TVM's settings, ridge
   regression, simple rules and random order. They read plain arrays, those of the file format of
   measured schedules. All give scores that are small for schedules that are predicted fast. */
#ifndef TPGNN_BASELINES_H
#define TPGNN_BASELINES_H

#include "core/core.h"

/* k schedules and the buffers that they store. Borrowed. */
typedef struct tpgnn_stores {
    const float *feature_row;    /* [rows, columns] of a stored buffer; on TVM's scale */
    const int32_t *store_row;    /* [store_offset[schedules]] row of feature_row */
    const int64_t *store_offset; /* [schedules + 1] */
    const int64_t *runtime;      /* [schedules] ns; not read when scores are asked for */
    const int32_t *task;         /* [schedules] 0 to tasks - 1; as runtime */
    int rows, columns, schedules, tasks;
} tpgnn_stores;

/* Checks that the arrays fit together; `measured`: run times and tasks, too. Fails: AG_ESHAPE
   (sizes), AG_EINDEX (a row, an offset, a task), AG_EFINITE (a feature), AG_EDATA (a run time below
   1). */
ag_status tpgnn_stores_check(const tpgnn_stores *stores, int measured, ag_failure *why);

/* y [schedules]: fastest run time of the task / run time, in 0..1: TVM's label. */
void tpgnn_throughput(double *y, const tpgnn_stores *stores);

/* ---- without learning ---- */

/* Uniform numbers that belong to the seed. */
void tpgnn_score_random(double *score, int schedules, uint64_t seed);
/* Minus the number of buffers that a schedule stores; the opposite order is -score. */
void tpgnn_score_stores(double *score, const tpgnn_stores *stores);
/* Sum of log2 of the extents above 1 that are marked: with vectorised loops marked, the best single
   feature of a prototype's data. extent and marked [offset[schedules]], a loop (or any node) each.
 */
void tpgnn_score_extents(double *score, const float *extent, const uint8_t *marked,
                         const int64_t *offset, int schedules);

/* ---- gradient boosting ---- */

/* The score of a schedule is minus the sum of the outputs of the trees over its stored buffers. The
   loss is sum w (-score - y)^2 / 2 over stored buffers, with y the throughput and w = y. A row that
   several stores share enters once, with the sum of their derivatives: the gains of splits are the
   same as with a copy for each store; only the bins of XGBoost's histograms may differ.
   Source: auto_scheduler's XGBModel, Apache TVM 0.8 to 0.19 ("pack-sum" objective; also that of
   MetaSchedule). */

typedef struct tpgnn_boosting_options {
    uint64_t seed;
    int rounds, depth;
    /* Boosting ends after this many consecutive trees that do not lower the error (root mean square
       over stored buffers) on the schedules of the fit; those trees are kept. 0: never before
       `rounds`. */
    int patience;
    double rate, least_gain, least_weight;
    double start; /* of a row: a schedule of n stores starts at n times this */
    int (*progress)(void *context, const char *label, double done); /* as in harness_boosting */
    void *context;
} tpgnn_boosting_options;

/* TVM's: seed 43, at most 10,000 trees of depth 10, patience 50, rate 0.2, least gain 0.001, least
   weight 0, start 0.5 (XGBoost's). With a start of 0 the number of stores does not favour a
   schedule; a fair comparison runs both. */
tpgnn_boosting_options tpgnn_boosting_defaults(void);

/* NULL: the failure is in `why`: AG_EUSE (a build without libxgboost; a setting that is not in its
   range; no schedules), as tpgnn_stores_check, AG_EMEMORY, AG_EDATA (XGBoost's error). The result
   does not depend on the number of threads. */
typedef struct tpgnn_boosting tpgnn_boosting;
tpgnn_boosting *tpgnn_boosting_fit(const tpgnn_stores *stores,
                                   const tpgnn_boosting_options *options, ag_failure *why);
ag_status tpgnn_boosting_score(double *score, tpgnn_boosting *boosting, const tpgnn_stores *stores,
                               ag_failure *why);
int tpgnn_boosting_trees(const tpgnn_boosting *boosting);
void tpgnn_boosting_free(tpgnn_boosting *boosting);

/* ---- ridge regression ---- */

/* Columns: the sum of each feature over the stores of a schedule, and the number of its stores;
   all standardised. */

typedef enum tpgnn_ridge_kind {
    /* Fits ln(run time) and columns, both less their means over the task, which leaves the
       differences between schedules of a task. Its costs are relative to an unknown offset of the
       task. */
    TPGNN_RIDGE_WITHIN,
    TPGNN_RIDGE_ABSOLUTE /* of ln(run time in ns) itself */
} tpgnn_ridge_kind;

/* The weight is the one with the smallest error on the last fifth of the tasks, by their numbers;
   then all tasks are fitted. cost [schedules]: predicted ln t, which is the score. Fails:
   AG_EUSE (no schedules; other columns than those of the fit), as tpgnn_stores_check,
   AG_EMEMORY. */
typedef struct tpgnn_ridge tpgnn_ridge;
tpgnn_ridge *tpgnn_ridge_fit(const tpgnn_stores *stores, tpgnn_ridge_kind kind, ag_failure *why);
ag_status tpgnn_ridge_cost(double *cost, const tpgnn_ridge *ridge, const tpgnn_stores *stores,
                           ag_failure *why);
double tpgnn_ridge_weight(const tpgnn_ridge *ridge); /* the chosen weight */
void tpgnn_ridge_free(tpgnn_ridge *ridge);

#endif
