/* SPDX-License-Identifier: MIT */
#include "examples/harness/baseline/additive.h"

#include <float.h>
#include <math.h>
#include <string.h>

static ag_status no_memory(size_t bytes, ag_failure *why)
{
    return ag_fail(why, AG_EMEMORY, "additive trees: no memory for %zu bytes; close other programs",
                   bytes);
}

/* ---- the sum of one group ---- */

static double times_of(const harness_additive_group *g, int entry)
{
    return g->times ? (double)g->times[entry] : 1;
}

/* cost [rows]: the run time of each row once. Returns what all items spend alike. */
static double row_costs(double *cost, const harness_additive_group *g, const float *prediction)
{
    double alike = 0;
    for (int r = 0; r < g->rows; r++) {
        cost[r] = g->work[r] * exp((double)prediction[r]);
        if (g->always) alike += (double)g->always[r] * cost[r];
    }
    return alike;
}

static void item_times(double *time, const harness_additive_group *g, const double *cost,
                       double alike)
{
    for (int i = 0; i < g->items; i++) {
        time[i] = alike;
        for (int e = g->first[i]; e < g->first[i + 1]; e++)
            time[i] += times_of(g, e) * cost[g->row[e]];
    }
}

static double mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum / n;
}

static double variance_of(const double *x, int n)
{
    const double mean = mean_of(x, n);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sum / n;
}

/* ---- the loss ---- */

typedef struct additive_loss {
    const harness_additive_group **group; /* [groups] those that are learned from */
    double *weight;                       /* [groups] */
    int groups;
    double *cost, *time, *slope; /* of the largest group */
} additive_loss;

static double weight_of(const harness_additive_group *g)
{
    return g->weight > 0 ? g->weight : 1 / (variance_of(g->y, g->items) + 1e-3);
}

/* The factor of an item whose error is beyond the limit. */
static double tamed(const harness_additive_group *g, double error)
{
    return g->limit > 0 && fabs(error) > g->limit ? g->limit / fabs(error) : 1;
}

/* Derivatives of one group. An item's share of a row is below 1, so that the sum of shares bounds
   the square of their sum: the curvature is never too small for a leaf that holds several rows. */
static void group_slopes(float *gradient, float *curvature, const float *prediction,
                         const additive_loss *l, int index)
{
    const harness_additive_group *g = l->group[index];
    const double alike = row_costs(l->cost, g, prediction);
    const double weight = l->weight[index];
    double each_slope = 0, each_curvature = 0; /* of rows that all items count */
    item_times(l->time, g, l->cost, alike);
    for (int i = 0; i < g->items; i++) l->slope[i] = log(l->time[i]) - g->y[i];
    const double mean = g->absolute ? 0 : mean_of(l->slope, g->items);
    memset(gradient, 0, (size_t)g->rows * sizeof *gradient);
    memset(curvature, 0, (size_t)g->rows * sizeof *curvature);
    for (int i = 0; i < g->items; i++) {
        const double error = l->slope[i] - mean;
        const double curve = weight * tamed(g, error) / l->time[i], slope = curve * error;
        each_slope += slope;
        each_curvature += curve;
        for (int e = g->first[i]; e < g->first[i + 1]; e++) {
            const int r = g->row[e];
            gradient[r] += (float)(slope * times_of(g, e) * l->cost[r]);
            curvature[r] += (float)(curve * times_of(g, e) * l->cost[r]);
        }
    }
    for (int r = 0; g->always && r < g->rows; r++) {
        gradient[r] += (float)(each_slope * (double)g->always[r] * l->cost[r]);
        curvature[r] += (float)(each_curvature * (double)g->always[r] * l->cost[r]);
    }
}

static int slopes(float *gradient, float *curvature, const float *prediction, int rows,
                  void *context)
{
    const additive_loss *l = context;
    (void)rows;
    for (int g = 0; g < l->groups; g++) {
        group_slopes(gradient, curvature, prediction, l, g);
        const int n = l->group[g]->rows;
        gradient += n;
        curvature += n;
        prediction += n;
    }
    return 0;
}

/* ---- the fit ---- */

/* An item without rows takes no time, which has no logarithm. */
static int counts_rows(const harness_additive_group *g)
{
    for (int r = 0; g->always && r < g->rows; r++)
        if (g->always[r] > 0) return 1;
    for (int i = 0; i < g->items; i++)
        if (g->first[i] == g->first[i + 1]) return 0;
    return 1;
}

/* The groups that can be learned from, their rows after each other, and scratch. */
typedef struct fit {
    additive_loss loss;
    float *x;
    int rows;
} fit;

static void fit_close(fit *f)
{
    ag_free(f->loss.group);
    ag_free(f->loss.weight);
    ag_free(f->loss.cost);
    ag_free(f->loss.time);
    ag_free(f->loss.slope);
    ag_free(f->x);
}

static void *take(size_t count, size_t size, ag_failure *why)
{
    const size_t bytes = ag_size_mul(count, size);
    void *block = ag_alloc(bytes);
    if (!block) no_memory(bytes, why);
    return block;
}

static ag_status fit_open(fit *f, const harness_additive_group *group, int groups, int columns,
                          ag_failure *why)
{
    size_t rows = 0, most_rows = 1, most_items = 1;
    *f = (fit){0};
    f->loss.group = take((size_t)groups + 1, sizeof(*f->loss.group), why);
    f->loss.weight = take((size_t)groups + 1, sizeof *f->loss.weight, why);
    if (why->status) return why->status;
    for (int i = 0; i < groups; i++) {
        const harness_additive_group *g = &group[i];
        if (!g->y || g->items < 2 || !(variance_of(g->y, g->items) > 0) || !counts_rows(g))
            continue;
        f->loss.weight[f->loss.groups] = weight_of(g) / g->items;
        f->loss.group[f->loss.groups++] = g;
        rows += (size_t)g->rows;
        if ((size_t)g->rows > most_rows) most_rows = (size_t)g->rows;
        if ((size_t)g->items > most_items) most_items = (size_t)g->items;
    }
    if (!rows || rows > INT32_MAX)
        return ag_fail(why, AG_EDATA,
                       "additive trees: %zu rows to learn from; give files with run times that "
                       "differ, and at most %d rows",
                       rows, INT32_MAX);
    f->rows = (int)rows;
    f->loss.cost = take(most_rows, sizeof *f->loss.cost, why);
    f->loss.time = take(most_items, sizeof *f->loss.time, why);
    f->loss.slope = take(most_items, sizeof *f->loss.slope, why);
    f->x = take(rows * (size_t)columns, sizeof *f->x, why);
    if (why->status) return why->status;
    float *x = f->x;
    for (int i = 0; i < f->loss.groups; i++) {
        const size_t cells = (size_t)f->loss.group[i]->rows * (size_t)columns;
        memcpy(x, f->loss.group[i]->x, cells * sizeof *x);
        x += cells;
    }
    return AG_OK;
}

harness_boosting *harness_additive_fit(const harness_additive_group *group, int groups, int columns,
                                       const harness_boosting_options *options, ag_failure *why)
{
    fit f;
    harness_boosting *trees = NULL;
    if (!fit_open(&f, group, groups, columns, why)) {
        /* Shares sum to 1 over a group, so the curvature of all is the number of groups or so. */
        const harness_boosting_loss loss = {
            .at = slopes,
            .context = &f.loss,
            .least_weight = options->least_leaf > 0 ? options->least_leaf : 0.01};
        harness_boosting_options o = *options;
        o.loss = &loss;
        trees = harness_boosting_fit(f.x, NULL, f.rows, columns, &o, why);
    }
    fit_close(&f);
    return trees;
}

ag_status harness_additive_score(double *score, harness_boosting *trees,
                                 const harness_additive_group *g, ag_failure *why)
{
    const size_t rows = (size_t)g->rows + 1;
    double *cost = take(rows, sizeof *cost, why), *raw = take(rows, sizeof *raw, why);
    float *prediction = take(rows, sizeof *prediction, why);
    if (!why->status && !harness_boosting_predict(raw, trees, g->x, g->rows, why)) {
        for (int r = 0; r < g->rows; r++) prediction[r] = (float)raw[r];
        item_times(score, g, cost, row_costs(cost, g, prediction));
        for (int i = 0; i < g->items; i++) score[i] = log(fmax(score[i], DBL_MIN));
    }
    ag_free(cost);
    ag_free(raw);
    ag_free(prediction);
    return why->status;
}
