/* SPDX-License-Identifier: MIT */
/* The roofline of whole kernels (fusion). */
#include "examples/tpu/analytic/analytical.h"
#include "examples/harness/harness.h"

#include <math.h>

#include "examples/tpu/analytic/fit.h"

enum { BANDWIDTH, PEAK, SPECIAL, OVERHEAD, COEFFICIENTS };

typedef struct rows {
    tpu_static *kernel;
    double *measured, *ratio;
    int n;
} rows;

double tpu_roofline_time(const tpu_roofline *r, const tpu_static *k)
{
    const double transfer = (k->read + k->written) / r->bandwidth;
    const double computing = k->flops / r->peak + k->special / r->special;
    return r->scale[k->type] * fmax(transfer, computing) + r->overhead;
}

/* The scale s with the least sum of |s / ratio - 1|: the median of the ratios, each of weight
   1 / ratio. */
static double best_scale(double *ratio, int n)
{
    double all = 0, sum = 0;
    int i = 0;
    harness_sort(ratio, n);
    for (int k = 0; k < n; k++) all += 1 / ratio[k];
    while (i < n - 1 && (sum += 1 / ratio[i]) < all / 2) i++;
    return ratio[i];
}

/* The time that a type's kernels take beyond the overhead, relative to the roofline; 0: no kernel
   determines it. */
static void scale_type(tpu_roofline *r, const rows *all, tpu_type type)
{
    int n = 0;
    r->scale[type] = 1;
    for (int i = 0; i < all->n; i++) {
        if (all->kernel[i].type != type) continue;
        const double modelled = tpu_roofline_time(r, &all->kernel[i]) - r->overhead;
        const double left = fmax(0.01 * all->measured[i], all->measured[i] - r->overhead);
        if (modelled > 0) all->ratio[n++] = left / modelled;
    }
    r->scale[type] = n ? best_scale(all->ratio, n) : 0;
}

static tpu_roofline with(const double *x, const rows *all)
{
    tpu_roofline r = {
        .bandwidth = x[BANDWIDTH], .peak = x[PEAK], .special = x[SPECIAL], .overhead = x[OVERHEAD]};
    for (int t = 0; t < TPU_TYPES; t++) scale_type(&r, all, (tpu_type)t);
    return r;
}

static double error_of(const tpu_roofline *r, const rows *all)
{
    double sum = 0;
    for (int i = 0; i < all->n; i++)
        sum += fabs(tpu_roofline_time(r, &all->kernel[i]) / all->measured[i] - 1);
    return sum / all->n;
}

static double error_at(const double *x, void *context)
{
    const rows *all = context;
    const tpu_roofline r = with(x, all);
    return error_of(&r, all);
}

/* Only products of scales and rates are determined. Therefore other kernels have scale 1 or, if
   there are none, the last type that has some; so do types without data. */
static void normalise(tpu_roofline *r)
{
    double scale = 0;
    for (int t = TPU_TYPES - 1; t >= 0 && scale == 0; t--) scale = r->scale[t];
    if (scale == 0) scale = 1;
    r->bandwidth /= scale;
    r->peak /= scale;
    r->special /= scale;
    for (int t = 0; t < TPU_TYPES; t++) r->scale[t] = r->scale[t] > 0 ? r->scale[t] / scale : 1;
}

ag_status tpu_no_runtimes(int kernels, ag_failure *why)
{
    return ag_fail(why, AG_EUSE,
                   "analytical baseline: none of the %d training kernels has a run time to fit; "
                   "give files with measured kernels",
                   kernels);
}

ag_status tpu_roofline_fit(tpu_roofline *r, const tpu_kernel *const *train, int count,
                           ag_failure *why)
{
    const size_t n = (size_t)(count > 0 ? count : 0);
    rows all = {.kernel = harness_alloc(n * sizeof *all.kernel),
                .measured = harness_alloc(n * sizeof(double)),
                .ratio = harness_alloc(n * sizeof(double))};
    double x[COEFFICIENTS] = {4, 8, 0.5, 100};
    for (size_t i = 0; i < n; i++) {
        if (!train[i]->runtime || train[i]->runtime[0] <= 0) continue;
        tpu_analyse(&all.kernel[all.n], train[i]);
        all.measured[all.n++] = (double)train[i]->runtime[0];
    }
    if (all.n < 1)
        tpu_no_runtimes(count, why);
    else {
        tpu_fit(x, COEFFICIENTS, error_at, &all);
        *r = with(x, &all);
        r->error = error_of(r, &all);
        normalise(r);
    }
    harness_free(all.kernel);
    harness_free(all.measured);
    harness_free(all.ratio);
    return why->status;
}
