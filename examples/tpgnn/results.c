/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/baseline/results_internal.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

int tpgnn_results_method(tpgnn_results *r, const char *name, char *note)
{
    const int m = r->methods++;
    r->name[m] = name;
    r->note[m] = note;
    r->score[m] = harness_alloc((size_t)r->data->schedules * sizeof *r->score[m] + 1);
    return m;
}

void tpgnn_results_open(tpgnn_results *r, const tpgnn_data *data)
{
    const size_t n = (size_t)data->schedules, tasks = (size_t)data->tasks;
    *r = (tpgnn_results){.data = data};
    r->number = harness_alloc(n * sizeof *r->number + 1);
    r->runtime = harness_alloc(n * sizeof *r->runtime + 1);
    r->task = harness_alloc(n * sizeof *r->task + 1);
    r->family_of = harness_alloc(tasks * sizeof *r->family_of + 1);
    r->task_name = harness_alloc(tasks * sizeof *r->task_name + 1);
    for (size_t i = 0; i < n; i++) {
        r->number[i] = data->schedule[i].number;
        r->runtime[i] = data->schedule[i].runtime;
        r->task[i] = data->schedule[i].task;
    }
    for (size_t t = 0; t < tasks; t++) {
        r->family_of[t] = data->task[t].family;
        r->task_name[t] = data->task[t].name;
    }
    tpgnn_results_method(r, "TPGNN", NULL);
}

void tpgnn_results_close(tpgnn_results *r)
{
    for (int m = 0; m < r->methods; m++) {
        harness_free(r->note[m]);
        harness_free(r->score[m]);
        harness_free(r->cost[m]);
    }
    harness_free(r->grade);
    harness_free(r->ns);
    harness_free(r->number);
    harness_free(r->runtime);
    harness_free(r->task);
    harness_free(r->family_of);
    harness_free(r->task_name);
    *r = (tpgnn_results){0};
}

/* Adds the predictions of ln(ns) that the scores of one model give, if there are any. */
static void add_costs(tpgnn_results *r, const double *score, const tpgnn_checkpoint *c, int models)
{
    const int n = r->data->schedules;
    double cost = 0;
    if (!n || !tpgnn_log_cost(&cost, c, score[0])) return;
    if (!r->cost[0]) r->cost[0] = harness_alloc((size_t)n * sizeof *r->cost[0]);
    for (int i = 0; i < n; i++)
        if (tpgnn_log_cost(&cost, c, score[i])) r->cost[0][i] += cost / models;
    r->costs++;
}

/* After the last model: predicted run times, if all of them predict any. */
static void finish(tpgnn_results *r)
{
    const int n = r->data->schedules;
    if (r->costs < r->models) {
        harness_free(r->cost[0]);
        r->cost[0] = NULL;
    }
    if (!r->cost[0]) return;
    r->ns = harness_alloc((size_t)n * sizeof *r->ns);
    for (int i = 0; i < n; i++) r->ns[i] = exp(r->cost[0][i]);
}

ag_status tpgnn_results_add(tpgnn_results *r, const tpgnn_scorer *scorer, const tpgnn_checkpoint *c,
                            int models, ag_failure *why)
{
    const int n = r->data->schedules;
    double *score = harness_alloc((size_t)n * sizeof *score + 1);
    if (!tpgnn_score(scorer, score, r->data, 1, why)) {
        for (int i = 0; i < n; i++) r->score[0][i] += score[i] / models;
        add_costs(r, score, c, models);
        if (++r->models == models) finish(r);
    }
    harness_free(score);
    return why->status;
}

/* ---- grades ---- */

static void compare(tpgnn_results *r)
{
    tpgnn_comparison *c = &r->comparison;
    *c = (tpgnn_comparison){.methods = r->methods,
                            .tasks = r->data->tasks,
                            .families = r->data->families,
                            .method = r->name,
                            .name = r->task_name,
                            .family = (const char *const *)r->data->family,
                            .family_of = r->family_of,
                            .grade = r->grade};
    for (int m = 1; m < r->methods; m++)
        if (strcmp(r->name[m], TPGNN_BESIDE) == 0) c->beside = m;
}

ag_status tpgnn_results_grade(tpgnn_results *r, ag_failure *why)
{
    const size_t tasks = (size_t)r->data->tasks;
    harness_free(r->grade);
    r->grade = harness_alloc((size_t)r->methods * tasks * sizeof *r->grade + 1);
    for (int m = 0; m < r->methods && !why->status; m++) {
        const tpgnn_scored scored = {.score = r->score[m],
                                     .cost = r->cost[m],
                                     .runtime = r->runtime,
                                     .task = r->task,
                                     .schedules = r->data->schedules,
                                     .tasks = r->data->tasks};
        tpgnn_grade_tasks(r->grade + (size_t)m * tasks, &scored, TPGNN_SHARE, why);
    }
    compare(r);
    return why->status;
}

void tpgnn_results_mean(double *mean, const tpgnn_results *r, int method)
{
    for (int k = 0; k < TPGNN_MEASURES; k++)
        mean[k] = tpgnn_mean(&r->comparison, method, (tpgnn_measure)k);
}

int tpgnn_results_tables(harness_table *table[HARNESS_TABLES], const tpgnn_results *r,
                         const char *title)
{
    const tpgnn_comparison *c = &r->comparison;
    int n = 0;
    table[n++] = tpgnn_tasks_table(title, c);
    table[n++] = tpgnn_families_table("By family: means over its tasks", c);
    table[n++] = tpgnn_methods_table("Mean over the tasks", c, TPGNN_OVER_TASKS);
    table[n++] = tpgnn_methods_table("Mean over the families", c, TPGNN_OVER_FAMILIES);
    return n;
}

json_t *tpgnn_results_json(const tpgnn_results *r) { return tpgnn_comparison_json(&r->comparison); }
