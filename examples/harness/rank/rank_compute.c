/* SPDX-License-Identifier: MIT */
/* Measures of all rows and methods, and their means. */
#include "examples/harness/rank/rank_internal.h"
#include "core/error.h"

#include <math.h>

static void list_rows(harness_rank *r)
{
    if (!r->row_name) r->rows = r->groups;
    r->row = harness_rank_alloc(r, (size_t)r->rows * sizeof *r->row);
    for (int i = 0; i < r->groups; i++) {
        const harness_ranked *g = &r->group[i];
        harness_rank_row *row = &r->row[g->row];
        row->name = r->row_name ? r->row_name[g->row] : g->name;
        row->family = g->family;
        row->groups++;
        row->items += g->items;
    }
}

harness_measured *harness_rank_at(const harness_rank *r, int method, int row)
{
    return r->measured + (size_t)method * (size_t)r->rows + (size_t)row;
}

static bool lacks(const harness_rank *r, int method, int group)
{
    return r->absent[method] && r->absent[method][group] && r->group[group].actual;
}

static ag_status measure_group(harness_measured *m, const harness_rank *r, int method, int group,
                               ag_failure *why)
{
    const harness_ranked *g = &r->group[group];
    const double *cost = r->cost[method];
    const bool repeated = r->ceiling && method >= r->ceiling && r->first;
    const harness_items items = {.name = g->name,
                                 .count = g->items,
                                 .number = g->number,
                                 .score = r->score[method] + g->first,
                                 .cost = cost ? cost + g->first : NULL,
                                 .actual = repeated ? r->first + g->first : g->actual,
                                 .times = r->times,
                                 .least = r->least};
    *m = harness_measured_none();
    m->left[HARNESS_NONE_COUNTS] = !g->actual;
    if (!g->actual || lacks(r, method, group)) return AG_OK;
    return harness_measure_items(m, &items, why);
}

int harness__lacking(const harness_rank *r, int method)
{
    int n = 0;
    for (int i = 0; i < r->groups; i++) n += lacks(r, method, i);
    return n;
}

static ag_status measure_method(harness_rank *r, int method, ag_failure *why)
{
    harness_measured group;
    for (int i = 0; i < r->groups && !measure_group(&group, r, method, i, why); i++)
        harness_measured_add(harness_rank_at(r, method, r->group[i].row), &group);
    for (int i = 0; i < r->rows; i++) harness_measured_end(harness_rank_at(r, method, i));
    for (int i = 0; i < r->groups; i++)
        if (lacks(r, method, i))
            *harness_rank_at(r, method, r->group[i].row) = harness_measured_none();
    return why->status;
}

static ag_status check_known(const harness_rank *r, ag_failure *why)
{
    for (int i = 0; i < r->groups; i++)
        if (r->group[i].actual) return AG_OK;
    if (!r->groups) return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "none of the %d groups can be scored: their run times are not known; name files "
                   "with run times (\"predict\" needs none)",
                   r->groups);
}

ag_status harness_rank_compute(void *rank, ag_failure *why)
{
    harness_rank *r = rank;
    if (check_known(r, why)) return why->status;
    list_rows(r);
    r->measured = harness_rank_alloc(r, (size_t)r->methods * (size_t)r->rows * sizeof *r->measured);
    for (int m = 0; m < r->methods && !why->status; m++) measure_method(r, m, why);
    for (int i = 0; i < r->rows && r->methods; i++)
        r->row[i].counted = harness_rank_at(r, 0, i)->counted;
    return why->status;
}

enum { ALL = -1 /* families */ };

/* A row counts where the measure of any of these methods is defined. */
static bool row_counts(const harness_rank *r, int methods, harness_measure measure, int row)
{
    for (int m = 0; m < methods; m++)
        if (!isnan(harness_rank_at(r, m, row)->of[measure])) return true;
    return false;
}

/* The methods that decide it: not those that say what noise leaves possible, which are compared
   with other run times, unless only these have the measure. */
static int deciding(const harness_rank *r, harness_measure measure)
{
    for (int i = 0; r->ceiling && i < r->rows; i++)
        if (row_counts(r, r->ceiling, measure, i)) return r->ceiling;
    return r->methods;
}

/* Averages over other rows than those of the rest would say nothing: a method without scores for a
   group, or without a value for a row that counts, has none. */
static harness_averages average(const harness_rank *r, int method, harness_measure measure,
                                int family)
{
    double *value = HARNESS_NEW(value, r->rows);
    const int methods = deciding(r, measure);
    int n = 0;
    bool all = !harness__lacking(r, method);
    for (int i = 0; i < r->rows; i++) {
        if ((family != ALL && r->row[i].family != family) || !row_counts(r, methods, measure, i))
            continue;
        value[n] = harness_rank_at(r, method, i)->of[measure];
        all = all && !isnan(value[n++]);
    }
    const harness_averages a = harness_average(value, all ? n : 0);
    harness_free(value);
    return a;
}

double harness_rank_mean(const harness_rank *r, int method, harness_measure measure)
{
    return average(r, method, measure, ALL).mean;
}

static double mean_over_families(const harness_rank *r, int method, harness_measure measure)
{
    if (isnan(harness_rank_mean(r, method, measure))) return (double)NAN;
    double *mean = HARNESS_NEW(mean, r->families);
    for (int f = 0; f < r->families; f++) mean[f] = average(r, method, measure, f).mean;
    const harness_averages a = harness_average(mean, r->families);
    harness_free(mean);
    return a.mean;
}

double harness__number(const harness_rank *r, int method, harness_measure measure,
                       harness_mean mean, int of)
{
    switch (mean) {
    case HARNESS_ROW: return harness_rank_at(r, method, of)->of[measure];
    case HARNESS_MEDIAN: return average(r, method, measure, ALL).median;
    case HARNESS_GEOMETRIC: return average(r, method, measure, ALL).geometric;
    case HARNESS_FAMILY: return average(r, method, measure, of).mean;
    case HARNESS_FAMILIES: return mean_over_families(r, method, measure);
    default: return harness_rank_mean(r, method, measure);
    }
}

harness_rank_row harness__sum_rows(const harness_rank *r, int family)
{
    harness_rank_row sum = {.family = family};
    for (int i = 0; i < r->rows; i++) {
        const harness_rank_row *row = &r->row[i];
        if (family >= 0 && row->family != family) continue;
        sum.rows++;
        sum.groups += row->groups;
        sum.items += row->items;
        sum.counted += row->counted;
    }
    return sum;
}
