/* SPDX-License-Identifier: MIT */
/* Gradient boosting with TVM's objective: trees predict for stored buffers, the loss is over
   schedules. */
#include "examples/harness/baseline/boosting.h"
#include "examples/harness/harness.h"
#include "examples/tpgnn/baseline/baselines.h"

#include <math.h>
#include <string.h>

tpgnn_boosting_options tpgnn_boosting_defaults(void)
{
    return (tpgnn_boosting_options){.seed = 43,
                                    .rounds = 10000,
                                    .depth = 10,
                                    .patience = 50,
                                    .rate = 0.2,
                                    .least_gain = 1e-3,
                                    .start = 0.5};
}

/* The data of the loss and the progress of the fit. */
typedef struct fit {
    const tpgnn_stores *stores;
    const double *y;
    double *slope, *weight; /* [rows] sums over the stores of a row */
    double least;           /* error so far */
    int patience, since;    /* trees since it was lowered */
} fit;

static double sum_rows(const float *output, const tpgnn_stores *s, int schedule)
{
    double sum = 0;
    for (int64_t j = s->store_offset[schedule]; j < s->store_offset[schedule + 1]; j++)
        sum += (double)output[s->store_row[j]];
    return sum;
}

/* Returns 1 when the error has not fallen for too long. */
static int patience_ends(fit *f, double error)
{
    if (error < f->least) {
        f->least = error;
        f->since = 0;
    } else
        f->since++;
    return f->patience && f->since >= f->patience;
}

static int loss(float *gradient, float *curvature, const float *output, int rows, void *context)
{
    fit *f = context;
    const tpgnn_stores *s = f->stores;
    const size_t bytes = (size_t)rows * sizeof(double);
    double error = 0;
    memset(f->slope, 0, bytes);
    memset(f->weight, 0, bytes);
    for (int i = 0; i < s->schedules; i++) {
        const double y = f->y[i], off = sum_rows(output, s, i) - y;
        for (int64_t j = s->store_offset[i]; j < s->store_offset[i + 1]; j++) {
            f->slope[s->store_row[j]] += off * y;
            f->weight[s->store_row[j]] += y;
            error += off * off;
        }
    }
    for (int r = 0; r < rows; r++) {
        gradient[r] = (float)f->slope[r];
        curvature[r] = (float)f->weight[r];
    }
    return patience_ends(f, error);
}

harness_boosting *tpgnn_boosting_fit(const tpgnn_stores *s, const tpgnn_boosting_options *o,
                                     ag_failure *why)
{
    if (!s->schedules || !s->rows) {
        ag_fail(why, AG_EUSE, "boosting: there are %d schedules and %d rows; it needs some of both",
                s->schedules, s->rows);
        return NULL;
    }
    const size_t rows = (size_t)s->rows, n = (size_t)s->schedules;
    double *y = harness_alloc((n + 2 * rows) * sizeof *y);
    fit f = {s, y, y + n, y + n + rows, (double)INFINITY, o->patience, 0};
    const harness_boosting_loss squares = {.at = loss,
                                           .context = &f,
                                           .start = o->start,
                                           .least_gain = o->least_gain,
                                           .least_weight = o->least_weight};
    const harness_boosting_options trees = {.seed = o->seed,
                                            .rounds = o->rounds,
                                            .depth = o->depth,
                                            .rate = o->rate,
                                            .progress = o->progress,
                                            .context = o->context,
                                            .loss = &squares};
    tpgnn_throughput(y, s);
    harness_boosting *b =
        harness_boosting_fit(s->feature_row, NULL, s->rows, s->columns, &trees, why);
    harness_free(y);
    return b;
}

ag_status tpgnn_boosting_score(double *score, harness_boosting *b, const tpgnn_stores *s,
                               ag_failure *why)
{
    double *output = harness_alloc((size_t)s->rows * sizeof *output + 1);
    if (s->rows) harness_boosting_predict(output, b, s->feature_row, s->rows, why);
    for (int i = 0; i < s->schedules && !why->status; i++) {
        score[i] = 0;
        for (int64_t j = s->store_offset[i]; j < s->store_offset[i + 1]; j++)
            score[i] -= output[s->store_row[j]];
    }
    harness_free(output);
    return why->status;
}
