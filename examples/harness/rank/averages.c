/* SPDX-License-Identifier: MIT */
#include "examples/harness/harness.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void harness_sort(double *x, int64_t n) { qsort(x, (size_t)n, sizeof *x, ascending); }

void harness_mean_spread(double *mean, double *spread, int64_t *count, const double *values,
                         int64_t n)
{
    double sum = 0, squares = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(values[i])) sum += values[i], used++;
    *mean = used ? sum / (double)used : (double)NAN;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(values[i])) squares += (values[i] - *mean) * (values[i] - *mean);
    *spread = used > 1 ? sqrt(squares / (double)(used - 1)) : (double)NAN;
    *count = used;
}

harness_averages harness_average(const double *values, int64_t n)
{
    double spread, logs = 0, *sorted = harness_alloc((size_t)n * sizeof *sorted + 1);
    int64_t count = 0;
    harness_averages a = {(double)NAN, (double)NAN, (double)NAN, 0};
    for (int64_t i = 0; i < n; i++)
        if (!isnan(values[i])) sorted[count++] = values[i];
    harness_sort(sorted, count);
    for (int64_t i = 0; i < count; i++)
        logs += log(sorted[i]); /* 0: -inf, whose exponential is 0 */
    harness_mean_spread(&a.mean, &spread, &count, values, n);
    a.count = (int)count;
    if (count) {
        a.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
        a.geometric = exp(logs / (double)count);
    }
    harness_free(sorted);
    return a;
}
