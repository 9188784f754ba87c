/* SPDX-License-Identifier: MIT */
/* Paired differences over seeds and groups, and Student's t. */
#include "examples/harness/study/study_internal.h"

#include <math.h>

/* The regularised incomplete beta function I_x(a, b) for x below (a + 1) / (a + b + 2), by its
   continued fraction, from the last of 200 terms to the first. */
static double beta_below(double x, double a, double b)
{
    double rest = 1;
    for (int m = 100; m >= 1; m--) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        rest = 1 + even / (1 + odd / rest);
    }
    rest = 1 - (a + b) * x / ((a + 1) * rest);
    return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / (a * rest);
}

double harness_student_p(double t, double freedom)
{
    const double a = freedom / 2, b = 0.5, x = freedom / (freedom + t * t);
    if (t == 0) return 1;
    return x < (a + 1) / (a + b + 2) ? beta_below(x, a, b) : 1 - beta_below(1 - x, b, a);
}

double harness_student_95(double freedom)
{
    double low = 1.9, high = 12.8; /* of infinitely many degrees of freedom, and of one */
    for (int i = 0; i < 60; i++) {
        const double t = (low + high) / 2;
        if (harness_student_p(t, freedom) > 0.05)
            low = t;
        else
            high = t;
    }
    return (low + high) / 2;
}

/* Sets all differences of a group that does not pair to NaN. */
static void pair_up(double *d, int seeds, int groups)
{
    bool *any = HARNESS_NEW(any, seeds); /* which seeds pair */
    for (int i = 0; i < seeds * groups; i++) any[i / groups] = any[i / groups] || !isnan(d[i]);
    for (int g = 0; g < groups; g++) {
        bool pairs = true;
        for (int s = 0; s < seeds; s++) pairs = pairs && (!any[s] || !isnan(d[s * groups + g]));
        for (int s = 0; !pairs && s < seeds; s++) d[s * groups + g] = (double)NAN;
    }
    harness_free(any);
}

/* The variance of the mean of the rows' means, of rows that are not NaN, and their number. */
static double variance(int *count, const double *d, int rows, int columns, int row, int column)
{
    double *of = HARNESS_NEW(of, rows + columns);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) of[rows + c] = d[r * row + c * column];
        of[r] = harness_average(of + rows, columns).mean;
    }
    const harness_averages a = harness_average(of, rows);
    harness_free(of);
    *count = a.count;
    return a.count > 1 ? a.spread * a.spread / a.count : 0;
}

harness_paired harness_pair(const double *of, const double *base, int seeds, int groups)
{
    const int n = seeds * groups;
    harness_paired x = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, 0, 0};
    double *d = HARNESS_NEW(d, n);
    for (int i = 0; i < n; i++) d[i] = of[i] - base[i];
    pair_up(d, seeds, groups);
    x.mean = harness_average(d, n).mean;
    const double v_s = variance(&x.seeds, d, seeds, groups, groups, 1),
                 v_g = variance(&x.groups, d, groups, seeds, 1, groups), v = v_s + v_g;
    harness_free(d);
    if (x.seeds < 2) return x;
    x.low = x.high = x.mean;
    if (v <= 0) return x;
    const double freedom = v * v / (v_s * v_s / (x.seeds - 1) + v_g * v_g / fmax(1, x.groups - 1)),
                 half = harness_student_95(freedom) * sqrt(v);
    x.p = harness_student_p(x.mean / sqrt(v), freedom);
    x.low -= half;
    x.high += half;
    return x;
}
