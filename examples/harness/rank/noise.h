/* SPDX-License-Identifier: MIT */
/* Estimates how much of the differences between run times is noise. */
#ifndef HARNESS_NOISE_H
#define HARNESS_NOISE_H

#include <stdint.h>

/* Half the width of the middle 68 % of ln(run time): one standard deviation where times are
   log-normal, and robust against outliers. 0 for fewer than two. */
double harness_time_spread(const int64_t *ns, int n);

/* The standard deviation of one measurement, from pairs of measurements of the same things: the
   68th percentile of |ln(first / second)|, divided by the root of 2. -1 without pairs. */
double harness_time_noise(const int64_t *first, const int64_t *second, int n);

/* The largest |ln(first / second)|; 0 without pairs. */
double harness_time_worst(const int64_t *first, const int64_t *second, int n);

/* Kendall's tau-b of two lists of run times; NaN where all of the second are equal. */
double harness_time_tau(const int64_t *first, const int64_t *second, int n);

#endif
