/* SPDX-License-Identifier: MIT */
#include "examples/tpu/baseline/pooled.h"

#include "examples/harness/baseline/ridge.h"
#include "examples/harness/harness.h"
#include "examples/tpu/analytic/hlo.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = TPU_POOLED_COLUMNS };

struct tpu_pooled {
    harness_boosting *trees; /* NULL: ridge */
    double w[COLUMNS + 1];   /* of ridge */
};

/* ---- columns ---- */

static int kind_of(int opcode)
{
    switch (opcode) {
    case TPUGRAPHS_DOT:
    case TPUGRAPHS_CONVOLUTION: return 0;
    case TPUGRAPHS_REDUCE:
    case TPUGRAPHS_REDUCE_WINDOW: return 1;
    case TPUGRAPHS_PARAMETER: return 3;
    default: return tpu_elementwise_of(opcode) == TPU_MOVES ? 4 : 2;
    }
}

/* The columns of a kernel, without those of a tile. */
static void pool(float *out, const tpu_kernel *k)
{
    float *counts = out + TPU_POOLED_KINDS * TPUGRAPHS_FEATURES, *facts = counts + TPU_OPCODES;
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

void tpu_pooled_columns(float out[TPU_POOLED_COLUMNS], const tpu_kernel *k, int config)
{
    pool(out, k);
    add_tile(out, k, config);
}

/* ---- fit ---- */

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
static table open_table(const tpu_kernel *const *train, int count, int most)
{
    int64_t all = 0, seen = 0;
    for (int i = 0; i < count; i++) all += train[i]->runtime ? train[i]->configs : 0;
    const int64_t every = all > most ? (all - 1) / most + 1 : 1;
    const size_t room = (size_t)(all / every) + 1;
    table t = {harness_alloc(room * COLUMNS * sizeof *t.x), harness_alloc(room * sizeof *t.y), 0};
    for (int i = 0; i < count; i++) {
        const tpu_kernel *k = train[i];
        if (!k->runtime) continue;
        const double mean = k->tile ? mean_log(k) : 0;
        for (int c = 0; c < k->configs; c++) {
            if (seen++ % every) continue;
            tpu_pooled_columns(t.x + (size_t)t.rows * COLUMNS, k, c);
            t.y[t.rows++] = log((double)k->runtime[c]) - mean;
        }
    }
    return t;
}

tpu_pooled *tpu_pooled_fit(const tpu_kernel *const *train, int count, int rows,
                           const harness_boosting_options *trees, ag_failure *why)
{
    tpu_pooled *p = harness_alloc(sizeof *p);
    table t = open_table(train, count, rows);
    double weight;
    if (trees)
        p->trees = harness_boosting_fit(t.x, t.y, t.rows, COLUMNS, trees, why);
    else
        harness_ridge_fit(p->w, &weight, t.x, t.y, t.rows, t.rows - t.rows / 8, COLUMNS, why);
    if (p->trees && harness_boosting_trees(p->trees) < trees->rounds) harness_go_on(why);
    harness_free(t.x);
    harness_free(t.y);
    if (!why->status) return p;
    tpu_pooled_free(p);
    return NULL;
}

void tpu_pooled_free(tpu_pooled *p)
{
    if (p) harness_boosting_free(p->trees);
    harness_free(p);
}

ag_status tpu_pooled_score(double *score, tpu_pooled *p, const tpu_kernel *k, ag_failure *why)
{
    enum { CHUNK = 256 };
    float *x = harness_alloc((CHUNK + 1) * COLUMNS * sizeof *x), *of_kernel = x + CHUNK * COLUMNS;
    pool(of_kernel, k);
    for (int first = 0, n; first < k->configs && !why->status; first += n) {
        n = k->configs - first < CHUNK ? k->configs - first : CHUNK;
        for (int c = 0; c < n; c++) {
            float *row = memcpy(x + c * COLUMNS, of_kernel, COLUMNS * sizeof *x);
            add_tile(row, k, first + c);
            score[first + c] = harness_ridge_predict(p->w, row, COLUMNS);
        }
        if (p->trees) harness_boosting_predict(score + first, p->trees, x, n, why);
    }
    harness_free(x);
    return why->status;
}
