/* SPDX-License-Identifier: MIT */
/* A constant, the roofline, and regressions on features of a whole kernel, which read what the
   network reads, without a graph. */
#include "examples/tpu/baseline/baselines.h"

#include "core/error.h"
#include "examples/harness/baseline/ridge.h"
#include "examples/harness/harness.h"

#include <math.h>
#include <string.h>

/* The columns of a kernel with one of its tiles, where l(v) = sign(v) ln(1 + |v|): sums over its
   nodes of l of the 140 features, for products, reductions, elementwise ops, parameters and all
   others apart; numbers of nodes of each op code; l of the static features; l of the tile size (0:
   fusion). */
enum {
    KINDS = 5,
    COLUMNS = KINDS * TPUGRAPHS_FEATURES + TPU_OPCODES + TPU_STATIC + TPUGRAPHS_TILE_FEATURES
};

enum { MOST = 32768 /* configurations that are read, evenly: 111 MB */ };

const char *const tpu_baseline_name[] = {"constant", "roofline", "boosting", "ridge"};

harness_boosting_options tpu_baseline_trees(void)
{
    harness_boosting_options o = harness_boosting_defaults();
    o.rounds = 200;
    o.columns = 0.5;
    return o;
}

static int kind_of(int opcode)
{
    const tpu_type type = tpu_type_of(opcode);
    if (type != TPU_TYPE_OTHER) return type == TPU_TYPE_REDUCE;
    if (opcode == TPUGRAPHS_PARAMETER) return 3;
    return tpu_elementwise_of(opcode) == TPU_MOVES ? 4 : 2;
}

/* The columns of a kernel, without those of a tile. */
static void pool(float *out, const tpu_kernel *k)
{
    float *counts = out + KINDS * TPUGRAPHS_FEATURES, *facts = counts + TPU_OPCODES;
    float row[TPUGRAPHS_FEATURES];
    memset(out, 0, COLUMNS * sizeof *out);
    for (int v = 0; v < k->nodes; v++) {
        float *sum = out + kind_of(k->opcode[v]) * TPUGRAPHS_FEATURES;
        memcpy(row, k->feature + (size_t)v * TPUGRAPHS_FEATURES, sizeof row);
        tpugraphs_take_logs(row, TPUGRAPHS_FEATURES);
        for (int f = 0; f < TPUGRAPHS_FEATURES; f++) sum[f] += row[f];
        counts[k->opcode[v]]++;
    }
    memcpy(facts, k->analysis, sizeof k->analysis);
    tpugraphs_take_logs(facts, TPU_STATIC);
}

static void add_tile(float *out, const tpu_kernel *k, int config)
{
    float *tile = out + COLUMNS - TPUGRAPHS_TILE_FEATURES;
    if (!k->tile) return;
    memcpy(tile, k->tile + (size_t)config * TPUGRAPHS_TILE_FEATURES,
           TPUGRAPHS_TILE_FEATURES * sizeof *tile);
    tpugraphs_take_logs(tile, TPUGRAPHS_TILE_FEATURES);
}

typedef struct table {
    float *x;
    double *y;
    int rows;
} table;

static double mean_log(const tpu_kernel *k)
{
    double mean = 0;
    for (int c = 0; c < k->configs; c++) mean += log((double)k->runtime[c]) / k->configs;
    return mean;
}

/* Every n-th configuration of all kernels together, and its ln(ns), of tiles less the kernel's
   mean. */
static table open_table(const tpu_data *train)
{
    int64_t all = 0, seen = 0;
    for (int i = 0; i < train->kernels; i++)
        all += train->kernel[i].runtime ? train->kernel[i].configs : 0;
    const int64_t every = (all - 1) / MOST + 1;
    const size_t room = (size_t)(all / every) + 1;
    table t = {HARNESS_NEW(t.x, room * COLUMNS), HARNESS_NEW(t.y, room), 0};
    for (int i = 0; i < train->kernels; i++) {
        const tpu_kernel *k = &train->kernel[i];
        if (!k->runtime) continue;
        const double mean = k->tile ? mean_log(k) : 0;
        for (int c = 0; c < k->configs; c++) {
            if (seen++ % every) continue;
            pool(t.x + (size_t)t.rows * COLUMNS, k);
            add_tile(t.x + (size_t)t.rows * COLUMNS, k, c);
            t.y[t.rows++] = log((double)k->runtime[c]) - mean;
        }
    }
    return t;
}

/* By the trees, NULL: by the weights. */
static ag_status predict(double *score, harness_boosting *trees, const double *w,
                         const tpu_kernel *k, ag_failure *why)
{
    enum { CHUNK = 256 };
    float *x = HARNESS_NEW(x, (CHUNK + 1) * COLUMNS), *of_kernel = x + CHUNK * COLUMNS;
    pool(of_kernel, k);
    for (int first = 0, n; first < k->configs && !why->status; first += n) {
        n = k->configs - first < CHUNK ? k->configs - first : CHUNK;
        for (int c = 0; c < n; c++) {
            float *row = memcpy(x + c * COLUMNS, of_kernel, COLUMNS * sizeof *x);
            add_tile(row, k, first + c);
            if (!trees) score[first + c] = harness_ridge_predict(w, row, COLUMNS);
        }
        if (trees) harness_boosting_predict(score + first, trees, x, n, why);
    }
    for (int c = 0; c < k->configs && !why->status; c++) score[c] = exp(score[c]);
    harness_free(x);
    return why->status;
}

static char *regression(double *score, tpu_baseline kind, const tpu_data *train,
                        const tpu_data *scored, const harness_boosting_options *o, ag_failure *why)
{
    table t = open_table(train);
    double w[COLUMNS + 1], weight;
    harness_boosting *trees = NULL;
    if (kind == TPU_BASELINE_BOOSTING) {
        trees = harness_boosting_fit(t.x, t.y, t.rows, COLUMNS, o, why);
        if (trees && harness_boosting_trees(trees) < o->rounds) harness_go_on(why);
    } else
        harness_ridge_fit(w, &weight, t.x, t.y, t.rows, t.rows - t.rows / 8, COLUMNS, why);
    for (int i = 0; i < scored->kernels && !why->status; i++) {
        predict(score, trees, w, &scored->kernel[i], why);
        score += scored->kernel[i].configs;
    }
    harness_boosting_free(trees);
    harness_free(t.x);
    harness_free(t.y);
    if (why->status) return NULL;
    static const char on[] = "sums over the nodes of a kernel";
    return kind == TPU_BASELINE_BOOSTING
               ? harness_text("%d boosted trees on %d columns, %s", o->rounds, COLUMNS, on)
               : harness_text("ridge regression on %d columns, %s", COLUMNS, on);
}

static char *constant(double *score, const tpu_data *train, const tpu_data *scored)
{
    const double mean = exp(tpu_data_mean_log(train));
    for (int i = 0; i < scored->kernels; i++)
        for (int c = 0; c < scored->kernel[i].configs; c++)
            *score++ = train->task == TPU_TILE ? c > 0 : mean;
    return train->task == TPU_TILE
               ? harness_copy("the first tile size of every file")
               : harness_text("%.4g ns, the geometric mean of %d training kernels", mean,
                              tpu_data_known(train));
}

static char *roofline(double *score, const tpu_data *train, const tpu_data *scored)
{
    tpu_roofline r;
    tpu_roofline_fit(&r, train);
    for (int i = 0; i < scored->kernels; i++) {
        const tpu_kernel *k = &scored->kernel[i];
        tpu_load *load = HARNESS_NEW(load, k->configs);
        tpu_loads(load, k);
        for (int c = 0; c < k->configs; c++) *score++ = tpu_roofline_time(&r, &load[c]);
        harness_free(load);
    }
    const char *head = harness_format(
        "the slower of data transfer (%.3g bytes per ns) and computing (%.3g operations and %.3g "
        "special functions per ns), plus %.3g ns",
        r.bandwidth, r.peak, r.special, r.overhead);
    return train->task == TPU_TILE
               ? harness_text("%s a step of a tile; ln(predicted / measured) is off by %.3g (root "
                              "of the mean square) within the training kernels",
                              head, r.error)
               : harness_text("%s; convolutions x%.3g, dots x%.3g, reductions x%.3g; off by %.3g "
                              "%% on the training kernels",
                              head, r.scale[0], r.scale[1], r.scale[2], 100 * r.error);
}

char *tpu_baseline_score(double *score, tpu_baseline kind, const tpu_data *train,
                         const tpu_data *scored, const harness_boosting_options *trees,
                         ag_failure *why)
{
    int teach = 0;
    for (int i = 0; i < train->kernels; i++) teach += tpu_kernel_teaches(&train->kernel[i]);
    if (!teach) {
        ag_fail(why, AG_EUSE,
                "%s: none of the %d training kernels has %s to fit; give files with measured "
                "kernels",
                tpu_baseline_name[kind], train->kernels,
                train->task == TPU_TILE ? "two different run times" : "a run time");
        return NULL;
    }
    if (kind == TPU_BASELINE_CONSTANT) return constant(score, train, scored);
    if (kind == TPU_BASELINE_ROOFLINE) return roofline(score, train, scored);
    return regression(score, kind, train, scored, trees, why);
}
