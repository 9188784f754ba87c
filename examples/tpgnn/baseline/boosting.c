/* SPDX-License-Identifier: MIT */
/* Gradient boosting with TVM's objective: trees see stored buffers, the loss is over schedules. */
#include "examples/harness/harness.h"
#include "core/error.h"
#include "examples/tpgnn/baseline/baselines.h"

#include <math.h>
#include <string.h>

tpgnn_boosting_options tpgnn_boosting_defaults(void)
{
    return (tpgnn_boosting_options){
        .trees = {.seed = 43, .rounds = 10000, .depth = 10, .rate = 0.2},
        .loss = {.start = 0.5, .least_gain = 1e-3},
        .patience = 50};
}

void tpgnn_throughput(double *y, const tpgnn_data *data)
{
    int64_t *best = HARNESS_NEW(best, data->tasks);
    const tpgnn_schedule *s = data->schedule;
    for (int i = 0; i < data->schedules; i++) {
        int64_t *b = &best[s[i].task];
        if (!*b || s[i].runtime < *b) *b = s[i].runtime;
    }
    for (int i = 0; i < data->schedules; i++) y[i] = (double)best[s[i].task] / (double)s[i].runtime;
    harness_free(best);
}

/* ---- the rows of features that schedules use ---- */

typedef struct table {
    float *x;   /* [rows, TPGNN_FEATURES] those of each task, task after task */
    int *first; /* [tasks + 1] */
    int rows;
} table;

static table take_rows(const tpgnn_data *data)
{
    const size_t row = TPGNN_FEATURES * sizeof(float);
    table t = {.first = HARNESS_NEW(t.first, (size_t)data->tasks + 1)};
    for (int k = 0; k < data->tasks; k++) t.first[k + 1] = t.first[k] + data->task[k].rows;
    t.rows = t.first[data->tasks];
    t.x = harness_alloc((size_t)t.rows * row + 1);
    for (int k = 0; k < data->tasks; k++) {
        const tpgnn_task *task = &data->task[k];
        if (task->rows)
            memcpy(t.x + (size_t)t.first[k] * TPGNN_FEATURES, data->schedule[task->first].feature,
                   (size_t)task->rows * row);
    }
    return t;
}

static void drop_rows(table *t)
{
    harness_free(t->x);
    harness_free(t->first);
}

static int row_at(const table *t, const tpgnn_schedule *s, int store)
{
    return t->first[s->task] + s->store[store];
}

/* The data of the loss and the progress of the fit. */
typedef struct fit {
    const tpgnn_data *data;
    table table;
    double *y;              /* [schedules] */
    double *slope, *weight; /* [rows] sums over the stores of a row */
    double least;           /* error so far */
    int patience, since;    /* trees since it was lowered */
} fit;

static int loss(float *gradient, float *curvature, const float *output, int rows, void *context)
{
    fit *f = context;
    const size_t bytes = (size_t)rows * sizeof(double);
    double error = 0;
    memset(f->slope, 0, bytes);
    memset(f->weight, 0, bytes);
    for (int i = 0; i < f->data->schedules; i++) {
        const tpgnn_schedule *s = &f->data->schedule[i];
        const double y = f->y[i];
        double sum = 0;
        for (int j = 0; j < s->stores; j++) sum += (double)output[row_at(&f->table, s, j)];
        const double off = sum - y;
        for (int j = 0; j < s->stores; j++) {
            f->slope[row_at(&f->table, s, j)] += off * y;
            f->weight[row_at(&f->table, s, j)] += y;
            error += off * off;
        }
    }
    for (int r = 0; r < rows; r++) {
        gradient[r] = (float)f->slope[r];
        curvature[r] = (float)f->weight[r];
    }
    f->since = error < f->least ? 0 : f->since + 1;
    if (error < f->least) f->least = error;
    return f->patience && f->since >= f->patience;
}

harness_boosting *tpgnn_boosting_fit(const tpgnn_data *data, const tpgnn_boosting_options *o,
                                     ag_failure *why)
{
    harness_boosting *b = NULL;
    fit f = {
        .data = data, .table = take_rows(data), .least = (double)INFINITY, .patience = o->patience};
    const size_t rows = (size_t)f.table.rows, n = (size_t)data->schedules;
    f.y = HARNESS_NEW(f.y, n + 2 * rows);
    f.slope = f.y + n;
    f.weight = f.slope + rows;
    harness_boosting_loss squares = o->loss;
    harness_boosting_options trees = o->trees;
    squares.at = loss;
    squares.context = &f;
    trees.loss = &squares;
    tpgnn_throughput(f.y, data);
    if (data->stores)
        b = harness_boosting_fit(f.table.x, NULL, f.table.rows, TPGNN_FEATURES, &trees, why);
    else
        ag_fail(why, AG_EUSE,
                "boosting: there are %d schedules and %lld stored buffers; it needs some of both",
                data->schedules, (long long)data->stores);
    harness_free(f.y);
    drop_rows(&f.table);
    return b;
}

ag_status tpgnn_boosting_score(double *score, harness_boosting *b, const tpgnn_data *data,
                               ag_failure *why)
{
    table t = take_rows(data);
    double *output = HARNESS_NEW(output, t.rows);
    if (t.rows) harness_boosting_predict(output, b, t.x, t.rows, why);
    for (int i = 0; i < data->schedules && !why->status; i++) {
        const tpgnn_schedule *s = &data->schedule[i];
        score[i] = 0;
        for (int j = 0; j < s->stores; j++) score[i] -= output[row_at(&t, s, j)];
    }
    harness_free(output);
    drop_rows(&t);
    return why->status;
}
