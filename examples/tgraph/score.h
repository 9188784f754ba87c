/* SPDX-License-Identifier: MIT */
/* Scores of configurations by a model, and how well they rank. */
#ifndef TGRAPH_SCORE_H
#define TGRAPH_SCORE_H

#include "examples/tgraph/data/set.h"

/* How to score: `configs` together, and the mean over `tta` permutations (0: the given order). */
typedef struct tgraph_scorer {
    const tgraph_model *model;
    ag_tape *tape;
    int configs, tta;
    int patient;        /* 1: continues after an interruption */
    tgraph_batch batch; /* scratch: start from {0} */
    int32_t *chosen, *order;
    ag_real *feature;
    int room;
    void (*note)(void *user, int done); /* called after each chunk; may be NULL */
    void *user;
} tgraph_scorer;

void tgraph_scorer_close(tgraph_scorer *s);

/* score[i] is that of the entry's configuration item[i] (NULL: i), i < count. The tape is set back
   to training mode. After an interruption (harness_interrupted), it stops at once with meaningless
   scores, unless `patient` is 1. */
ag_status tgraph_score(tgraph_scorer *s, const tgraph_entry *e, const int32_t *item, int count,
                       double *score, ag_failure *why);

enum { TGRAPH_SLOWS = 4 };
extern const int tgraph_slowdown_at[TGRAPH_SLOWS]; /* 1, 5, 10, 100 */

/* How well scores order the run times; NaN where not defined. */
typedef struct tgraph_grades {
    int64_t configs;
    double tau, opa, tied, slowdown[TGRAPH_SLOWS], top5, top50; /* tied: share of all pairs */
} tgraph_grades;

ag_status tgraph_grade(tgraph_grades *grades, const tgraph_entry *e, const int32_t *item, int count,
                       const double *score, int tau_a, ag_failure *why);

/* Mean of every grade over the files where it is defined. */
tgraph_grades tgraph_grades_mean(const tgraph_grades *grades, int count);

/* The grade that selects the best checkpoint: tau, or for tile files the mean top-50 score. */
double tgraph_grades_main(const tgraph_grades *grades, int tile);
const char *tgraph_main_name(int tile, int tau_a);

/* Names and values of the columns of tables and metrics. */
int tgraph_grade_count(int tile);
const char *tgraph_grade_name(int tile, int tau_a, int index);
double tgraph_grade_value(const tgraph_grades *grades, int tile, int index);

#endif
