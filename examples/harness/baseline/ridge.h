/* SPDX-License-Identifier: MIT */
/* Ridge regression from sums over the rows. */
#ifndef HARNESS_RIDGE_H
#define HARNESS_RIDGE_H

#include "core/core.h"

/* Sums over rows, all that ridge regression needs of its data. */
typedef struct harness_moments {
    int columns;
    double rows, y, yy;
    double *x, *xy, *xx; /* [columns], [columns], [columns, columns] lower half */
} harness_moments;

void harness_moments_open(harness_moments *moments, int columns);
/* Adds x [rows, columns] and y [rows]. */
void harness_moments_add(harness_moments *moments, const float *x, const double *y, int rows);
void harness_moments_close(harness_moments *moments);

/* Minimises mean (y - x w - b)^2 + weight |w|^2: out [columns + 1] is w, then b, by Cholesky's
   factorisation of the centred normal equations. Columns that are 0 in all rows get weight 0.
   Fails: AG_EFINITE when the equations of the others are singular (weight 0). */
ag_status harness_ridge_solve(double *out, const harness_moments *moments, double weight,
                              ag_failure *why);
/* Mean squared error of w and b on the rows of the moments. */
double harness_ridge_error(const harness_moments *moments, const double *w);

/* The regression of x [rows, columns] and y [rows], by the weight, a power of ten from 1e-6 to 10,
   which is best on the rows from `head` on for a solution of those before. Fails: AG_EFINITE. */
ag_status harness_ridge_fit(double *out, double *weight, const float *x, const double *y, int rows,
                            int head, int columns, ag_failure *why);
/* x w + b of a row. */
double harness_ridge_predict(const double *w, const float *x, int columns);

#endif
