/* SPDX-License-Identifier: MIT */
/* The end of a run: the best checkpoint on the validation kernels, table, pictures, page. */
#include "examples/tpu/train.h"

#include <jansson.h>
#include <math.h>

/* The model of best.safetensors; without a validation score the last one. */
static ag_status score_best(tpu_training *t, tpu_results *r, ag_failure *why)
{
    const char *best = harness_run_path(t->trainer.run, HARNESS_BEST);
    if (isnan(t->state.progress.best) && harness_trainer_save(&t->trainer, HARNESS_BEST, why))
        return why->status;
    if (!r->data->kernels) return AG_OK;
    tpu_model model = {0};
    tpu_checkpoint c = {0};
    if (!tpu_checkpoint_load(best, &model, &c, why) &&
        !ag_params_to(model.params, ag_tape_device(t->tape), why)) {
        const tpu_scorer scorer = {.model = &model,
                                   .scaler = &c.scaler,
                                   .tape = t->tape,
                                   .samples = t->settings->eval_samples,
                                   .nodes = t->settings->eval_nodes};
        tpu_results_add(r, &scorer, 1, why);
    }
    if (!why->status && !harness_interrupted() && t->settings->baselines && t->show)
        tpu_results_baselines(r, &t->data, why);
    if (!why->status && !harness_interrupted()) tpu_results_grade(r, t->settings->least, why);
    tpu_checkpoint_free(&c);
    tpu_model_free(&model);
    return why->status;
}

/* ---- pictures -----------------------------------------------------------------------------------
 */

/* Predicted against measured ln(ns), or places among the tiles of the first kernel. */
static ag_status plot_scores(const tpu_training *t, const tpu_results *r, ag_failure *why)
{
    const int64_t all = tpu_scores(r->data);
    double *x = harness_alloc(2 * (size_t)all * sizeof *x), *y = x + all;
    const int tile = r->data->task == TPU_TILE;
    int64_t n = 0, place = 0;
    for (int i = 0; i < r->data->kernels; i++) {
        const tpu_kernel *k = &r->data->kernel[i];
        for (int c = 0; c < k->configs; c++, place++) {
            if (!k->runtime) continue;
            x[n] = tile ? log((double)k->runtime[c] / (double)k->normalizer[c])
                        : log10((double)k->runtime[c]);
            y[n++] = tile ? r->score[0][place] : log10(r->score[0][place]);
        }
    }
    harness_plot_scatter(t->folder, "scores",
                         tile ? "Tile sizes of the validation kernels"
                              : "Run times of the validation kernels",
                         tile ? "ln(run time / that of the default tile)" : "log10(measured ns)",
                         tile ? "score" : "log10(predicted ns)", x, y, n, why);
    harness_free(x);
    return why->status;
}

/* A bar per method: mean over the programs of the first measure. */
static ag_status plot_bars(const tpu_training *t, const tpu_results *r, ag_failure *why)
{
    double value[TPU_METHODS];
    const char *name[TPU_METHODS];
    int n = 0;
    for (int m = 0; m < r->methods; m++) {
        const double mean = tpu_results_mean(r, m).of[TPU_ERROR];
        if (isnan(mean)) continue;
        name[n] = r->name[m];
        value[n++] = mean;
    }
    if (!n) return AG_OK;
    return harness_plot_bars(t->folder, "methods", "Validation programs, mean: smaller is better",
                             tpu_measure_name(r->data->task, TPU_ERROR), name, value, NULL, n, why);
}

/* ---- the page -----------------------------------------------------------------------------------
 */

static char *fact(const char *format, double value)
{
    char text[40] = "-";
    if (!isnan(value)) snprintf(text, sizeof text, format, value);
    return harness_copy(text);
}

static ag_status write_report(const tpu_training *t, const tpu_results *r,
                              const harness_table *const *table, int tables, ag_failure *why)
{
    static const char *const plots[] = {"curves", "scores", "methods"};
    static const char *const captions[] = {
        "Loss of the training steps, and the validation score that chooses the best checkpoint.",
        "A point per sample of the validation kernels.",
        "The model beside other ways to predict, mean over the programs."};
    const int tile = t->data.task == TPU_TILE, some = r->data->kernels > 0;
    const char *notes[2 + TPU_METHODS] = {
        tile ? "APE is how much longer a program takes, in %, when every kernel runs with the tile "
               "size that is predicted best instead of the best one. tau is Kendall's rank "
               "correlation of scores and measured run times within a kernel, mean over the "
               "kernels of a program."
             : "MAPE is the mean of |predicted - measured| / measured in %, tau Kendall's rank "
               "correlation, over the kernels of a program; both also for all its kernels, the "
               "short ones included.",
        "The best checkpoint is chosen by the same validation kernels that are scored here; files "
        "given to \"tpu eval\" later are not touched by that."};
    char *other[TPU_METHODS];
    int n = 2;
    for (int m = 1; m < r->methods; m++)
        notes[n] = other[n - 2] = harness_text("%s: %s.", r->name[m], r->note[m]), n++;
    const tpu_grades mean = tpu_results_mean(r, 0);
    char *facts[4] = {fact("%.4g", mean.of[TPU_ERROR]), fact("%.4f", mean.of[TPU_TAU]),
                      harness_text("%lld", (long long)t->state.progress.step),
                      harness_text("%lld", (long long)ag_params_count(t->model.params))};
    const char *const fact_names[4] = {tpu_measure_name(t->data.task, TPU_ERROR), "tau", "steps",
                                       "parameters"};
    char *title = harness_text("TPU model (%s): %lld steps on %d kernels", tile ? "tile" : "fusion",
                               (long long)t->settings->training.steps, t->data.kernels);
    const harness_report report = {
        .title = title,
        .summary = some ? NULL : "Nothing was held out, so there are no scores; give --valid.",
        .fact_names = fact_names,
        .facts = (const char *const *)facts,
        .fact_count = 4,
        .plots = plots,
        .plot_captions = captions,
        .plot_count = some ? 3 : 1,
        .tables = table,
        .table_count = some ? tables : 0,
        .notes = notes,
        .note_count = some ? n : 0,
        .command_line = t->command_line,
        .options = t->options};
    harness_report_write(t->folder, &report, why);
    for (int i = 0; i < 4; i++) harness_free(facts[i]);
    for (int i = 0; i < n - 2; i++) harness_free(other[i]);
    harness_free(title);
    return why->status;
}

/* ---- stdout -------------------------------------------------------------------------------------
 */

static ag_status show(const tpu_training *t, const tpu_results *r, harness_table *const *table,
                      int tables, ag_failure *why)
{
    if (t->settings->common.json) {
        json_t *j = tpu_results_json(r);
        json_object_set_new(j, "run", json_string(t->folder));
        json_object_set_new(j, "parameters", json_integer(ag_params_count(t->model.params)));
        json_object_set_new(j, "steps", json_integer(t->state.progress.step));
        return harness_json_print(j, why);
    }
    if (r->data->kernels)
        tpu_results_print(r, table, tables);
    else
        printf("%lld steps done; nothing was held out, so there are no scores\n",
               (long long)t->state.progress.step);
    return AG_OK;
}

ag_status tpu_train_end(tpu_training *t, tpu_grades *mean, ag_failure *why)
{
    tpu_results r;
    harness_table *table[TPU_TABLES];
    int tables = 0;
    tpu_results_open(&r, &t->valid);
    if (!score_best(t, &r, why) && !harness_interrupted()) {
        *mean = tpu_results_mean(&r, 0);
        tables = tpu_results_tables(table, &r, "Validation programs, best checkpoint",
                                    t->settings->least);
        if (!harness_trainer_plot(&t->trainer, why) && r.data->kernels && !plot_scores(t, &r, why))
            plot_bars(t, &r, why);
        if (!why->status && !harness_interrupted() &&
            !write_report(t, &r, (const harness_table *const *)table, tables, why) &&
            (!t->show || !show(t, &r, table, tables, why)))
            harness_trainer_done(&t->trainer);
    }
    tpu_tables_free(table, tables);
    tpu_results_close(&r);
    return why->status;
}
