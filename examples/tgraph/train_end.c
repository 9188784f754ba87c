/* SPDX-License-Identifier: MIT */
/* The end of a run: the best checkpoint on all held-out configurations, table, pictures, page. */
#include "examples/tgraph/results.h"
#include "examples/tgraph/train.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>

static ag_status compare(tgraph_training *t, tgraph_results *r, ag_failure *why)
{
    const tgraph_entry **learn = harness_alloc((size_t)t->set.count * sizeof *learn);
    int n = 0;
    for (int i = 0; i < t->set.count; i++)
        if (t->set.entry[i].train) learn[n++] = &t->set.entry[i];
    tgraph_results_baselines(r, learn, n, why);
    harness_free(learn);
    return why->status;
}

/* The model of best.safetensors; without a validation score the last one. */
static ag_status score_best(tgraph_training *t, tgraph_results *r, ag_failure *why)
{
    const char *best = harness_run_path(t->trainer.run, HARNESS_BEST);
    if (isnan(t->state.progress.best) && harness_trainer_save(&t->trainer, HARNESS_BEST, why))
        return why->status;
    if (!r->count) return AG_OK;
    tgraph_model model = {0};
    tgraph_checkpoint c = {0};
    tgraph_scorer scorer = {.model = &model, .tape = t->tape, .configs = t->settings->eval_configs};
    if (!tgraph_checkpoint_load(best, &model, &c, why) &&
        !ag_params_to(model.params, ag_tape_device(t->tape), why) &&
        !tgraph_results_add(r, &scorer, 1, why) && !harness_interrupted())
        tgraph_results_grade(r, why);
    if (!why->status && !harness_interrupted() && t->settings->baselines && t->show)
        compare(t, r, why);
    tgraph_scorer_close(&scorer);
    tgraph_checkpoint_free(&c);
    tgraph_model_free(&model);
    return why->status;
}

/* ---- pictures ----------------------------------------------------------------------------------
 */

static ag_status plot_order(const tgraph_training *t, const tgraph_results *r, ag_failure *why)
{
    const tgraph_file_result *f = &r->file[0];
    const tgraph_entry *e = f->entry;
    const int n = e->items;
    double *truth = harness_alloc(3 * (size_t)n * sizeof *truth), *x = truth + n, *y = x + n;
    for (int i = 0; i < n; i++) {
        const int c = tgraph_entry_item(e, i);
        truth[i] = e->tile ? e->tile->target[c] : (double)e->file->runtime[c];
    }
    char *title = harness_text("Order of the held-out configurations of %.60s", e->name);
    if (!harness_places(x, truth, n, why) && !harness_places(y, f->score, n, why))
        harness_plot_scatter(t->folder, "order", title, "place by run time", "place by score", x, y,
                             n, why);
    harness_free(title);
    harness_free(truth);
    return why->status;
}

/* A bar per file and way to rank it. */
static ag_status plot_bars(const tgraph_training *t, const tgraph_results *r, ag_failure *why)
{
    enum { MOST_FILES = 24, WAYS = 2 + TGRAPH_MOST_BASELINES };
    const int files = r->count < MOST_FILES ? r->count : MOST_FILES;
    const char *names[MOST_FILES * WAYS], *by;
    char *texts[MOST_FILES * WAYS];
    double values[MOST_FILES * WAYS];
    const tgraph_grades *g;
    int n = 0;
    for (int i = 0; i < files; i++)
        for (int k = 0; (g = tgraph_results_ranking(&by, r, &r->file[i], k)); k++) {
            const double value = tgraph_grades_main(g, r->tile);
            if (isnan(value)) continue;
            texts[n] = harness_text("%.40s: %s", r->file[i].entry->name, by);
            names[n] = texts[n];
            values[n++] = value;
        }
    const char *label = tgraph_main_name(r->tile, r->tau_a);
    if (n)
        harness_plot_bars(t->folder, "files", "Held-out configurations, file by file", label, names,
                          values, NULL, n, why);
    for (int i = 0; i < n; i++) harness_free(texts[i]);
    return why->status;
}

/* ---- the page ----------------------------------------------------------------------------------
 */

static const char calibrated_note[] =
    "TGraph, calibrated: the places among training configurations of the same file that the scores "
    "stand for, by a rising step function; scores that it cannot tell apart tie.";

static ag_status write_report(tgraph_training *t, const tgraph_results *r,
                              const harness_table *table, ag_failure *why)
{
    static const char *const plots[] = {"curves", "order", "files"};
    static const char *const captions[] = {
        "Loss of the training steps, and the validation score that chooses the best checkpoint.",
        "A point per held-out configuration of the first file; on the diagonal the order is right.",
        "The score of each file, beside other ways to rank its configurations."};
    const char *notes[3 + TGRAPH_MOST_BASELINES] = {
        "tau is Kendall's rank correlation of scores and measured run times: 1 is the right order, "
        "0 a random one. opa is the share of the pairs with different run times that the scores "
        "order right, tied that of all pairs to which they give equal scores: such a pair is wrong "
        "for opa, but tau-b leaves it out of what it divides by. slowdown@k is how much slower the "
        "fastest of the k best ranked "
        "configurations is than the fastest of all: 0 is best.",
        "The best checkpoint is chosen by (a sample of) the same held-out configurations that are "
        "scored here, so the scores are slightly too good; files given to \"tgraph eval\" later "
        "are not touched by that.",
        calibrated_note};
    char *others[TGRAPH_MOST_BASELINES];
    const int own = r->calibrated ? 3 : 2;
    for (int k = 0; k < r->baselines; k++)
        notes[own + k] = others[k] = harness_text(
            "%s: %s.", r->baseline_name[k], r->baseline_note[k] ? r->baseline_note[k] : "none");
    const char *name = tgraph_main_name(r->tile, r->tau_a);
    char *facts[4] = {
        r->count ? harness_text("%.4f", tgraph_grades_main(&r->mean, r->tile)) : harness_copy("-"),
        harness_text("%lld", (long long)t->state.progress.step),
        r->count ? harness_text("%lld", (long long)t->state.progress.best_step) : harness_copy("-"),
        harness_text("%lld", (long long)ag_params_count(t->model.params))};
    const char *const fact_names[4] = {name, "steps", "best step", "parameters"};
    char *title =
        harness_text("TGraph (%s): %lld steps on %d file%s", r->tile ? "tile" : "layout",
                     (long long)t->how.steps, t->feed.count, t->feed.count == 1 ? "" : "s");
    const harness_report report = {
        .title = title,
        .summary = r->count ? NULL
                            : "Nothing was held out, so there are no scores; --split, --valid or "
                              "--folds hold something out.",
        .fact_names = fact_names,
        .facts = (const char *const *)facts,
        .fact_count = 4,
        .plots = plots,
        .plot_captions = captions,
        .plot_count = r->count ? 3 : 1,
        .tables = &table,
        .table_count = r->count ? 1 : 0,
        .notes = notes,
        .note_count = r->count ? own + r->baselines : 0,
        .command_line = t->command_line,
        .options = t->options};
    harness_report_write(t->folder, &report, why);
    for (int i = 0; i < 4; i++) harness_free(facts[i]);
    for (int k = 0; k < r->baselines; k++) harness_free(others[k]);
    harness_free(title);
    return why->status;
}

/* ---- stdout ------------------------------------------------------------------------------------
 */

static json_t *summary(const tgraph_training *t, const tgraph_results *r)
{
    const harness_state *p = &t->state.progress;
    json_t *j = tgraph_results_json(r), *best = json_null();
    if (!isnan(p->best)) best = json_integer(p->best_step);
    json_object_set_new(j, "run", json_string(t->folder));
    json_object_set_new(j, "parameters", json_integer(ag_params_count(t->model.params)));
    json_object_set_new(j, "steps", json_integer(p->step));
    json_object_set_new(j, "best-step", best);
    return j;
}

static ag_status show(const tgraph_training *t, const tgraph_results *r, const harness_table *table,
                      ag_failure *why)
{
    if (t->settings->common.json) return harness_json_print(summary(t, r), why);
    if (r->count)
        harness_table_print(stdout, table);
    else
        printf("%lld steps done; nothing was held out, so there are no scores\n",
               (long long)t->how.steps);
    return AG_OK;
}

ag_status tgraph_train_end(tgraph_training *t, tgraph_grades *mean, ag_failure *why)
{
    tgraph_results r;
    harness_table *table = NULL;
    tgraph_results_open(&r, &t->set, t->settings->tau);
    if (!score_best(t, &r, why) && !harness_interrupted()) {
        if (r.count) *mean = r.mean;
        table = tgraph_results_table(&r, "Held-out configurations, best checkpoint");
        if (!harness_trainer_plot(&t->trainer, why) && r.count && !plot_order(t, &r, why))
            plot_bars(t, &r, why);
        if (!why->status && !harness_interrupted() && !write_report(t, &r, table, why) &&
            (!t->show || !show(t, &r, table, why)))
            harness_trainer_done(&t->trainer);
    }
    harness_table_free(table);
    tgraph_results_close(&r);
    return why->status;
}
