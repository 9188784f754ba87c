/* SPDX-License-Identifier: MIT */
/* Warnings that all programs give in the same words: of files unlike those that a run was trained
   on, and of scores that tell nothing apart. */
#ifndef HARNESS_UNSEEN_H
#define HARNESS_UNSEEN_H

#include "examples/harness/model/model.h"

/* How many of the rows x [rows,columns] have a value below low or above high, [columns] both. */
int64_t harness_far_rows(const float *x, int64_t rows, int columns, const double *low,
                         const double *high);

/* Files with many rows that are far from those of training. Set the first four. */
typedef struct harness_far {
    const char *rows;  /* "nodes" */
    const char *limit; /* what is far: "more than 10 standard deviations" */
    const char *run;
    double most; /* the largest share of far rows in files of the same source */
    int files;
    const char *first; /* the first of these files, borrowed */
    double share;      /* of far rows, the smallest of these files */
} harness_far;

void harness_far_add(harness_far *far, const char *file, int64_t rows, int64_t all);
void harness_far_warn(const harness_far *far); /* if there are any */

/* Warns of groups of several items whose scores are all equal. */
void harness_warn_alike(const harness_model *model, const void *results);

#endif
