/* SPDX-License-Identifier: MIT */
/* Warnings that all programs give in the same words: that data are unlike those that a run was
   trained on, and that all scores of a group are equal. */
#ifndef HARNESS_UNSEEN_H
#define HARNESS_UNSEEN_H

#include "examples/harness/model/model.h"

/* How many rows of x [rows,columns] have a value below low[column] or above high[column]. */
int64_t harness_far_rows(const float *x, int64_t rows, int columns, const double *low,
                         const double *high);

/* Counts programs, groups, tasks or files in which too many rows are far from those of training.
   Set the first five fields. */
typedef struct harness_far {
    const char *what;  /* "file", "program" */
    const char *rows;  /* "nodes" */
    const char *limit; /* the distance that is far: "more than 10 standard deviations" */
    const char *run;
    double most;       /* the largest share of far rows in data of the same source */
    int count;         /* how many have a larger share */
    const char *first; /* the name of the first of them, borrowed */
    double share;      /* the smallest share among them */
} harness_far;

/* Counts what `name` names if more than far->most of its `all` rows are far. */
void harness_far_add(harness_far *far, const char *name, int64_t rows, int64_t all);
void harness_far_warn(const harness_far *far); /* unless the count is 0 */

/* Warns of groups in which several items all have the same score. */
void harness_warn_alike(const harness_model *model, const void *results);

#endif
