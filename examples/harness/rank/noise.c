/* SPDX-License-Identifier: MIT */
/* Estimates the noise of run times from their repeats. */
#include "examples/harness/rank/noise.h"

#include "examples/harness/base/base.h"
#include "metrics/metrics.h"

#include <math.h>

/* Linear between neighbours. Sorts x. */
static double quantile(double *x, int n, double q)
{
    const double at = q * (n - 1);
    const int i = (int)at;
    harness_sort(x, n);
    return i + 1 < n ? x[i] + (at - i) * (x[i + 1] - x[i]) : x[n - 1];
}

double harness_time_spread(const int64_t *ns, int n)
{
    if (n < 2) return 0;
    double *x = HARNESS_NEW(x, n);
    for (int i = 0; i < n; i++) x[i] = log((double)ns[i]);
    const double spread = (quantile(x, n, 0.84) - quantile(x, n, 0.16)) / 2;
    harness_free(x);
    return spread;
}

double harness_time_noise(const int64_t *first, const int64_t *second, int n)
{
    if (n < 1) return -1;
    double *x = HARNESS_NEW(x, n);
    for (int i = 0; i < n; i++) x[i] = fabs(log((double)first[i] / (double)second[i]));
    const double noise = quantile(x, n, 0.68) / sqrt(2.0);
    harness_free(x);
    return noise;
}

double harness_time_worst(const int64_t *first, const int64_t *second, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(log((double)first[i] / (double)second[i])));
    return worst;
}

double harness_time_tau(const int64_t *first, const int64_t *second, int n)
{
    ag_failure why = {0};
    ag_pairs pairs = {0};
    double *x = HARNESS_NEW(x, 2 * (size_t)n), *y = x + n;
    for (int i = 0; i < n; i++) x[i] = (double)first[i], y[i] = (double)second[i];
    double tau = ag_pairs_count(&pairs, x, y, n, &why) ? (double)NAN : ag_tau_b(&pairs);
    harness_free(x);
    return tau;
}
