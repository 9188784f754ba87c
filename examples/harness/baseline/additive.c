/* SPDX-License-Identifier: MIT */
/* Grows additive trees by XGBoost, with a loss over sums of rows. */
#include "examples/harness/baseline/additive.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/base/base.h"

#include <math.h>
#include <string.h>

/* ---- one group ---- */

static double times_of(const harness_additive_group *g, int entry)
{
    return g->times ? (double)g->times[entry] : 1;
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

/* ---- the order within a group ---- */

static int place_of(const double *x, int items, int i)
{
    int place = 0;
    for (int j = 0; j < items; j++) place += x[j] < x[i] || (x[j] == x[i] && j < i);
    return place;
}

static double discount(int place) { return 1 / log2(place + 2); }

void harness_order_gains(harness_order_loss *o, const double *y, int items)
{
    double least = y[0], best = 0;
    o->pairs = 0;
    for (int i = 1; i < items; i++) least = fmin(least, y[i]);
    for (int i = 0; i < items; i++) {
        o->gain[i] = exp2(exp(least - y[i])) - 1;
        best += o->gain[i] * discount(place_of(y, items, i));
        for (int j = 0; j < items; j++) o->pairs += y[i] > y[j];
    }
    for (int i = 0; i < items; i++) o->gain[i] /= best;
}

/* Of a pair whose first item takes longer. */
static void add_pair(double *slope, double *curve, const harness_order_loss *o, const double *z,
                     int i, int j)
{
    const double change = fabs(o->gain[i] - o->gain[j]) * fabs(o->place[i] - o->place[j]);
    const double weight = o->order / 2 * (1 / o->pairs + o->top * change);
    const double wrong = 1 / (1 + exp(HARNESS_STEEP * (z[i] - z[j])));
    const double step = weight * HARNESS_STEEP * wrong;
    const double bend = step * HARNESS_STEEP * (1 - wrong);
    slope[i] -= step;
    slope[j] += step;
    curve[i] += bend;
    curve[j] += bend;
}

void harness_order_slopes(double *slope, double *curve, const harness_order_loss *o,
                          const double *z, const double *y, int items)
{
    for (int i = 0; i < items; i++) o->place[i] = discount(place_of(z, items, i));
    for (int i = 0; i < items; i++)
        for (int j = 0; j < items; j++)
            if (y[i] > y[j]) add_pair(slope, curve, o, z, i, j);
}

/* ---- the loss ---- */

/* A group that can be learned from. */
typedef struct learned {
    const harness_additive_group *group;
    double weight;
    harness_order_loss order; /* without pairs where these do not count */
} learned;

/* All of them, their rows after each other, and scratch. */
typedef struct additive_loss {
    learned *of; /* [groups] */
    int groups, rows;
    float *x;                            /* [rows, columns] */
    ag_arena *memory;                    /* of all of it */
    double *cost, *time;                 /* of the largest group */
    double *slope, *curve, *z, *by_pair; /* the same; by_pair: both derivatives, and places */
} additive_loss;

/* The factor of an item whose error is beyond the limit. */
static double tamed(const harness_additive_group *g, double error)
{
    return g->limit > 0 && fabs(error) > g->limit ? g->limit / fabs(error) : 1;
}

/* l->cost: the run time of each row once; l->time: that of each item. */
static void find_times(const additive_loss *l, const harness_additive_group *g,
                       const float *prediction)
{
    double alike = 0; /* what all items spend */
    for (int r = 0; r < g->rows; r++) {
        l->cost[r] = g->work[r] * exp((double)prediction[r]);
        if (g->always) alike += (double)g->always[r] * l->cost[r];
    }
    for (int i = 0; i < g->items; i++) {
        l->time[i] = alike;
        for (int e = g->first[i]; e < g->first[i + 1]; e++)
            l->time[i] += times_of(g, e) * l->cost[g->row[e]];
    }
}

/* Derivatives of the loss of one group by the run times of its items. An item's share of a row is
   below 1, so that the sum of shares bounds the square of their sum: the curvature is never too
   small for a leaf that holds several rows. */
static void item_slopes(const additive_loss *l, const learned *of)
{
    const harness_additive_group *g = of->group;
    for (int i = 0; i < g->items; i++) {
        l->z[i] = log(l->time[i]);
        l->slope[i] = l->z[i] - g->y[i];
    }
    const double mean = g->absolute ? 0 : mean_of(l->slope, g->items);
    for (int i = 0; i < g->items; i++) {
        const double error = l->slope[i] - mean;
        l->curve[i] = of->weight * tamed(g, error) / l->time[i];
        l->slope[i] = l->curve[i] * error;
    }
}

static void add_pairs(const additive_loss *l, const learned *of)
{
    const harness_additive_group *g = of->group;
    double *slope = l->by_pair, *curve = slope + g->items;
    memset(slope, 0, 2 * (size_t)g->items * sizeof *slope);
    harness_order_slopes(slope, curve, &of->order, l->z, g->y, g->items);
    for (int i = 0; i < g->items; i++) {
        l->slope[i] += slope[i] / l->time[i];
        l->curve[i] += curve[i] / l->time[i];
    }
}

/* The derivatives of an item belong to its rows by what each takes of its time. */
static void group_slopes(float *gradient, float *curvature, const float *prediction,
                         const additive_loss *l, const learned *of)
{
    const harness_additive_group *g = of->group;
    double each_slope = 0, each_curvature = 0; /* of rows that all items count */
    find_times(l, g, prediction);
    item_slopes(l, of);
    if (of->order.pairs > 0) add_pairs(l, of);
    memset(gradient, 0, (size_t)g->rows * sizeof *gradient);
    memset(curvature, 0, (size_t)g->rows * sizeof *curvature);
    for (int i = 0; i < g->items; i++) {
        each_slope += l->slope[i];
        each_curvature += l->curve[i];
        for (int e = g->first[i]; e < g->first[i + 1]; e++) {
            const int r = g->row[e];
            gradient[r] += (float)(l->slope[i] * times_of(g, e) * l->cost[r]);
            curvature[r] += (float)(l->curve[i] * times_of(g, e) * l->cost[r]);
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
        group_slopes(gradient, curvature, prediction, l, &l->of[g]);
        const int n = l->of[g].group->rows;
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

static void prepare_pairs(additive_loss *l, size_t items, const harness_boosting_options *o)
{
    double *gain = harness_take(&l->memory, items * sizeof *gain);
    for (int i = 0; i < l->groups; i++) {
        const harness_additive_group *g = l->of[i].group;
        l->of[i].order = (harness_order_loss){
            .order = o->order, .top = o->top, .gain = gain, .place = l->by_pair + 2 * g->items};
        harness_order_gains(&l->of[i].order, g->y, g->items);
        gain += g->items;
    }
}

static ag_status fit_open(additive_loss *l, const harness_additive_group *group, int groups,
                          int columns, const harness_boosting_options *o, ag_failure *why)
{
    size_t rows = 0, items = 0, most_rows = 1, most_items = 1;
    l->of = harness_take(&l->memory, ((size_t)groups + 1) * sizeof *l->of);
    for (int i = 0; i < groups; i++) {
        const harness_additive_group *g = &group[i];
        if (!g->y || !g->items || !counts_rows(g)) continue;
        const double variance = variance_of(g->y, g->items),
                     weight = g->weight > 0 ? g->weight : 1 / (variance + 1e-3);
        if (!g->absolute && !(variance > 0)) continue;
        l->of[l->groups++] = (learned){.group = g, .weight = weight / g->items};
        rows += (size_t)g->rows;
        items += (size_t)g->items;
        if ((size_t)g->rows > most_rows) most_rows = (size_t)g->rows;
        if ((size_t)g->items > most_items) most_items = (size_t)g->items;
    }
    if (!rows || rows > INT32_MAX)
        return ag_fail(why, AG_EDATA,
                       "additive trees: %zu rows to learn from; give files with run times that "
                       "differ, and at most %d rows",
                       rows, INT32_MAX);
    l->rows = (int)rows;
    l->cost = harness_take(&l->memory, most_rows * sizeof *l->cost);
    l->time = harness_take(&l->memory, 7 * most_items * sizeof *l->time);
    l->slope = l->time + most_items;
    l->curve = l->slope + most_items;
    l->z = l->curve + most_items;
    l->by_pair = l->z + most_items;
    if (o->order > 0) prepare_pairs(l, items, o);
    float *x = l->x = harness_take(&l->memory, rows * (size_t)columns * sizeof *x);
    for (int i = 0; i < l->groups; i++) {
        const size_t cells = (size_t)l->of[i].group->rows * (size_t)columns;
        memcpy(x, l->of[i].group->x, cells * sizeof *x);
        x += cells;
    }
    return AG_OK;
}

harness_boosting *harness_additive_fit(const harness_additive_group *group, int groups, int columns,
                                       const harness_boosting_options *options, ag_failure *why)
{
    additive_loss l = {0};
    harness_boosting *trees = NULL;
    if (!fit_open(&l, group, groups, columns, options, why)) {
        /* Shares sum to 1 over a group, so the curvature of all is the number of groups or so. */
        const harness_boosting_loss loss = {
            .at = slopes,
            .context = &l,
            .least_weight = options->least_leaf > 0 ? options->least_leaf : 0.01};
        harness_boosting_options o = *options;
        o.loss = &loss;
        trees = harness_boosting_fit(l.x, NULL, l.rows, columns, &o, why);
    }
    ag_arena_free(l.memory);
    return trees;
}
