/* SPDX-License-Identifier: MIT */
/* Scores of a whole call: of the model and of the baselines, task by task. */
#ifndef TPGNN_RESULTS_H
#define TPGNN_RESULTS_H

#include "examples/tpgnn/checkpoint.h"
#include "examples/tpgnn/grades.h"
#include "examples/tpgnn/score.h"

enum { TPGNN_METHODS = 8 };

typedef struct tpgnn_results {
    const tpgnn_data *data;
    int methods, models, costs; /* models added so far; those of them that predict run times */
    const char *name[TPGNN_METHODS];
    char *note[TPGNN_METHODS];    /* what it is; the model has none */
    double *score[TPGNN_METHODS]; /* [schedules] grows with the speed that is predicted */
    double *cost[TPGNN_METHODS];  /* [schedules] predicted ln(ns); NULL: scores only rank */
    tpgnn_grade *grade;           /* [methods, tasks] */
    tpgnn_comparison comparison;  /* of the grades; borrows from here */
    int64_t *runtime;             /* [schedules] */
    int32_t *task, *family_of;    /* [schedules], [tasks] */
    const char **task_name;       /* [tasks] */
} tpgnn_results;

/* Room for the model's scores, which are 0. The data outlives the results. */
void tpgnn_results_open(tpgnn_results *r, const tpgnn_data *data);
void tpgnn_results_close(tpgnn_results *r);

/* Adds the scores of one model, divided by `models`: call it once per model of an ensemble. Its
   costs are those that the checkpoint's labels give: the mean over the models, when all have them.
   Fails: as tpgnn_score. */
ag_status tpgnn_results_add(tpgnn_results *r, const tpgnn_scorer *scorer,
                            const tpgnn_checkpoint *checkpoint, int models, ag_failure *why);

/* Fits what can be fitted on the training schedules, and scores with all baselines. One that cannot
   be fitted is left out, with a warning. Interrupted, it leaves out what is not ready. Fails:
   AG_EMEMORY, AG_EDATA, AG_EUSE (no training schedules). */
ag_status tpgnn_results_baselines(tpgnn_results *r, const tpgnn_data *train, ag_failure *why);

/* Grades all methods, for `comparison` and the functions below. Fails: AG_EFINITE. */
ag_status tpgnn_results_grade(tpgnn_results *r, ag_failure *why);
/* mean [TPGNN_MEASURES] over the tasks; NaN where a measure is not defined. */
void tpgnn_results_mean(double *mean, const tpgnn_results *r, int method);

enum { TPGNN_TABLES = 4 };
/* Tasks, families, methods over the tasks, methods over the families. */
void tpgnn_results_tables(harness_table *table[TPGNN_TABLES], const tpgnn_results *r,
                          const char *title);
void tpgnn_tables_free(harness_table *table[TPGNN_TABLES]);
/* The tables, then what the other methods are, on stdout. */
void tpgnn_results_print(const tpgnn_results *r, harness_table *const table[TPGNN_TABLES]);
struct json_t *tpgnn_results_json(const tpgnn_results *r);

#endif
