/* SPDX-License-Identifier: MIT */
/* Averages of several results, some of which may be missing (NaN). */
#ifndef HARNESS_AVERAGES_H
#define HARNESS_AVERAGES_H

#include <stdint.h>

/* Ascending; none is NaN. */
void harness_sort(double *x, int64_t n);

/* Mean and standard deviation (n - 1) of the values that are not NaN; count: their number. NaN
   without any; spread NaN below two. */
void harness_mean_spread(double *mean, double *spread, int64_t *count, const double *values,
                         int64_t n);

/* Of the values that are not NaN; NaN without any. The geometric mean is NaN when a value is below
   0, and 0 when one is 0. */
typedef struct harness_averages {
    double median, geometric, mean;
    int count;
} harness_averages;
harness_averages harness_average(const double *values, int64_t n);

#endif
