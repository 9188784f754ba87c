/* SPDX-License-Identifier: MIT */
/* Scores of a whole call: those of the model and of the baselines, task by task. */
#ifndef TPGNN_RESULTS_H
#define TPGNN_RESULTS_H

#include "examples/tpgnn/checkpoint.h"
#include "examples/tpgnn/grades.h"
#include "examples/tpgnn/score.h"

enum { TPGNN_METHODS = 8 };

/* The data that baselines learn from, and those that are scored. */
typedef struct tpgnn_files {
    tpgnn_data train, scored;
} tpgnn_files;

typedef struct tpgnn_results {
    const tpgnn_data *data;
    tpgnn_files *files;         /* that the data are of; NULL: not known */
    int methods, models, costs; /* models added so far; those of them that predict run times */
    const char *name[TPGNN_METHODS];
    char *note[TPGNN_METHODS];    /* a description; the model has none */
    double *score[TPGNN_METHODS]; /* [schedules] small: predicted fast */
    double *cost[TPGNN_METHODS];  /* [schedules] predicted ln(ns); NULL: scores only rank */
    tpgnn_grade *grade;           /* [methods, tasks] */
    tpgnn_comparison comparison;  /* of the grades; borrows from here */
    double *ns;                   /* [schedules] exp of the model's cost; NULL: none */
    int *number;                  /* [schedules] of their files */
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

/* Fits the baselines on the training schedules, and scores with all of them. One that cannot be
   fitted is left out, with a warning. After an interruption, results that are not ready are left
   out. Fails: AG_EMEMORY, AG_EDATA, AG_EUSE (no training schedules). */
ag_status tpgnn_results_baselines(tpgnn_results *r, const tpgnn_data *train, ag_failure *why);

/* Grades all methods, for `comparison` and the functions below. Fails: AG_EFINITE. */
ag_status tpgnn_results_grade(tpgnn_results *r, ag_failure *why);
/* mean [TPGNN_MEASURES] over the tasks; NaN where a measure is not defined. */
void tpgnn_results_mean(double *mean, const tpgnn_results *r, int method);

/* Tables of tasks, of families, of methods over the tasks, of methods over the families; returns
   their number. */
int tpgnn_results_tables(harness_table *table[HARNESS_TABLES], const tpgnn_results *r,
                         const char *title);
struct json_t *tpgnn_results_json(const tpgnn_results *r);

#endif
