/* SPDX-License-Identifier: MIT */
/* Ridge regression on the summed features of a schedule. */
#include "examples/harness/baseline/ridge.h"
#include "examples/harness/harness.h"
#include "examples/tpgnn/baseline/baselines.h"

#include <math.h>

enum { TAIL = 5 /* one task in so many chooses the weight */ };

struct tpgnn_ridge {
    int features;
    double weight;
    double *w;            /* [features + 2]: of features and count, then of 1 */
    double *mean, *scale; /* [features + 1] */
};

/* out [features + 1]: sums over the stores, and their number. */
static void sum_stores(double *out, const tpgnn_stores *s, int schedule)
{
    for (int c = 0; c <= s->columns; c++) out[c] = 0;
    for (int64_t j = s->store_offset[schedule]; j < s->store_offset[schedule + 1]; j++) {
        const float *row = s->feature_row + (size_t)s->store_row[j] * (size_t)s->columns;
        for (int c = 0; c < s->columns; c++) out[c] += (double)row[c];
        out[s->columns] += 1;
    }
}

/* Takes the mean of its task from each column of x [schedules, columns]. */
static void centre(double *x, const tpgnn_stores *s, int columns)
{
    const size_t p = (size_t)columns, cells = (size_t)s->tasks * p;
    double *mean = harness_alloc((cells + (size_t)s->tasks) * sizeof *mean), *count = mean + cells;
    for (int i = 0; i < s->schedules; i++) {
        const size_t t = (size_t)s->task[i];
        count[t]++;
        for (size_t c = 0; c < p; c++) mean[t * p + c] += x[(size_t)i * p + c];
    }
    for (int i = 0; i < s->schedules; i++) {
        const size_t t = (size_t)s->task[i];
        for (size_t c = 0; c < p; c++) x[(size_t)i * p + c] -= mean[t * p + c] / count[t];
    }
    harness_free(mean);
}

/* Mean and standard deviation of every column; a column that does not vary has no weight. */
static void standardise(tpgnn_ridge *r, double *x, int schedules)
{
    const size_t p = (size_t)r->features + 1;
    for (size_t c = 0; c < p; c++) {
        double mean = 0, square = 0;
        for (int i = 0; i < schedules; i++) mean += x[(size_t)i * p + c] / schedules;
        for (int i = 0; i < schedules; i++) {
            const double off = x[(size_t)i * p + c] - mean;
            square += off * off / schedules;
        }
        r->mean[c] = mean;
        r->scale[c] = sqrt(square) > 1e-9 * (1 + fabs(mean)) ? 1 / sqrt(square) : 0;
        for (int i = 0; i < schedules; i++) {
            double *at = &x[(size_t)i * p + c];
            *at = (*at - mean) * r->scale[c];
        }
    }
}

/* Adds the rows of the tasks below `cut` (late 0) or from it (late 1). */
static ag_status add_rows(harness_moments *m, const double *x, const double *y,
                          const tpgnn_stores *s, int cut, int late, ag_failure *why)
{
    const size_t p = (size_t)m->columns;
    float *part = harness_alloc((size_t)s->schedules * p * sizeof *part);
    double *target = harness_alloc((size_t)s->schedules * sizeof *target);
    int n = 0;
    for (int i = 0; i < s->schedules; i++) {
        if ((s->task[i] >= cut) != late) continue;
        for (size_t c = 0; c < p; c++) part[(size_t)n * p + c] = (float)x[(size_t)i * p + c];
        target[n++] = y[i];
    }
    harness_moments_add(m, part, target, n, why);
    harness_free(part);
    harness_free(target);
    return why->status;
}

/* Chooses the weight with the smallest error on the late tasks. */
static double choose_weight(double *w, const harness_moments *early, const harness_moments *late)
{
    static const double weight[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10};
    double chosen = 0.1, least = (double)INFINITY;
    if (early->rows < 2 || late->rows < 1) return chosen;
    for (size_t i = 0; i < sizeof weight / sizeof *weight; i++) {
        ag_failure singular = {0};
        if (harness_ridge_solve(w, early, weight[i], &singular)) continue;
        const double error = harness_ridge_error(late, w);
        if (!(error < least)) continue;
        least = error;
        chosen = weight[i];
    }
    return chosen;
}

static ag_status solve(tpgnn_ridge *r, const double *x, const double *y, const tpgnn_stores *s,
                       ag_failure *why)
{
    const int cut = s->tasks - s->tasks / TAIL;
    harness_moments early = {0}, late = {0};
    if (!harness_moments_open(&early, r->features + 1, why) &&
        !harness_moments_open(&late, r->features + 1, why) &&
        !add_rows(&early, x, y, s, cut, 0, why) && !add_rows(&late, x, y, s, cut, 1, why)) {
        r->weight = choose_weight(r->w, &early, &late);
        if (!add_rows(&early, x, y, s, cut, 1, why))
            harness_ridge_solve(r->w, &early, r->weight, why);
    }
    harness_moments_close(&early);
    harness_moments_close(&late);
    return why->status;
}

static ag_status fit(tpgnn_ridge *r, const tpgnn_stores *s, tpgnn_ridge_kind kind, ag_failure *why)
{
    const size_t p = (size_t)r->features + 1, n = (size_t)s->schedules;
    double *x = harness_alloc(n * p * sizeof *x), *y = harness_alloc(n * sizeof *y);
    for (int i = 0; i < s->schedules; i++) {
        sum_stores(x + (size_t)i * p, s, i);
        y[i] = log((double)s->runtime[i]);
    }
    if (kind == TPGNN_RIDGE_WITHIN) {
        centre(x, s, (int)p);
        centre(y, s, 1);
    }
    standardise(r, x, s->schedules);
    solve(r, x, y, s, why);
    harness_free(x);
    harness_free(y);
    return why->status;
}

tpgnn_ridge *tpgnn_ridge_fit(const tpgnn_stores *s, tpgnn_ridge_kind kind, ag_failure *why)
{
    if (tpgnn_stores_check(s, 1, why)) return NULL;
    if (!s->schedules) {
        ag_fail(why, AG_EUSE, "ridge regression: there are no schedules to learn from");
        return NULL;
    }
    const size_t p = (size_t)s->columns + 1;
    tpgnn_ridge *r = harness_alloc(sizeof *r);
    r->features = s->columns;
    r->w = harness_alloc((3 * p + 1) * sizeof *r->w);
    r->mean = r->w + p + 1;
    r->scale = r->mean + p;
    if (!fit(r, s, kind, why)) return r;
    tpgnn_ridge_free(r);
    return NULL;
}

ag_status tpgnn_ridge_cost(double *cost, const tpgnn_ridge *r, const tpgnn_stores *s,
                           ag_failure *why)
{
    if (tpgnn_stores_check(s, 0, why)) return why->status;
    if (s->columns != r->features)
        return ag_fail(why, AG_EUSE, "ridge regression: %d columns, but it has learned from %d",
                       s->columns, r->features);
    const int p = r->features + 1;
    double *x = harness_alloc((size_t)p * sizeof *x);
    for (int i = 0; i < s->schedules; i++) {
        sum_stores(x, s, i);
        cost[i] = r->w[p];
        for (int c = 0; c < p; c++) cost[i] += r->w[c] * (x[c] - r->mean[c]) * r->scale[c];
    }
    harness_free(x);
    return AG_OK;
}

double tpgnn_ridge_weight(const tpgnn_ridge *r) { return r->weight; }

void tpgnn_ridge_free(tpgnn_ridge *r)
{
    if (r) harness_free(r->w);
    harness_free(r);
}
