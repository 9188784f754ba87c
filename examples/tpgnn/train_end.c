/* SPDX-License-Identifier: MIT */
/* The end of a run: the best checkpoint on the validation tasks, tables, pictures, page. */
#include "examples/tpgnn/train.h"

#include <jansson.h>
#include <math.h>

/* The model of best.safetensors; without a validation score the last one. */
static ag_status score_best(tpgnn_training *t, tpgnn_results *r, ag_failure *why)
{
    const char *best = harness_run_path(t->trainer.run, HARNESS_BEST);
    if (isnan(t->state.progress.best) && harness_trainer_save(&t->trainer, HARNESS_BEST, why))
        return why->status;
    if (!r->data->tasks) return tpgnn_results_grade(r, why);
    tpgnn_model model = {0};
    tpgnn_checkpoint c = {0};
    if (!tpgnn_checkpoint_load(best, &model, &c, why) &&
        !ag_params_to(model.params, ag_tape_device(t->tape), why)) {
        const tpgnn_scorer scorer = {.model = &model,
                                     .tape = t->tape,
                                     .graphs = t->settings->eval_graphs,
                                     .nodes = t->settings->eval_nodes};
        tpgnn_results_add(r, &scorer, &c, 1, why);
    }
    if (!why->status && !harness_interrupted() && t->settings->baselines && t->show)
        tpgnn_results_baselines(r, &t->data, why);
    if (!why->status && !harness_interrupted()) tpgnn_results_grade(r, why);
    tpgnn_checkpoint_free(&c);
    tpgnn_model_free(&model);
    return why->status;
}

/* ---- pictures -----------------------------------------------------------------------------------
 */

/* A bar per name that has a value. */
static ag_status plot_bars(const char *folder, const char *plot, const char *title,
                           const char *const *names, const double *values, int count,
                           ag_failure *why)
{
    const size_t room = (size_t)count;
    const char **name = harness_alloc(room * sizeof *name + 1);
    double *value = harness_alloc(room * sizeof *value + 1);
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        name[n] = names[i];
        value[n++] = values[i];
    }
    if (n)
        harness_plot_bars(folder, plot, title, tpgnn_measure_name(TPGNN_PAIRWISE), name, value,
                          NULL, n, why);
    harness_free(name);
    harness_free(value);
    return why->status;
}

static ag_status plot_scores(const tpgnn_training *t, const tpgnn_results *r, ag_failure *why)
{
    const tpgnn_comparison *c = &r->comparison;
    double method[TPGNN_METHODS];
    double *family = harness_alloc((size_t)c->families * sizeof *family + 1);
    for (int m = 0; m < c->methods; m++) method[m] = tpgnn_mean(c, m, TPGNN_PAIRWISE);
    for (int f = 0; f < c->families; f++) family[f] = tpgnn_mean_of_family(c, 0, TPGNN_PAIRWISE, f);
    if (!plot_bars(t->folder, "methods", "Validation tasks, mean: larger is better", c->method,
                   method, c->methods, why))
        plot_bars(t->folder, "families", "The model on the validation tasks of each family",
                  c->family, family, c->families, why);
    harness_free(family);
    return why->status;
}

/* ---- the page -----------------------------------------------------------------------------------
 */

static char *fact(double value)
{
    char text[40] = "-";
    if (!isnan(value)) snprintf(text, sizeof text, "%.4f", value);
    return harness_copy(text);
}

/* How to read the numbers: a paragraph each. */
static const char on_pairs[] =
    "All scores are of the schedules of one task, then means over the tasks. Pairwise is the part "
    "of the pairs of schedules whose order is predicted right; pairs whose run times differ by "
    "less than 2 % do not count, and a coin reaches 0.5. tau is Kendall's rank correlation.";
static const char on_choices[] =
    "top-k is the fastest run time of the task divided by the fastest among the k schedules that "
    "are predicted best; recall@k is the part of those that belongs to the k fastest. 1 is "
    "perfect. slowdown@1 is how much longer the choice runs than the fastest. R2 and MAE are of "
    "ln(run time), where a method predicts it.";
static const char on_best[] =
    "The best checkpoint is chosen by the same validation tasks that are scored here; files given "
    "to \"tpgnn eval\" later are not touched by that.";
static const char *const reading[] = {on_pairs, on_choices, on_best};
enum { READING = sizeof reading / sizeof *reading };

static ag_status write_report(const tpgnn_training *t, const tpgnn_results *r,
                              harness_table *const table[TPGNN_TABLES], const double *mean,
                              ag_failure *why)
{
    static const char *const plots[] = {"curves", "methods", "families"};
    static const char *const captions[] = {
        "Loss of the training steps, and the validation score that chooses the best checkpoint.",
        "The model beside other ways to rank, mean over the tasks.",
        "Mean over the tasks of each family."};
    static const char *const fact_names[] = {"pairwise", "top-1", "steps", "parameters"};
    const int some = r->data->tasks > 0;
    const char *notes[READING + TPGNN_METHODS];
    char *other[TPGNN_METHODS];
    int n = 0;
    while (n < READING) notes[n] = reading[n], n++;
    for (int m = 1; m < r->methods; m++)
        notes[n++] = other[m] = harness_text("%s: %s.", r->name[m], r->note[m]);
    char *facts[4] = {fact(mean[TPGNN_PAIRWISE]), fact(mean[TPGNN_TOP1]),
                      harness_text("%lld", (long long)t->state.progress.step),
                      harness_text("%lld", (long long)ag_params_count(t->model.params))};
    char *title =
        harness_text("TPGNN: %lld steps on %d schedules of %d tasks",
                     (long long)t->settings->training.steps, t->data.schedules, t->data.tasks);
    const harness_report report = {
        .title = title,
        .summary = some ? NULL : "Nothing was held out, so there are no scores; give --valid.",
        .fact_names = fact_names,
        .facts = (const char *const *)facts,
        .fact_count = 4,
        .plots = plots,
        .plot_captions = captions,
        .plot_count = some ? 3 : 1,
        .tables = (const harness_table *const *)table,
        .table_count = some ? TPGNN_TABLES : 0,
        .notes = notes,
        .note_count = some ? n : 0,
        .command_line = t->command_line,
        .options = t->options};
    harness_report_write(t->folder, &report, why);
    for (int i = 0; i < 4; i++) harness_free(facts[i]);
    for (int m = 1; m < r->methods; m++) harness_free(other[m]);
    harness_free(title);
    return why->status;
}

/* ---- stdout -------------------------------------------------------------------------------------
 */

static ag_status show(const tpgnn_training *t, const tpgnn_results *r,
                      harness_table *const table[TPGNN_TABLES], ag_failure *why)
{
    if (t->settings->common.json) {
        json_t *j = tpgnn_results_json(r);
        json_object_set_new(j, "run", json_string(t->folder));
        json_object_set_new(j, "parameters", json_integer(ag_params_count(t->model.params)));
        json_object_set_new(j, "steps", json_integer(t->state.progress.step));
        return harness_json_print(j, why);
    }
    if (r->data->tasks)
        tpgnn_results_print(r, table);
    else
        printf("%lld steps done; nothing was held out, so there are no scores\n",
               (long long)t->state.progress.step);
    return AG_OK;
}

ag_status tpgnn_train_end(tpgnn_training *t, double *mean, ag_failure *why)
{
    tpgnn_results r;
    harness_table *table[TPGNN_TABLES] = {NULL};
    tpgnn_results_open(&r, &t->valid);
    if (!score_best(t, &r, why) && !harness_interrupted()) {
        tpgnn_results_mean(mean, &r, 0);
        tpgnn_results_tables(table, &r, "Validation tasks, best checkpoint");
        if (!harness_trainer_plot(&t->trainer, why) && r.data->tasks) plot_scores(t, &r, why);
        if (!why->status && !harness_interrupted() && !write_report(t, &r, table, mean, why) &&
            (!t->show || !show(t, &r, table, why)))
            harness_trainer_done(&t->trainer);
    }
    tpgnn_tables_free(table);
    tpgnn_results_close(&r);
    return why->status;
}
