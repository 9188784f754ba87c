/* SPDX-License-Identifier: MIT */
#include "examples/tpu/baseline/baselines.h"
#include "examples/harness/harness.h"

#include <math.h>

struct tpu_baseline {
    tpu_baseline_kind kind;
    tpu_task task;
    int64_t configs; /* with run times */
    double mean;     /* fusion: of ln(ns) */
    tpu_roofline roofline;
    tpu_pooled *pooled;
    int trees;
};

const char *tpu_baseline_name(tpu_baseline_kind kind)
{
    static const char *const name[TPU_BASELINES] = {"constant", "roofline", "boosting", "ridge"};
    return (unsigned)kind < TPU_BASELINES ? name[kind] : "unknown";
}

/* Configurations that are read at most, evenly: of tiles by the roofline, and by the regressions
   (111 MB). */
enum { FIT_ROWS = 4096, POOL_ROWS = 32768 };

harness_boosting_options tpu_baseline_trees(void)
{
    harness_boosting_options o = harness_boosting_defaults();
    o.rounds = 200;
    o.columns = 0.5;
    return o;
}

static void average(tpu_baseline *b, const tpu_kernel *const *train, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        for (int c = 0; train[i]->runtime && c < train[i]->configs; c++, b->configs++)
            sum += log((double)train[i]->runtime[c]);
    if (b->configs && b->task == TPU_FUSION) b->mean = sum / (double)b->configs;
}

static ag_status fit(tpu_baseline *b, const tpu_kernel *const *train, int count,
                     const harness_boosting_options *trees, ag_failure *why)
{
    average(b, train, count);
    if (!b->configs)
        return ag_fail(why, AG_EUSE,
                       "%s: none of the %d training kernels has a run time to fit; give files with "
                       "measured kernels",
                       tpu_baseline_name(b->kind), count);
    if (b->kind == TPU_BASELINE_CONSTANT) return AG_OK;
    if (b->kind == TPU_BASELINE_ROOFLINE)
        return tpu_roofline_fit(&b->roofline, b->task, train, count, FIT_ROWS, why);
    b->trees = b->kind == TPU_BASELINE_BOOSTING ? trees->rounds : 0;
    b->pooled = tpu_pooled_fit(train, count, POOL_ROWS, b->trees ? trees : NULL, why);
    return why->status;
}

tpu_baseline *tpu_baseline_fit(tpu_baseline_kind kind, tpu_task task,
                               const tpu_kernel *const *train, int count,
                               const harness_boosting_options *trees, ag_failure *why)
{
    tpu_baseline *b = harness_alloc(sizeof *b);
    b->kind = kind;
    b->task = task;
    if (!fit(b, train, count, trees, why)) return b;
    tpu_baseline_free(b);
    return NULL;
}

void tpu_baseline_free(tpu_baseline *b)
{
    if (b) tpu_pooled_free(b->pooled);
    harness_free(b);
}

static void predict_roofline(double *score, const tpu_baseline *b, const tpu_kernel *k)
{
    tpu_load *load = harness_alloc((size_t)k->configs * sizeof *load);
    tpu_loads(load, k);
    for (int c = 0; c < k->configs; c++) score[c] = tpu_roofline_time(&b->roofline, &load[c]);
    harness_free(load);
}

ag_status tpu_baseline_predict(double *score, tpu_baseline *b, const tpu_kernel *k, ag_failure *why)
{
    if (b->kind == TPU_BASELINE_ROOFLINE) {
        predict_roofline(score, b, k);
        return AG_OK;
    }
    for (int c = 0; c < k->configs; c++) score[c] = b->mean;
    if (b->pooled) tpu_pooled_score(score, b->pooled, k, why);
    for (int c = 0; c < k->configs && !why->status; c++) score[c] = exp(score[c]);
    if (b->kind == TPU_BASELINE_CONSTANT && b->task == TPU_TILE) score[0] = 0;
    return why->status;
}

static void print_roofline(char *text, size_t bytes, const tpu_baseline *b)
{
    const tpu_roofline *r = &b->roofline;
    const int n = snprintf(
        text, bytes,
        "the slower of data transfer (%.3g bytes per ns) and computing (%.3g operations and %.3g "
        "special functions per ns), plus %.3g ns",
        r->bandwidth, r->peak, r->special, r->overhead);
    if (n < 0 || (size_t)n >= bytes) return;
    if (b->task == TPU_TILE)
        snprintf(text + n, bytes - (size_t)n,
                 " a step of a tile; ln(predicted / measured) is off by %.3g (root of the mean "
                 "square) within the training kernels",
                 r->error);
    else
        snprintf(text + n, bytes - (size_t)n,
                 "; convolutions x%.3g, dots x%.3g, reductions x%.3g; off by %.3g %% on the "
                 "training kernels",
                 r->scale[0], r->scale[1], r->scale[2], 100 * r->error);
}

void tpu_baseline_print(char *text, size_t bytes, const tpu_baseline *b)
{
    static const char on[] = "sums over the nodes of a kernel";
    if (b->kind == TPU_BASELINE_CONSTANT && b->task == TPU_TILE)
        snprintf(text, bytes, "the first tile size of every file");
    else if (b->kind == TPU_BASELINE_CONSTANT)
        snprintf(text, bytes, "%.4g ns, the geometric mean of %lld training kernels", exp(b->mean),
                 (long long)b->configs);
    else if (b->kind == TPU_BASELINE_BOOSTING)
        snprintf(text, bytes, "%d boosted trees on %d columns, %s", b->trees, TPU_POOLED_COLUMNS,
                 on);
    else if (b->kind == TPU_BASELINE_RIDGE)
        snprintf(text, bytes, "ridge regression on %d columns, %s", TPU_POOLED_COLUMNS, on);
    else
        print_roofline(text, bytes, b);
}
