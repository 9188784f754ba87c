/* SPDX-License-Identifier: MIT */
/* Groups, methods, scores and measures of a ranking model. */
#include "examples/harness/rank/rank.h"

#include "autograd/autograd.h"

#include <math.h>
#include <string.h>

/* ---- groups and methods ---- */

void harness_rank_group(harness_rank *r, const char *name, int items, const int *number,
                        const int64_t *actual)
{
    if (r->groups == r->room) {
        r->room = r->room ? 2 * r->room : 16;
        r->group = harness_grow(r->group, (size_t)r->room * sizeof *r->group);
    }
    r->group[r->groups++] = (harness_ranked){name, items, r->items, number, actual};
    r->items += items;
}

double *harness_rank_method(harness_rank *r, const char *name, char *note)
{
    const int m = r->methods++;
    r->method[m] = name;
    r->note[m] = note;
    r->score[m] = harness_alloc((size_t)r->items * sizeof *r->score[m] + 1);
    return r->score[m];
}

void harness_rank_close(void *rank)
{
    harness_rank *r = rank;
    for (int m = 0; m < r->methods; m++) {
        harness_free(r->note[m]);
        harness_free(r->score[m]);
    }
    harness_free(r->group);
    harness_free(r->grade);
    *r = (harness_rank){0};
}

int harness_rank_groups(const void *rank) { return ((const harness_rank *)rank)->groups; }

harness_group harness_rank_group_at(const void *rank, int index)
{
    const harness_rank *r = rank;
    const harness_ranked *g = &r->group[index];
    const double *score = r->score[0] + g->first;
    return (harness_group){.name = g->name,
                           .items = g->items,
                           .number = g->number,
                           .score = score,
                           .ns = r->times ? score : NULL,
                           .actual = g->actual};
}

int harness_rank_other(const char **name, const char **note, const void *rank, int k)
{
    const harness_rank *r = rank;
    if (k + 1 >= r->methods) return 0;
    *name = r->method[k + 1];
    *note = r->note[k + 1];
    return 1;
}

/* ---- scores ---- */

static ag_status add_values(double *score, const harness_ranked *g, const ag_real *value,
                            double weight, ag_failure *why)
{
    for (int i = 0; i < g->items; i++) {
        if (!isfinite((double)value[i]))
            return ag_fail(why, AG_EFINITE,
                           "%.160s: the score of item %d is %g; the run is of no use, choose "
                           "another checkpoint",
                           g->name, g->number ? g->number[i] : i, (double)value[i]);
        score[i] += weight * (double)value[i];
    }
    return AG_OK;
}

static ag_status score_group(harness_rank *r, int group, const void *net,
                             const harness_scoring *how, harness_rank_record *record,
                             ag_failure *why)
{
    const harness_ranked *g = &r->group[group];
    const harness_portion portion = {0};
    char where[200];
    ag_tape_reset(how->tape);
    ag_tape_training(how->tape, 0);
    ag_tensor *y = record(net, r->data, group, how->tape);
    ag_forward(y);
    const ag_real *value = ag_values(y);
    if (value) return add_values(r->score[0] + g->first, g, value, 1.0 / how->models, why);
    snprintf(where, sizeof where, "scoring %.150s", g->name);
    return harness_run_failed(&portion, how->tape, where, why);
}

ag_status harness_rank_add(harness_rank *r, const harness_trained *t, const harness_scoring *how,
                           harness_rank_record *record, ag_failure *why)
{
    for (int i = 0; i < r->groups && !why->status && (how->patient || !harness_interrupted()); i++)
        score_group(r, i, t->net, how, record, why);
    ag_tape_reset(how->tape);
    ag_tape_training(how->tape, 1);
    return why->status;
}

/* ---- measures ---- */

static const char *const names[HARNESS_RANK_MEASURES] = {"tau", "opa", "slowdown@1", "slowdown@5",
                                                         "slowdown@10"};

int harness_rank_measures(const char **name, const void *data, const harness_settings *settings)
{
    (void)data, (void)settings;
    memcpy(name, names, sizeof names);
    return HARNESS_RANK_MEASURES;
}

int harness_rank_columns(const char **name, const harness_settings *settings, ag_failure *why)
{
    (void)why;
    return harness_rank_measures(name, NULL, settings);
}

static ag_status grade_group(double *grade, const double *score, const double *actual, int items,
                             ag_failure *why)
{
    static const int best[] = {1, 5, 10};
    harness_pairs pairs;
    if (harness_pairs_count(&pairs, score, actual, items, why)) return why->status;
    grade[HARNESS_RANK_TAU] = harness_tau_b(&pairs);
    grade[HARNESS_RANK_OPA] = harness_opa(&pairs);
    for (int k = 0; k < 3 && items && !why->status; k++)
        harness_slowdown(grade + HARNESS_RANK_SLOWDOWN_1 + k, score, actual, items, best[k], why);
    return why->status;
}

static ag_status grade_method(harness_rank *r, int method, double *actual, ag_failure *why)
{
    for (int i = 0; i < r->groups && !why->status; i++) {
        const harness_ranked *g = &r->group[i];
        double *grade = r->grade[(size_t)method * (size_t)r->groups + (size_t)i];
        for (int k = 0; k < HARNESS_RANK_MEASURES; k++) grade[k] = (double)NAN;
        for (int k = 0; g->actual && k < g->items; k++) actual[k] = (double)g->actual[k];
        if (g->actual) grade_group(grade, r->score[method] + g->first, actual, g->items, why);
    }
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

ag_status harness_rank_grade(void *rank, ag_failure *why)
{
    harness_rank *r = rank;
    const size_t grades = (size_t)r->methods * (size_t)r->groups;
    double *actual = harness_alloc((size_t)r->items * sizeof *actual + 1);
    harness_free(r->grade);
    r->grade = harness_alloc(grades * sizeof *r->grade + 1);
    check_known(r, why);
    for (int m = 0; m < r->methods && !why->status; m++) grade_method(r, m, actual, why);
    harness_free(actual);
    return why->status;
}

double harness_rank_mean(const harness_rank *r, int method, int measure)
{
    double mean, spread, *value = harness_alloc((size_t)r->groups * sizeof *value + 1);
    int64_t count;
    for (int i = 0; i < r->groups; i++)
        value[i] = r->grade[(size_t)method * (size_t)r->groups + (size_t)i][measure];
    harness_mean_spread(&mean, &spread, &count, value, r->groups);
    harness_free(value);
    return mean;
}

void harness_rank_values(double *measure, const void *rank)
{
    for (int k = 0; k < HARNESS_RANK_MEASURES; k++) measure[k] = harness_rank_mean(rank, 0, k);
}
