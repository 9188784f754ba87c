/* SPDX-License-Identifier: MIT */
/* Run times from counts: the cost of each count is fitted. */
#include "examples/tpu/analytic/analytical.h"
#include "examples/harness/harness.h"

#include <math.h>
#include <string.h>

#include "examples/tpu/analytic/fit.h"

typedef enum part { COMPUTING, TRANSFER, OVERHEAD, PARTS } part;

/* The cost of a count: its part of the run time, where fits begin, in ns, and whether
   TPU_COUNT_LOOPS alone has it; the cost of others stays 0. */
static const struct {
    part part;
    double guess;
    int loops;
} cost_of[TPU_WORKS] = {
    [TPU_WORK_PRODUCTS] = {COMPUTING, 0.1, 0}, [TPU_WORK_SUMS] = {COMPUTING, 0.1, 0},
    [TPU_WORK_ROWS] = {COMPUTING, 2, 1},       [TPU_WORK_FOLDS] = {COMPUTING, 2, 1},
    [TPU_WORK_PASSES] = {COMPUTING, 5, 1},     [TPU_WORK_ELEMENTS] = {COMPUTING, 0.2, 0},
    [TPU_WORK_LOOPS] = {COMPUTING, 2, 1},      [TPU_WORK_SPECIAL] = {COMPUTING, 2, 0},
    [TPU_WORK_READ] = {TRANSFER, 0.05, 0},     [TPU_WORK_RUNS] = {TRANSFER, 1, 1},
    [TPU_WORK_PARTIAL] = {TRANSFER, 0.05, 1},  [TPU_WORK_WRITTEN] = {TRANSFER, 0.05, 0},
    [TPU_WORK_TILES] = {OVERHEAD, 100, 0},     [TPU_WORK_STEPS] = {OVERHEAD, 100, 0}};

double tpu_counted_time(const tpu_counted *c, const double work[TPU_WORKS], tpu_type type)
{
    double time[PARTS] = {0};
    for (int k = 0; k < TPU_WORKS; k++) time[cost_of[k].part] += c->cost[k] * work[k];
    const double sum = time[COMPUTING] + time[TRANSFER];
    const double both = c->overlap ? fmax(time[COMPUTING], time[TRANSFER]) : sum;
    return c->scale[type] * both + time[OVERHEAD];
}

typedef struct rows {
    double (*work)[TPU_WORKS];
    double *measured; /* log ns (tiles), ns (kernels) */
    tpu_type *type;
    int *first; /* tiles: [kernels + 1] */
    int kernels, overlap;
} rows;

static void rows_open(rows *all, int kernels, int64_t count)
{
    const size_t n = (size_t)count;
    all->work = harness_alloc(n * sizeof *all->work);
    all->measured = harness_alloc(n * sizeof *all->measured);
    all->type = harness_alloc(n * sizeof *all->type);
    all->first = harness_alloc(((size_t)kernels + 1) * sizeof *all->first);
}

static void rows_close(rows *all)
{
    harness_free(all->work);
    harness_free(all->measured);
    harness_free(all->type);
    harness_free(all->first);
}

/* x: costs, then scales where there are n of both. */
static tpu_counted counted_at(const double *x, int n, int overlap)
{
    tpu_counted c = {.overlap = overlap};
    memcpy(c.cost, x, sizeof c.cost);
    for (int t = 0; t < TPU_TYPES; t++) c.scale[t] = TPU_WORKS + t < n ? x[TPU_WORKS + t] : 1;
    return c;
}

static double tiles_error(const double *x, void *context)
{
    const rows *all = context;
    const tpu_counted c = counted_at(x, TPU_WORKS, all->overlap);
    double sum = 0;
    for (int k = 0; k < all->kernels; k++) {
        double mean = 0, square = 0;
        const int n = all->first[k + 1] - all->first[k];
        for (int i = all->first[k]; i < all->first[k + 1]; i++) {
            const double time = tpu_counted_time(&c, all->work[i], TPU_TYPE_OTHER);
            const double d = log(time) - all->measured[i];
            mean += d / n;
            square += d * d / n;
        }
        sum += square - mean * mean;
    }
    return sqrt(fmax(0, sum / all->kernels));
}

static double kernels_error(const double *x, void *context)
{
    const rows *all = context;
    const tpu_counted c = counted_at(x, TPU_WORKS + TPU_TYPES, all->overlap);
    double sum = 0;
    for (int i = 0; i < all->kernels; i++)
        sum += fabs(tpu_counted_time(&c, all->work[i], all->type[i]) / all->measured[i] - 1);
    return sum / all->kernels;
}

/* The sum has one optimum or nearly so, from which the maximum is then fitted. */
static void fit(tpu_counted *c, tpu_counts counts, int n, rows *all,
                double (*error)(const double *x, void *context))
{
    double x[TPU_WORKS + TPU_TYPES];
    for (int k = 0; k < TPU_WORKS; k++)
        x[k] = cost_of[k].loops && counts != TPU_COUNT_LOOPS ? 0 : cost_of[k].guess;
    for (int t = 0; t < TPU_TYPES; t++) x[TPU_WORKS + t] = 1;
    c->error = (double)INFINITY;
    for (all->overlap = 0; all->overlap < 2; all->overlap++) {
        const double now = tpu_fit(x, n, error, all);
        if (now >= c->error && counts == TPU_COUNT_LOOPS) return;
        *c = counted_at(x, n, all->overlap);
        c->error = now;
    }
}

/* ---- tile ---- */

static int varies(const tpu_kernel *k)
{
    if (!k->runtime || !k->tile) return 0;
    for (int i = 1; i < k->configs; i++)
        if (k->runtime[i] != k->runtime[0]) return 1;
    return 0;
}

/* Every n-th configuration of a kernel. */
static void read_tiles(rows *all, const tpu_kernel *k, int every)
{
    tpu_tiling tiling;
    int at = all->first[all->kernels];
    tpu_tiling_open(&tiling, k);
    for (int c = 0; c < k->configs; c += every) {
        tpu_tiling_work(all->work[at], &tiling, k->tile + (size_t)c * TPUGRAPHS_TILE_FEATURES);
        all->measured[at++] = log(fmax(1, (double)k->runtime[c]));
    }
    tpu_tiling_close(&tiling);
    all->first[++all->kernels] = at;
}

ag_status tpu_counted_fit_tiles(tpu_counted *c, tpu_counts counts, const tpu_kernel *const *train,
                                int count, int most_rows, ag_failure *why)
{
    int64_t configs = 0, room = 0;
    rows all = {0};
    for (int i = 0; i < count; i++) configs += varies(train[i]) ? train[i]->configs : 0;
    if (configs < 1)
        return ag_fail(why, AG_EUSE,
                       "analytical baseline: none of the %d training kernels has two different run "
                       "times to fit; give files with measured tiles",
                       count);
    const int every = (int)((configs - 1) / (most_rows > 0 ? most_rows : 1)) + 1;
    for (int i = 0; i < count; i++) room += train[i]->configs / every + 1;
    rows_open(&all, count, room);
    for (int i = 0; i < count; i++)
        if (varies(train[i])) read_tiles(&all, train[i], every);
    fit(c, counts, TPU_WORKS, &all, tiles_error);
    rows_close(&all);
    return AG_OK;
}

/* ---- fusion ---- */

void tpu_counted_whole(double work[TPU_WORKS], tpu_type *type, const tpu_kernel *kernel)
{
    static const float whole[TPUGRAPHS_TILE_FEATURES];
    tpu_tiling tiling;
    tpu_static facts;
    tpu_tiling_open(&tiling, kernel);
    tpu_tiling_work(work, &tiling, whole);
    tpu_analyse_hlo(&facts, &tiling.hlo);
    tpu_tiling_close(&tiling);
    *type = facts.type;
}

static int has_runtime(const tpu_kernel *k) { return k->runtime && k->runtime[0] > 0; }

ag_status tpu_counted_fit_kernels(tpu_counted *c, tpu_counts counts, const tpu_kernel *const *train,
                                  int count, int most_rows, ag_failure *why)
{
    rows all = {0};
    int measured = 0, seen = 0;
    for (int i = 0; i < count; i++) measured += has_runtime(train[i]);
    if (!measured) return tpu_no_runtimes(count, why);
    const int every = (measured - 1) / (most_rows > 0 ? most_rows : 1) + 1;
    rows_open(&all, 0, measured);
    for (int i = 0; i < count; i++) {
        if (!has_runtime(train[i]) || seen++ % every) continue;
        tpu_counted_whole(all.work[all.kernels], &all.type[all.kernels], train[i]);
        all.measured[all.kernels++] = (double)train[i]->runtime[0];
    }
    fit(c, counts, TPU_WORKS + TPU_TYPES, &all, kernels_error);
    rows_close(&all);
    return AG_OK;
}
