/* SPDX-License-Identifier: MIT */
/* Means that leave out values which are not known. */
#include "examples/harness/base/base.h"

#include <math.h>

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
