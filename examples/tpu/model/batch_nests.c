/* SPDX-License-Identifier: MIT */
/* The loop nests of a batch. */
#include "examples/tpu/model/batch_internal.h"

#include "examples/harness/harness.h"

#include <math.h>

static void make_room(tpu_batch_nests *n, int more)
{
    if (n->count + more <= n->room) return;
    const size_t room = (size_t)(n->room = 2 * (n->count + more));
    n->column = harness_grow(n->column, room * TPU_NEST_INPUTS * sizeof *n->column);
    n->node = harness_grow(n->node, room * sizeof *n->node);
    n->sample = harness_grow(n->sample, room * sizeof *n->sample);
    n->price = harness_grow(n->price, room * sizeof *n->price);
}

static void add_columns(ag_real *out, const float *column, const tpu_scaler *scaler)
{
    tpu_scale_nests(scaler, out, column, 1);
    for (int k = 0; k < TPU_NEST_KINDS; k++)
        out[TPU_NEST_COLUMNS + k] = (int)column[0] == k; /* the first column is the kind */
}

static void add_sample(tpu_batch *b, int i, const tpu_rows *rows, const tpu_scaler *scaler,
                       const harness_trees *trees)
{
    tpu_batch_nests *n = &b->nest;
    const int count = rows->first[1];
    double most = 0;
    make_room(n, count);
    for (int k = 0; k < count; k++) most = fmax(most, log(fmax(rows->price[k], 1)));
    for (int k = 0; k < count; k++) {
        const int at = n->count + k;
        add_columns(n->column + (size_t)at * TPU_NEST_INPUTS,
                    rows->x + (size_t)k * TPU_NEST_COLUMNS, scaler);
        n->node[at] = b->base_start[b->group[i]] + rows->node[k];
        n->sample[at] = i;
        n->price[at] = (ag_real)(log(fmax(rows->price[k], 1)) - most);
    }
    n->most[i] = (ag_real)most;
    if (trees) n->by_trees[i] = (ag_real)tpu_nest_trees_log_time(trees, rows, 0);
    n->start[i] = n->count;
    n->count += count;
}

void tpu_nests_fill(tpu_batch *b, const tpu_scaler *scaler, const harness_trees *trees)
{
    tpu_rows rows = {0};
    tpu_batch_nests *n = &b->nest;
    const size_t samples = (size_t)b->samples;
    n->start = harness_grow(n->start, (samples + 1) * sizeof *n->start);
    n->most = harness_grow(n->most, samples * sizeof *n->most);
    n->by_trees = harness_grow(n->by_trees, samples * sizeof *n->by_trees);
    n->trees = trees != NULL;
    for (int i = 0; i < b->samples; i++) {
        tpu_rows_set(&rows, b->kernel[i], b->config[i], b->kernel[i]->configs);
        add_sample(b, i, &rows, scaler, trees);
    }
    n->start[b->samples] = n->count;
    tpu_rows_free(&rows);
}

void tpu_batch_nests_free(tpu_batch_nests *n)
{
    void *const block[] = {n->column, n->node, n->sample, n->start, n->price, n->most, n->by_trees};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) harness_free(block[i]);
    *n = (tpu_batch_nests){0};
}
