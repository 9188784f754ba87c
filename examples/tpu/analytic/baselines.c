/* SPDX-License-Identifier: MIT */
#include "examples/tpu/analytic/baselines.h"
#include "examples/harness/harness.h"

#include <math.h>

struct tpu_baseline {
    tpu_baseline_kind kind;
    tpu_task task;
    int kernels, configs; /* with run times */
    double mean;          /* of the targets: log ns, or log of run time over normalizer */
    tpu_roofline roofline;
    tpu_counted counted;
    tpu_nest_trees *trees;
};

const char *tpu_baseline_name(tpu_baseline_kind kind)
{
    static const char *const name[TPU_BASELINES] = {"constant", "roofline", "loops", "boosting"};
    return (unsigned)kind < TPU_BASELINES ? name[kind] : "unknown";
}

tpu_baseline_options tpu_baseline_defaults(tpu_task task)
{
    return (tpu_baseline_options){.fit_rows = 4096, .trees = tpu_nest_trees_defaults(task)};
}

static int is_measured(const tpu_kernel *k, int config)
{
    return k->runtime && k->runtime[config] > 0 &&
           (!k->tile || (k->normalizer && k->normalizer[config] > 0));
}

static double target(const tpu_kernel *k, int config)
{
    const double runtime = (double)k->runtime[config];
    return log(k->tile ? runtime / (double)k->normalizer[config] : runtime);
}

static void count_targets(tpu_baseline *b, const tpu_kernel *const *train, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const int before = b->configs;
        for (int c = 0; c < train[i]->configs; c++) {
            if (!is_measured(train[i], c)) continue;
            b->configs++;
            sum += target(train[i], c);
        }
        b->kernels += b->configs > before;
    }
    b->mean = b->configs ? sum / b->configs : 0;
}

/* ---- all ---- */

static ag_status fit(tpu_baseline *b, const tpu_kernel *const *train, int count,
                     const tpu_baseline_options *o, ag_failure *why)
{
    const tpu_counts counts = b->kind == TPU_BASELINE_LOOPS ? TPU_COUNT_LOOPS : TPU_COUNT_TRAFFIC;
    count_targets(b, train, count);
    if (!b->configs) return tpu_no_runtimes(count, why);
    if (b->kind == TPU_BASELINE_CONSTANT) return AG_OK;
    if (b->kind == TPU_BASELINE_BOOSTING) {
        b->trees = tpu_nest_trees_fit(train, count, &o->trees, why);
        return why->status;
    }
    if (b->task == TPU_TILE)
        return tpu_counted_fit_tiles(&b->counted, counts, train, count, o->fit_rows, why);
    return b->kind == TPU_BASELINE_ROOFLINE
               ? tpu_roofline_fit(&b->roofline, train, count, why)
               : tpu_counted_fit_kernels(&b->counted, counts, train, count, o->fit_rows, why);
}

tpu_baseline *tpu_baseline_fit(tpu_baseline_kind kind, tpu_task task,
                               const tpu_kernel *const *train, int count,
                               const tpu_baseline_options *o, ag_failure *why)
{
    tpu_baseline *b = harness_alloc(sizeof *b);
    b->kind = kind;
    b->task = task;
    if (!fit(b, train, count, o, why)) return b;
    tpu_baseline_free(b);
    return NULL;
}

void tpu_baseline_free(tpu_baseline *b)
{
    if (b) tpu_nest_trees_free(b->trees);
    harness_free(b);
}

static void predict_tiles(double *score, const tpu_baseline *b, const tpu_kernel *k)
{
    double work[TPU_WORKS];
    tpu_tiling tiling;
    tpu_tiling_open(&tiling, k);
    for (int c = 0; c < k->configs; c++) {
        tpu_tiling_work(work, &tiling, k->tile + (size_t)c * TPUGRAPHS_TILE_FEATURES);
        score[c] = tpu_counted_time(&b->counted, work, TPU_TYPE_OTHER);
    }
    tpu_tiling_close(&tiling);
}

static double predict_kernel(const tpu_baseline *b, const tpu_kernel *k)
{
    double work[TPU_WORKS];
    tpu_static facts;
    if (b->kind == TPU_BASELINE_LOOPS) {
        tpu_counted_whole(work, &facts.type, k);
        return tpu_counted_time(&b->counted, work, facts.type);
    }
    tpu_analyse(&facts, k);
    return tpu_roofline_time(&b->roofline, &facts);
}

ag_status tpu_baseline_predict(double *score, tpu_baseline *b, const tpu_kernel *k, ag_failure *why)
{
    if (b->kind == TPU_BASELINE_BOOSTING) {
        tpu_nest_trees_score(score, b->trees, k, why);
        for (int c = 0; c < k->configs && !why->status; c++) score[c] = exp(score[c]);
    } else if (b->kind == TPU_BASELINE_CONSTANT)
        for (int c = 0; c < k->configs; c++) score[c] = exp(b->mean);
    else if (k->tile)
        predict_tiles(score, b, k);
    else
        score[0] = predict_kernel(b, k);
    return AG_OK;
}

/* Prints a model of counts and its error. */
static void print_counted(char *text, size_t bytes, const tpu_baseline *b)
{
    const char *how = b->counted.overlap ? "the slower of computing and data transfer"
                                         : "computing and data transfer, one after the other";
    if (b->task == TPU_TILE)
        snprintf(text, bytes,
                 "%s; ln(predicted / measured) is off by %.3g (root of the mean square) within the "
                 "training kernels",
                 how, b->counted.error);
    else
        snprintf(text, bytes, "%s; off by %.3g %% on the training kernels", how,
                 100 * b->counted.error);
}

void tpu_baseline_print(char *text, size_t bytes, const tpu_baseline *b)
{
    const tpu_roofline *r = &b->roofline;
    if (b->kind == TPU_BASELINE_CONSTANT && b->task == TPU_TILE)
        snprintf(text, bytes, "the first tile size of every file");
    else if (b->kind == TPU_BASELINE_CONSTANT)
        snprintf(text, bytes, "%.4g ns, the geometric mean of %d training kernels", exp(b->mean),
                 b->configs);
    else if (b->kind == TPU_BASELINE_BOOSTING)
        snprintf(
            text, bytes,
            "run time as a sum over loop nests of price x exp(trees): %d trees on the %d columns "
            "of a nest",
            tpu_nest_trees_count(b->trees), TPU_NEST_COLUMNS);
    else if (b->kind == TPU_BASELINE_ROOFLINE && b->task == TPU_FUSION)
        snprintf(text, bytes,
                 "the slower of data transfer (%.3g bytes per ns) and computing (%.3g operations "
                 "and %.3g special functions per ns), plus %.3g ns; convolutions x%.3g, dots "
                 "x%.3g, reductions x%.3g; off by %.3g %% on the training kernels",
                 r->bandwidth, r->peak, r->special, r->overhead, r->scale[0], r->scale[1],
                 r->scale[2], 100 * r->error);
    else
        print_counted(text, bytes, b);
}
