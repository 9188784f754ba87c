/* SPDX-License-Identifier: MIT */
/* Scores of a whole call: those of the model and of the baselines, program by program. */
#ifndef TPU_RESULTS_H
#define TPU_RESULTS_H

#include "examples/tpu/analytic/baselines.h"
#include "examples/tpu/grades.h"
#include "examples/tpu/program.h"
#include "examples/tpu/score.h"

enum { TPU_METHODS = 1 + TPU_BASELINES };

/* Means and medians over the programs; NaN where not defined. */
typedef struct tpu_grades {
    double of[TPU_MEASURES], median[TPU_MEASURES];
} tpu_grades;

/* The number of measures of a task. The first one chooses the best checkpoint (smaller is
   better). */
int tpu_measure_count(tpu_task task);

/* The data that the baselines learn from, and those that are scored. */
typedef struct tpu_files {
    tpu_data train, scored;
} tpu_files;

typedef struct tpu_results {
    const tpu_data *data, *train;
    int64_t least;             /* the shortest fusion kernel that counts, ns */
    const tpu_kernel **kernel; /* [kernels] */
    /* Groups of scores: the tiles of a kernel, or consecutive kernels of a program. */
    int groups;
    const char **group;  /* [groups] names */
    int64_t *first;      /* [groups + 1] */
    int *number;         /* [scores] the tile, or the kernel's number in its program */
    int64_t *actual;     /* [scores] measured ns; 0: hidden */
    int methods, models; /* models: added so far */
    const char *name[TPU_METHODS];
    char *note[TPU_METHODS];    /* the fitted values, or why there are none; the model has none */
    double *score[TPU_METHODS]; /* [tpu_scores(data)]; fusion: ns */
    const double **at;          /* [kernels] scratch */
    tpu_grade *grade;           /* [methods, programs] */
} tpu_results;

/* Makes room for the model's scores, which are 0. */
void tpu_results_open(tpu_results *r, const tpu_files *files, int64_t least);
void tpu_results_close(tpu_results *r);

/* Adds the scores of one model, divided by `models`: call it once per model of an ensemble; the
   mean of predicted ln(ns) becomes ns with the last one. */
ag_status tpu_results_add(tpu_results *r, const tpu_scorer *scorer, int models, ag_failure *why);

/* Fits every baseline on the training kernels, if there are any, and scores with it. One that
   cannot be fitted has only a note. After an interruption, results that are not ready are left out.
   Fails: AG_EMEMORY, AG_EDATA. */
ag_status tpu_results_baselines(tpu_results *r, ag_failure *why);

/* Grades all methods. Fails: AG_EFINITE. */
ag_status tpu_results_grade(tpu_results *r, ag_failure *why);
tpu_grades tpu_results_mean(const tpu_results *r, int method);

/* Tables of programs and of methods; fusion: of methods over all kernels, too. Returns their
   number. */
int tpu_results_tables(harness_table *table[HARNESS_TABLES], const tpu_results *r,
                       const char *title);
struct json_t *tpu_results_json(const tpu_results *r);

#endif
