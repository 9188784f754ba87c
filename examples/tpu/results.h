/* SPDX-License-Identifier: MIT */
/* Scores of a whole call: of the model and of the baselines, program by program. */
#ifndef TPU_RESULTS_H
#define TPU_RESULTS_H

#include "examples/tpu/baselines.h"
#include "examples/tpu/grades.h"
#include "examples/tpu/program.h"
#include "examples/tpu/score.h"

enum { TPU_METHODS = 1 + TPU_BASELINES };

/* Means and medians over the programs; NaN where not defined. */
typedef struct tpu_grades {
    double of[TPU_MEASURES], median[TPU_MEASURES];
} tpu_grades;

/* How many measures a task has, the first one chooses the best checkpoint (smaller is better). */
int tpu_measure_count(tpu_task task);

typedef struct tpu_results {
    const tpu_data *data;
    const tpu_kernel **kernel; /* [kernels] */
    int methods, models;       /* models: added so far */
    const char *name[TPU_METHODS];
    char *note[TPU_METHODS];    /* what was fitted, or why there is none; the model has none */
    double *score[TPU_METHODS]; /* [tpu_scores(data)]; fusion: ns */
    const double **at;          /* [kernels] scratch */
    tpu_grade *grade;           /* [methods, programs] */
} tpu_results;

/* Room for the model's scores, which are 0. */
void tpu_results_open(tpu_results *r, const tpu_data *data);
void tpu_results_close(tpu_results *r);

/* Adds the scores of one model, divided by `models`: call it once per model of an ensemble; the
   mean of predicted ln(ns) becomes ns with the last one. */
ag_status tpu_results_add(tpu_results *r, const tpu_scorer *scorer, int models, ag_failure *why);

/* Fits every baseline on the training kernels and scores. One that cannot be fitted has a note
   alone. Interrupted, it leaves out what is not ready. Fails: AG_EMEMORY, AG_EDATA. */
ag_status tpu_results_baselines(tpu_results *r, const tpu_data *train, ag_failure *why);

/* Grades all methods; least: of a fusion kernel that counts, ns. Fails: AG_EFINITE. */
ag_status tpu_results_grade(tpu_results *r, int64_t least, ag_failure *why);
tpu_grades tpu_results_mean(const tpu_results *r, int method);

enum { TPU_TABLES = 3 };
/* Programs, methods; fusion: methods over all kernels, too. Returns how many tables. least: as in
   tpu_results_grade. */
int tpu_results_tables(harness_table *table[TPU_TABLES], const tpu_results *r, const char *title,
                       int64_t least);
void tpu_tables_free(harness_table *table[TPU_TABLES], int count);
/* The tables, then what the other methods are, on stdout. */
void tpu_results_print(const tpu_results *r, harness_table *const *table, int count);
struct json_t *tpu_results_json(const tpu_results *r);

#endif
