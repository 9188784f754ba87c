/* SPDX-License-Identifier: MIT */
/* The statements of schedules, as additive trees and the estimate of cycles read them. */
#ifndef TPGNN_STATEMENTS_H
#define TPGNN_STATEMENTS_H

#include "examples/harness/baseline/additive.h"
#include "examples/harness/baseline/trees.h"
#include "examples/tpgnn/data/data.h"

/* A group per task, a row per statement (nest_rows.h), with the cycles of nest.h as its work. */
typedef struct tpgnn_statements {
    int tasks;
    harness_additive_group *group; /* [tasks] */
    float *x;                      /* [rows, TPGNN_ROW] */
    double *work;                  /* [rows] */
    int *row, *first;              /* [rows]; [schedules + tasks] */
    double *y;                     /* [schedules] */
} tpgnn_statements;

/* Start from {0}. Fails: AG_EMEMORY; tpgnn_statements_drop frees either way. */
ag_status tpgnn_statements_take(tpgnn_statements *s, const tpgnn_data *data, ag_failure *why);
void tpgnn_statements_drop(tpgnn_statements *s);

/* score [schedules]: ln of the cycles of all statements, which learns nothing. */
void tpgnn_score_cycles(double *score, const tpgnn_statements *s);

/* 400 trees of depth 6, rate 0.1: chosen on validation workloads. */
harness_boosting_options tpgnn_additive_options(void);
/* Fits trees->count of them on all schedules and keeps them in `trees`: `sets` times as many as a
   set has, each with its own draws of columns, and each tree divided by `sets`. Trees of equal sets
   would be the same. In a build without libxgboost they stay as they are, with a warning. Fails: as
   harness_additive_fit. */
typedef struct tpgnn_trees_options {
    uint64_t seed;
    int sets;
    double columns;    /* share that a tree sees */
    double order, top; /* of ordered.h; 0: the squares of the baseline alone */
} tpgnn_trees_options;
ag_status tpgnn_trees_fit(harness_trees *trees, const tpgnn_data *data,
                          const tpgnn_trees_options *options, ag_failure *why);
/* score [schedules]: ln of the sum. Fails: as harness_additive_score. */
ag_status tpgnn_additive_score(double *score, harness_boosting *trees, const tpgnn_statements *s,
                               ag_failure *why);

#endif
