/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/baseline/statements.h"

#include "examples/harness/harness.h"
#include "examples/tpgnn/baseline/ordered.h"
#include "examples/tpgnn/nest/nest_rows.h"

#include <math.h>

static void make_room(tpgnn_statements *s, const tpgnn_data *data, int rows)
{
    const size_t n = (size_t)rows + 1;
    s->tasks = data->tasks;
    s->group = harness_alloc((size_t)data->tasks * sizeof *s->group + 1);
    s->x = harness_alloc(n * TPGNN_ROW * sizeof *s->x);
    s->work = harness_alloc(n * sizeof *s->work);
    s->row = harness_alloc(n * sizeof *s->row);
    s->first = harness_alloc((size_t)(data->schedules + data->tasks) * sizeof *s->first + 1);
    s->y = harness_alloc((size_t)data->schedules * sizeof *s->y + 1);
}

/* Takes the rows of a schedule, and returns their number, or -1. A schedule that stores nothing has
   a row of zeros. */
static int take_schedule(float *x, double *work, float *cost, const tpgnn_data *data,
                         const tpgnn_schedule *s, ag_failure *why)
{
    const int room = tpgnn_nest_stores(data, s);
    const int n = tpgnn_nest_rows(x, cost, room, data, s, why);
    for (int i = 0; i < n; i++) work[i] = exp((double)cost[i]);
    if (n) return n;
    work[0] = 1;
    return 1;
}

static ag_status take_task(tpgnn_statements *s, int task, int64_t row, int first, float *cost,
                           const tpgnn_data *data, ag_failure *why)
{
    const tpgnn_task *t = &data->task[task];
    harness_additive_group *g = &s->group[task];
    *g = (harness_additive_group){.items = t->schedules,
                                  .x = s->x + row * TPGNN_ROW,
                                  .work = s->work + row,
                                  .first = s->first + first,
                                  .row = s->row + row,
                                  .y = s->y + t->first};
    for (int i = 0; i < t->schedules && !why->status; i++) {
        const tpgnn_schedule *of = &data->schedule[t->first + i];
        const int64_t at = row + g->rows;
        const int n = take_schedule(s->x + at * TPGNN_ROW, s->work + at, cost, data, of, why);
        if (n > 0) g->rows += n;
        s->first[first + i + 1] = g->rows;
        s->y[t->first + i] = log((double)of->runtime);
    }
    for (int r = 0; r < g->rows; r++) s->row[row + r] = r;
    return why->status;
}

ag_status tpgnn_statements_take(tpgnn_statements *s, const tpgnn_data *data, ag_failure *why)
{
    int rows = 0, most = 1;
    for (int i = 0; i < data->schedules; i++) {
        const int n = tpgnn_nest_stores(data, &data->schedule[i]);
        if (n > most) most = n;
        rows += n ? n : 1;
    }
    make_room(s, data, rows);
    float *cost = harness_alloc((size_t)most * sizeof *cost);
    int64_t row = 0;
    for (int t = 0, first = 0; t < data->tasks && !why->status; t++) {
        take_task(s, t, row, first, cost, data, why);
        row += s->group[t].rows;
        first += data->task[t].schedules + 1;
    }
    harness_free(cost);
    return why->status;
}

void tpgnn_statements_drop(tpgnn_statements *s)
{
    void *const block[] = {s->group, s->x, s->work, s->row, s->first, s->y};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) harness_free(block[i]);
    *s = (tpgnn_statements){0};
}

void tpgnn_score_cycles(double *score, const tpgnn_statements *s)
{
    for (int t = 0; t < s->tasks; t++) {
        const harness_additive_group *g = &s->group[t];
        for (int i = 0; i < g->items; i++, score++) {
            *score = 0;
            for (int r = g->first[i]; r < g->first[i + 1]; r++) *score += g->work[r];
            *score = log(*score);
        }
    }
}

harness_boosting_options tpgnn_additive_options(void)
{
    harness_boosting_options o = harness_boosting_defaults();
    o.rounds = 400;
    return o;
}

ag_status tpgnn_additive_score(double *score, harness_boosting *trees, const tpgnn_statements *s,
                               ag_failure *why)
{
    for (int t = 0; t < s->tasks && !why->status; t++) {
        harness_additive_score(score, trees, &s->group[t], why);
        score += s->group[t].items;
    }
    return why->status;
}

/* The sets that are being fitted. */
typedef struct fitting {
    harness_progress bar;
    int set, sets;
} fitting;

static int watch(void *context, const char *label, double done)
{
    fitting *f = context;
    (void)label;
    harness_progress_update(&f->bar, (int64_t)((f->set + done) * 100 / f->sets), NULL);
    return harness_interrupted();
}

static ag_status fit_set(harness_trees *trees, const tpgnn_statements *s,
                         const harness_boosting_options *o, const tpgnn_trees_options *how, int set,
                         ag_failure *why)
{
    harness_boosting *a =
        how->order > 0
            ? tpgnn_ordered_fit(s->group, s->tasks, TPGNN_ROW, how->order, how->top, o, why)
            : harness_additive_fit(s->group, s->tasks, TPGNN_ROW, o, why);
    if (a && harness_go_on(why)) harness_trees_take(trees, set * o->rounds, a, why);
    harness_boosting_free(a);
    return why->status;
}

static ag_status fit_and_keep(harness_trees *trees, const tpgnn_statements *s,
                              const tpgnn_trees_options *options, ag_failure *why)
{
    const int leaves = trees->count * (harness_trees_nodes(trees) + 1);
    fitting f = {.sets = options->sets};
    harness_boosting_options o = tpgnn_additive_options();
    o.rounds = trees->count / options->sets;
    o.depth = trees->depth;
    o.columns = options->columns;
    o.progress = watch;
    o.context = &f;
    harness_progress_start(&f.bar, "trees", 0, 100);
    for (; f.set < f.sets && !why->status; f.set++) {
        o.seed = options->seed * 16 + (uint64_t)f.set; /* of no other seed: at most 16 sets */
        fit_set(trees, s, &o, options, f.set, why);
    }
    harness_progress_end(&f.bar);
    for (int i = 0; i < leaves; i++) trees->leaf[i] /= (float)options->sets;
    return why->status;
}

ag_status tpgnn_trees_fit(harness_trees *trees, const tpgnn_data *data,
                          const tpgnn_trees_options *options, ag_failure *why)
{
    tpgnn_statements s = {0};
    if (!harness_boosting_built()) {
        harness_warn("built without libxgboost, so --trees adds nothing to the networks");
        return AG_OK;
    }
    if (!tpgnn_statements_take(&s, data, why)) fit_and_keep(trees, &s, options, why);
    tpgnn_statements_drop(&s);
    return why->status;
}
