/* SPDX-License-Identifier: MIT */
/* Quality of an order: Kendall's tau, ordered pairs, slowdown of the best k, the tile scores. */
#include "examples/tgraph/score.h"

#include <math.h>

const int tgraph_slowdown_at[TGRAPH_SLOWS] = {1, 5, 10, 100};

static ag_status grade_pairs(tgraph_grades *g, const double *score, const double *target, int count,
                             int tau_a, ag_failure *why)
{
    harness_pairs pairs;
    if (harness_pairs_count(&pairs, score, target, count, why)) return why->status;
    g->tau = tau_a ? harness_tau_a(&pairs) : harness_tau_b(&pairs);
    g->opa = harness_opa(&pairs);
    g->tied = harness_tied(&pairs);
    return AG_OK;
}

/* The order is that of the target (a tile's run time over that of its default tile); slowdowns
   count raw nanoseconds. */
ag_status tgraph_grade(tgraph_grades *g, const tgraph_entry *e, const int32_t *item, int count,
                       const double *score, int tau_a, ag_failure *why)
{
    double *runtime = harness_alloc(2 * (size_t)count * sizeof *runtime), *target = runtime + count;
    *g = (tgraph_grades){.configs = count};
    for (int i = 0; i < count; i++) {
        const int c = item ? item[i] : i;
        runtime[i] = (double)(e->tile ? e->tile->runtime[c] : e->file->runtime[c]);
        target[i] = e->tile ? e->tile->target[c] : runtime[i];
    }
    ag_failure mine = {0};
    grade_pairs(g, score, target, count, tau_a, &mine);
    for (int k = 0; k < TGRAPH_SLOWS && !mine.status; k++)
        harness_slowdown(&g->slowdown[k], score, runtime, count, tgraph_slowdown_at[k], &mine);
    if (!mine.status) harness_top_min(&g->top5, score, runtime, count, 5, &mine);
    if (!mine.status) harness_top_mean(&g->top50, score, runtime, count, 50, &mine);
    harness_free(runtime);
    if (mine.status) ag_fail(why, mine.status, "%.200s: %s", e->path, mine.sentence);
    return mine.status;
}

enum { TAU, OPA, TIED, SLOW, TOP5 = SLOW + TGRAPH_SLOWS, TOP50, GRADES };

static double *grade_at(tgraph_grades *g, int which)
{
    switch (which) {
    case TAU: return &g->tau;
    case OPA: return &g->opa;
    case TIED: return &g->tied;
    case TOP5: return &g->top5;
    case TOP50: return &g->top50;
    default: return &g->slowdown[which - SLOW];
    }
}

tgraph_grades tgraph_grades_mean(const tgraph_grades *grades, int count)
{
    tgraph_grades mean = {0};
    for (int i = 0; i < count; i++) mean.configs += grades[i].configs;
    for (int which = 0; which < GRADES; which++) {
        double sum = 0;
        int n = 0;
        for (int i = 0; i < count; i++) {
            tgraph_grades g = grades[i];
            const double value = *grade_at(&g, which);
            if (isnan(value)) continue;
            sum += value;
            n++;
        }
        *grade_at(&mean, which) = n ? sum / n : (double)NAN;
    }
    return mean;
}

/* Columns in the order in which they are shown; a layout file has no tile scores. */
static const int layout_columns[] = {TAU, OPA, TIED, SLOW, SLOW + 1, SLOW + 2, SLOW + 3};
static const int tile_columns[] = {TOP50, TOP5, TAU, OPA, TIED, SLOW, SLOW + 1, SLOW + 2, SLOW + 3};

int tgraph_grade_count(int tile)
{
    return (int)(tile ? sizeof tile_columns / sizeof *tile_columns
                      : sizeof layout_columns / sizeof *layout_columns);
}

const char *tgraph_grade_name(int tile, int tau_a, int index)
{
    static const char *const names[GRADES] = {"tau-b",        "opa",        "tied",
                                              "slowdown@1",   "slowdown@5", "slowdown@10",
                                              "slowdown@100", "top-5",      "top-50"};
    const int which = tile ? tile_columns[index] : layout_columns[index];
    return which == TAU && tau_a ? "tau-a" : names[which];
}

double tgraph_grade_value(const tgraph_grades *grades, int tile, int index)
{
    tgraph_grades g = *grades;
    return *grade_at(&g, tile ? tile_columns[index] : layout_columns[index]);
}

double tgraph_grades_main(const tgraph_grades *grades, int tile)
{
    return tgraph_grade_value(grades, tile, 0);
}

const char *tgraph_main_name(int tile, int tau_a) { return tgraph_grade_name(tile, tau_a, 0); }
