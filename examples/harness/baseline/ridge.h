/* SPDX-License-Identifier: MIT */
/* Ridge regression. */
#ifndef HARNESS_RIDGE_H
#define HARNESS_RIDGE_H

#include "core/types.h"

/* Minimises mean (y - x w - b)^2 + weight |w|^2 over x [rows, columns] and y [rows]: out [columns +
   1] is w, then b, by Cholesky's factorisation of the centred normal equations. Columns that are 0
   in all rows get 0. The weight is the power of ten from 1e-6 to 10 with which a fit to the rows
   before `head` is best on the others; 0.1 if there are no others. Fails: AG_EFINITE when the
   equations of the other columns are singular. */
ag_status harness_ridge_fit(double *out, double *weight, const float *x, const double *y, int rows,
                            int head, int columns, ag_failure *why);
/* x w + b of a row. */
double harness_ridge_predict(const double *w, const float *x, int columns);

#endif
