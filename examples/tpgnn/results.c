/* SPDX-License-Identifier: MIT */
/* Makes results of a call's tasks, with the scores and costs of runs, and noise. */
#include "examples/tpgnn/hooks.h"

#include "examples/harness/machine/device.h"

#include <math.h>
#include <string.h>

/* The table of methods leaves out recall@1 (top-1 says more), slowdown@5 and slowdown@10 (so do
   top-5 and top-10). */
static const harness_measure measures[] = {
    HARNESS_PAIRWISE, HARNESS_TAU_B,      HARNESS_TOP_1,       HARNESS_TOP_5,   HARNESS_TOP_10,
    HARNESS_RECALL_5, HARNESS_RECALL_10,  HARNESS_SLOWDOWN_1,  HARNESS_R2,      HARNESS_MAE,
    HARNESS_RECALL_1, HARNESS_SLOWDOWN_5, HARNESS_SLOWDOWN_10, HARNESS_MEASURES};
static const harness_rank_form form = {.row = "task",
                                       .rows = "tasks",
                                       .items = "schedules",
                                       .measure = measures,
                                       .main = 3,
                                       .shown = 10,
                                       .validated = 6,
                                       .studied = 4,
                                       .against = TPGNN_AGAINST};

void tpgnn_results_form(harness_rank_form *to, const void *net, const harness_settings *settings)
{
    (void)net;
    (void)settings;
    *to = form;
}

static void add_tasks(harness_rank *rank, const tpgnn_data *data)
{
    const size_t n = (size_t)data->schedules;
    int64_t *actual = harness_rank_alloc(rank, n * sizeof *actual);
    for (size_t i = 0; i < n; i++) actual[i] = data->schedule[i].runtime;
    char **name = harness_rank_names(rank, &data->paths, data->tasks, ".npz");
    for (int t = 0; t < data->tasks; t++) {
        const tpgnn_task *task = &data->task[t];
        harness_rank_group(rank, (harness_ranked){.name = name ? name[t] : task->name,
                                                  .items = task->schedules,
                                                  .actual = actual + task->first,
                                                  .family = task->family});
    }
}

void tpgnn_results_open(void *results, void *files, const harness_settings *settings)
{
    tpgnn_results *r = results;
    harness_rank *rank = &r->rank;
    const tpgnn_files *f = r->files = files;
    const tpgnn_data *train = &f->train, *scored = &f->scored;
    (void)settings;
    rank->form = form;
    rank->title =
        harness_text("%s, %d schedules of %d tasks", rank->name, train->schedules, train->tasks);
    rank->family_name = (const char *const *)scored->family;
    rank->families = scored->families;
    add_tasks(rank, scored);
    harness_rank_method(rank, rank->name, NULL);
    r->cost = harness_rank_alloc(rank, (size_t)scored->schedules * sizeof *r->cost);
}

/* The number of schedules from `first` on that fit in one batch; scores do not depend on it. */
static int chunk(const tpgnn_settings *s, const tpgnn_data *data, int first)
{
    int64_t nodes = 0;
    int n = 0;
    while (first + n < data->schedules && n < s->eval_graphs) {
        nodes += data->schedule[first + n].nodes;
        if (n && nodes > s->eval_nodes) break;
        n++;
    }
    return n;
}

static ag_status score_batch(double *score, const tpgnn_model *model, const harness_scoring *how,
                             const tpgnn_data *data, const tpgnn_schedule **schedule, int first,
                             int count, tpgnn_batch *batch, ag_failure *why)
{
    const tpgnn_batch_options options = tpgnn_model_batch(model);
    ag_tape *tape = how->tape;
    for (int i = 0; i < count; i++) schedule[i] = &data->schedule[first + i];
    if (tpgnn_batch_fill(batch, data, schedule, count, &options, why)) return why->status;
    ag_tape_begin(tape, 0);
    ag_tensor *y = nests_mean_scores(tpgnn_forward(model, tape, batch), count);
    const ag_real *cost = harness_outputs_of(how->outputs, tape, y, count);
    if (!cost)
        return harness_scoring_failed(tape, data->task[schedule[0]->task].name, "--eval-graphs",
                                      why);
    for (int i = 0; i < count; i++) score[first + i] = (double)cost[i];
    return AG_OK;
}

ag_status tpgnn_score(double *score, const tpgnn_model *model, const harness_scoring *how,
                      const tpgnn_data *data, ag_failure *why)
{
    const tpgnn_settings *s = (const tpgnn_settings *)how->settings;
    tpgnn_batch batch = {0};
    const tpgnn_schedule **schedule = HARNESS_NEW(schedule, s->eval_graphs);
    harness_progress bar;
    harness_progress_start(&bar, "score", 0, data->schedules);
    bar.shown = false; /* in training there is another bar */
    for (int first = 0, n; !why->status && (n = chunk(s, data, first)) > 0; first += n) {
        if (!how->patient && !harness_go_on(why)) break;
        if (score_batch(score, model, how, data, schedule, first, n, &batch, why)) break;
        harness_progress_update(&bar, first + n, NULL);
    }
    tpgnn_batch_free(&batch);
    harness_free(schedule);
    return why->status;
}

/* Adds the predictions of ln(ns) that the scores of one model give, if there are any; the last
   model makes them run times, if all models predict any. */
static void add_costs(tpgnn_results *r, const double *score, const tpgnn_trained *net, int models)
{
    double cost = 0;
    if (!r->rank.items || !tpgnn_log_cost(&cost, net, score[0])) return;
    for (int64_t i = 0; i < r->rank.items; i++)
        if (tpgnn_log_cost(&cost, net, score[i])) r->cost[i] += cost / models;
    if (++r->costs < models) return;
    double *ns = harness_rank_alloc(&r->rank, (size_t)r->rank.items * sizeof *ns);
    for (int64_t i = 0; i < r->rank.items; i++) ns[i] = exp(r->cost[i]);
    r->rank.cost[0] = r->cost;
    r->rank.ns = ns;
}

ag_status tpgnn_results_add(void *results, const harness_trained *t, const harness_scoring *how,
                            ag_failure *why)
{
    tpgnn_results *r = results;
    const tpgnn_trained *net = t->net;
    const int64_t n = r->rank.items;
    double *score = HARNESS_NEW(score, n);
    if (r->models++) tpgnn_data_translate(&r->files->scored, &net->vocabulary);
    if (!tpgnn_score(score, &net->model, how, &r->files->scored, why)) {
        for (int64_t i = 0; i < n; i++) r->rank.score[0][i] += score[i] / how->models;
        add_costs(r, score, net, how->models);
    }
    harness_free(score);
    return why->status;
}

/* ---- scores that are all equal ---- */

static bool same_trees(const tpgnn_schedule *a, const tpgnn_schedule *b)
{
    const size_t n = (size_t)a->nodes;
    return a->nodes == b->nodes && !memcmp(a->kind, b->kind, n * sizeof *a->kind) &&
           !memcmp(a->value, b->value, n * sizeof *a->value) &&
           !memcmp(a->parent, b->parent, n * sizeof *a->parent) &&
           !memcmp(a->refers, b->refers, n * sizeof *a->refers);
}

const char *tpgnn_results_alike(const void *results, int group)
{
    const tpgnn_data *data = &((const tpgnn_results *)results)->files->scored;
    const tpgnn_task *t = &data->task[group];
    const tpgnn_schedule *s = &data->schedule[t->first];
    int i = 1;
    while (i < t->schedules && same_trees(s, s + i)) i++;
    return i == t->schedules ? "its schedules are the same tree" : NULL;
}

/* The first pass is the second measurement: what it orders as the second does. */
void tpgnn_results_repeat(void *results)
{
    tpgnn_results *r = results;
    const tpgnn_data *data = &r->files->scored;
    int64_t *pass = harness_rank_alloc(&r->rank, 2 * (size_t)data->schedules * sizeof *pass);
    for (int i = 0; i < data->schedules; i++)
        for (int k = 0; k < 2; k++) pass[k * data->schedules + i] = data->schedule[i].pass[k];
    harness_rank_repeats(&r->rank, pass + data->schedules, pass);
}
