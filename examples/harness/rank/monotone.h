/* SPDX-License-Identifier: MIT */
/* Calibration: a map from scores to values, which trusts only the order of the scores. */
#ifndef HARNESS_MONOTONE_H
#define HARNESS_MONOTONE_H

#include "core/types.h"

/* A step function that rises with x: value[k] for x up to end[k], and the last value beyond. Its
   arrays are harness_lasting. */
typedef struct harness_monotone {
    int steps;
    double *end, *value; /* [steps], both ascending */
} harness_monotone;

/* Monotone regression of y on x, both [count], count >= 1: the rising step function with the least
   squared error (pool adjacent violators); then neighbouring steps that a t test at a level of 1 in
   1,000 does not tell apart are joined, those that add the least squared error first. The steps
   were chosen from the same data, so a few per cent of the fits keep a step that is due to chance.
   Sources: Ayer et al., "An Empirical Distribution Function for Sampling with Incomplete
   Information" (1955); joining steps: Schell and Singh, "The Reduced Monotonic Regression Method"
   (1997), there by an F test with one variance for all. O(n log n), and quadratic in the steps
   before they are joined. Fails: AG_EFINITE (an x is not finite); *m is then empty. */
ag_status harness_monotone_fit(harness_monotone *m, const double *x, const double *y, int count,
                               ag_failure *why);
double harness_monotone_at(const harness_monotone *m, double x);

#endif
