/* SPDX-License-Identifier: MIT */
#include "examples/tpu/analytic/fit.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 40 /* of one size of step, at most */, STARTS = 4, MOST = 32 };

static int try_factor(double *x, double factor, double *least, const double *all,
                      double (*error)(const double *x, void *context), void *context)
{
    const double old = *x;
    *x = old * factor;
    if (*x > 1e-30 && *x < 1e30) {
        const double now = error(all, context);
        /* The search ends when gains become negligible; a NaN is never accepted. */
        if (now < *least * (1 - 1e-7)) {
            *least = now;
            return 1;
        }
    }
    *x = old;
    return 0;
}

static double descend(double *x, int n, double (*error)(const double *x, void *context),
                      void *context)
{
    static const double step[] = {64, 8, 3, 1.7, 1.3, 1.14, 1.06, 1.02};
    double least = error(x, context);
    for (size_t s = 0; s < sizeof step / sizeof *step; s++) {
        int moved = 1;
        for (int round = 0; moved && round < ROUNDS; round++) {
            moved = 0;
            for (int i = 0; i < n; i++)
                moved |= try_factor(&x[i], step[s], &least, x, error, context) ||
                         try_factor(&x[i], 1 / step[s], &least, x, error, context);
        }
    }
    return least;
}

double tpu_fit(double *x, int n, double (*error)(const double *x, void *context), void *context)
{
    double first[MOST], now[MOST], least = 0;
    if (n > MOST) return error(x, context);
    memcpy(first, x, (size_t)n * sizeof *x);
    ag_random random = {0, 0x545055464954, 0};
    for (int start = 0; start < STARTS; start++) {
        for (int i = 0; i < n; i++)
            now[i] = first[i] * (start ? exp(6 * (ag_random_uniform(&random) - 0.5)) : 1);
        const double error_now = descend(now, n, error, context);
        if (start && !(error_now < least)) continue;
        least = error_now;
        memcpy(x, now, (size_t)n * sizeof *x);
    }
    return least;
}
