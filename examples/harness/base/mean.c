/* SPDX-License-Identifier: MIT */
/* Averages that leave out values which are not known. */
#include "examples/harness/base/base.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void harness_sort(double *x, int64_t n) { qsort(x, (size_t)n, sizeof *x, ascending); }

harness_averages harness_average(const double *values, int64_t n)
{
    const double none = (double)NAN;
    harness_averages a = {none, none, none, none, 0};
    double sum = 0, squares = 0, logs = 0, *known = HARNESS_NEW(known, n);
    for (int64_t i = 0; i < n; i++)
        if (!isnan(values[i])) known[a.count++] = values[i];
    if (a.count) {
        for (int i = 0; i < a.count; i++) sum += known[i];
        a.mean = sum / a.count;
        for (int i = 0; i < a.count; i++) squares += (known[i] - a.mean) * (known[i] - a.mean);
        if (a.count > 1) a.spread = sqrt(squares / (a.count - 1));
        harness_sort(known, a.count);
        a.median = (known[(a.count - 1) / 2] + known[a.count / 2]) / 2;
        for (int i = 0; i < a.count; i++) logs += log(known[i]); /* 0: -inf, which becomes 0 */
        a.geometric = exp(logs / a.count);
    }
    harness_free(known);
    return a;
}
