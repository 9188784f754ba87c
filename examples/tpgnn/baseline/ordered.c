/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/baseline/ordered.h"

#include "examples/harness/harness.h"

#include <math.h>

/* ---- one group ---- */

static int place_of(const double *x, int items, int i)
{
    int place = 0;
    for (int j = 0; j < items; j++) place += x[j] < x[i] || (x[j] == x[i] && j < i);
    return place;
}

static double discount(int place) { return 1 / log2(place + 2); }

void tpgnn_order_prepare(tpgnn_order *o, const double *y, int items)
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
static void add_pair(tpgnn_order *o, const double *z, int i, int j)
{
    const double change = fabs(o->gain[i] - o->gain[j]) * fabs(o->place[i] - o->place[j]);
    const double weight = o->order / 2 * (1 / o->pairs + o->top * change);
    const double wrong = 1 / (1 + exp(TPGNN_STEEP * (z[i] - z[j])));
    const double slope = weight * TPGNN_STEEP * wrong;
    const double curve = slope * TPGNN_STEEP * (1 - wrong);
    o->slope[i] -= slope;
    o->slope[j] += slope;
    o->curve[i] += curve;
    o->curve[j] += curve;
}

void tpgnn_order_slopes(tpgnn_order *o, const double *z, const double *y, int items)
{
    double mean = 0, center = 0, variance = 0;
    for (int i = 0; i < items; i++) {
        mean += (z[i] - y[i]) / items;
        center += y[i] / items;
    }
    for (int i = 0; i < items; i++) variance += (y[i] - center) * (y[i] - center) / items;
    for (int i = 0; i < items; i++) {
        o->curve[i] = 1 / (variance + 1e-3) / items;
        o->slope[i] = o->curve[i] * (z[i] - y[i] - mean);
        o->place[i] = discount(place_of(z, items, i));
    }
    for (int i = 0; i < items; i++)
        for (int j = 0; j < items; j++)
            if (y[i] > y[j]) add_pair(o, z, i, j);
}

/* ---- all of them ---- */

typedef struct fit {
    const harness_additive_group *group;
    int groups;
    tpgnn_order *order; /* [groups]; they share slope, curve and place */
    double *cost, *z;   /* of the largest group */
    double *block;      /* all numbers above */
} fit;

/* z [items], and the cost of each row. */
static void add_up(double *z, double *cost, const harness_additive_group *g,
                   const float *prediction)
{
    for (int r = 0; r < g->rows; r++) cost[r] = g->work[r] * exp((double)prediction[r]);
    for (int i = 0; i < g->items; i++) {
        z[i] = 0;
        for (int e = g->first[i]; e < g->first[i + 1]; e++) z[i] += cost[g->row[e]];
        z[i] = log(z[i]);
    }
}

/* The derivatives of an item belong to its rows by their part of its time. */
static void share_out(float *gradient, float *curvature, const fit *f, int group)
{
    const harness_additive_group *g = &f->group[group];
    const tpgnn_order *o = &f->order[group];
    for (int i = 0; i < g->items; i++) {
        const double time = exp(f->z[i]);
        for (int e = g->first[i]; e < g->first[i + 1]; e++) {
            const double share = o->pairs > 0 ? f->cost[g->row[e]] / time : 0;
            gradient[g->row[e]] = (float)(share * o->slope[i]);
            curvature[g->row[e]] = (float)(share * o->curve[i]);
        }
    }
}

static int slopes(float *gradient, float *curvature, const float *prediction, int rows,
                  void *context)
{
    fit *f = context;
    (void)rows;
    for (int i = 0; i < f->groups; i++) {
        const harness_additive_group *g = &f->group[i];
        add_up(f->z, f->cost, g, prediction);
        if (f->order[i].pairs > 0) tpgnn_order_slopes(&f->order[i], f->z, g->y, g->items);
        share_out(gradient, curvature, f, i);
        gradient += g->rows;
        curvature += g->rows;
        prediction += g->rows;
    }
    return 0;
}

/* Returns the number of groups that can be learned from. */
static int open(fit *f, double order, double top)
{
    size_t items = 0, most = 1, rows = 1;
    int learned = 0;
    for (int i = 0; i < f->groups; i++) {
        items += (size_t)f->group[i].items;
        if ((size_t)f->group[i].items > most) most = (size_t)f->group[i].items;
        if ((size_t)f->group[i].rows > rows) rows = (size_t)f->group[i].rows;
    }
    f->order = harness_alloc((size_t)f->groups * sizeof *f->order + 1);
    f->block = harness_alloc((items + 4 * most + rows) * sizeof *f->block);
    f->cost = f->block;
    f->z = f->cost + rows;
    double *slope = f->z + most, *gain = slope + 3 * most;
    for (int i = 0; i < f->groups; i++) {
        tpgnn_order *o = &f->order[i];
        *o = (tpgnn_order){order, top, slope, slope + most, gain, slope + 2 * most, 0};
        if (f->group[i].items) tpgnn_order_prepare(o, f->group[i].y, f->group[i].items);
        gain += f->group[i].items;
        learned += o->pairs > 0;
    }
    return learned;
}

harness_boosting *tpgnn_ordered_fit(const harness_additive_group *group, int groups, int columns,
                                    double order, double top,
                                    const harness_boosting_options *options, ag_failure *why)
{
    fit f = {.group = group, .groups = groups};
    harness_boosting *trees = NULL;
    int rows = 0;
    for (int i = 0; i < groups; i++) rows += group[i].rows;
    if (open(&f, order, top)) {
        const harness_boosting_loss loss = {.at = slopes, .context = &f, .least_weight = 0.01};
        harness_boosting_options o = *options;
        o.loss = &loss;
        trees = harness_boosting_fit(group[0].x, NULL, rows, columns, &o, why);
    } else
        ag_fail(why, AG_EDATA,
                "trees: none of the %d tasks has two schedules with different run times; name "
                "other files",
                groups);
    harness_free(f.order);
    harness_free(f.block);
    return trees;
}
