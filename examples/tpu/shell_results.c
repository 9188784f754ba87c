/* SPDX-License-Identifier: MIT */
/* Measures, tables, pictures and page of the TPU model, for the harness. */
#include "examples/tpu/shell.h"

#include <math.h>
#include <string.h>

/* ---- measures ---- */

void tpu_shell_values(double *measure, const void *results)
{
    const tpu_results *r = results;
    const tpu_grades mean = tpu_results_mean(r, 0);
    memcpy(measure, mean.of, (size_t)tpu_measure_count(r->data->task) * sizeof *measure);
}

/* The kind of the first file decides which measures the table has. */
static ag_status first_task(tpu_task *task, const harness_settings *s, ag_failure *why)
{
    harness_files paths = {0};
    tpu_data data = {.budget.limit = (size_t)s->common.ram_limit};
    if (!harness_files_add(&paths, s->common.data.list[0], why)) {
        const harness_files one = {paths.path, 1};
        if (!tpu_data_add(&data, &one, why)) *task = data.task;
    }
    tpu_data_free(&data);
    harness_files_free(&paths);
    return why->status;
}

/* Over the programs: mean and median of the error, as in the paper's Table 3, and the mean of
   tau. */
enum { COLUMNS = 3 };

int tpu_shell_columns(const char **name, const harness_settings *settings, ag_failure *why)
{
    static const char *const names[2][COLUMNS] = {
        [TPU_TILE] = {"APE %", "APE % median", "tau"},
        [TPU_FUSION] = {"MAPE %", "MAPE % median", "tau"}};
    tpu_task task = TPU_TILE;
    if (first_task(&task, settings, why)) return -1;
    memcpy(name, names[task], sizeof names[task]);
    return COLUMNS;
}

void tpu_shell_column_values(double *column, const void *results)
{
    const tpu_grades mean = tpu_results_mean(results, 0);
    column[0] = mean.of[TPU_ERROR];
    column[1] = mean.median[TPU_ERROR];
    column[2] = mean.of[TPU_TAU];
}

/* ---- groups ---- */

int tpu_shell_groups(const void *results) { return ((const tpu_results *)results)->groups; }

/* Tiles of a kernel, or the kernels of a program that follow each other in its file. */
harness_group tpu_shell_group(const void *results, int index)
{
    const tpu_results *r = results;
    const int64_t first = r->first[index];
    const int fusion = r->data->task == TPU_FUSION;
    return (harness_group){.name = r->group[index],
                           .items = (int)(r->first[index + 1] - first),
                           .number = fusion ? r->number + first : NULL,
                           .score = r->score[0] + first,
                           .ns = fusion ? r->score[0] + first : NULL,
                           .actual = r->actual[first] ? r->actual + first : NULL};
}

int tpu_shell_tables(harness_table *table[HARNESS_TABLES], const void *results, const char *title)
{
    return tpu_results_tables(table, results, title);
}

int tpu_shell_method(const char **name, const char **note, const void *results, int k)
{
    const tpu_results *r = results;
    if (k + 1 >= r->methods) return 0;
    *name = r->name[k + 1];
    *note = r->note[k + 1];
    return 1;
}

/* ---- pictures ---- */

/* Draws predicted against measured ln(ns), or ranks among the tiles of the first kernel. */
static ag_status plot_scores(const char *folder, const tpu_results *r, ag_failure *why)
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
    harness_plot_scatter(folder, "scores",
                         tile ? "Tile sizes of the validation kernels"
                              : "Run times of the validation kernels",
                         tile ? "ln(run time / that of the default tile)" : "log10(measured ns)",
                         tile ? "score" : "log10(predicted ns)", x, y, n, why);
    harness_free(x);
    return why->status;
}

/* Draws a bar per method: the mean of the first measure over the programs. */
static ag_status plot_bars(const char *folder, const tpu_results *r, ag_failure *why)
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
    return harness_plot_bars(folder, "methods", "Validation programs, mean: smaller is better",
                             tpu_measure_name(r->data->task, TPU_ERROR), name, value, NULL, n, why);
}

ag_status tpu_shell_plot(const harness_session *session, const void *results, ag_failure *why)
{
    if (!plot_scores(session->folder, results, why)) plot_bars(session->folder, results, why);
    return why->status;
}

/* ---- the page ---- */

static const char on_tiles[] =
    "APE is how much longer a program takes, in %, when every kernel runs with the tile size that "
    "is predicted best instead of the best one. tau is Kendall's rank correlation of scores and "
    "measured run times within a kernel, mean over the kernels of a program.";
static const char on_kernels[] =
    "MAPE is the mean of |predicted - measured| / measured in %, tau Kendall's rank correlation, "
    "over the kernels of a program; both also for all its kernels, the short ones included.";
static const char on_best[] =
    "The best checkpoint is chosen by the same validation kernels that are scored here; files "
    "given to \"tpu eval\" later are not touched by that.";

void tpu_shell_describe(harness_page *page, const harness_session *session, const void *results)
{
    const tpu_results *r = results;
    const tpu_data *train = &((const tpu_files *)session->data)->train;
    const int tile = train->task == TPU_TILE;
    const tpu_grades mean = tpu_results_mean(r, 0);
    *page = (harness_page){
        .title = harness_text("TPU model (%s): %lld steps on %d kernels", tile ? "tile" : "fusion",
                              (long long)session->how.steps, train->kernels),
        .nothing = "give --valid",
        .fact_name = {tpu_measure_name(train->task, TPU_ERROR), "tau", "steps", "parameters"},
        .fact = {harness_fact("%.4g", mean.of[TPU_ERROR]), harness_fact("%.4f", mean.of[TPU_TAU]),
                 harness_text("%lld", (long long)session->trained.state->step),
                 harness_text("%lld", (long long)ag_params_count(session->trained.params))},
        .facts = 4,
        .plot = {"curves", "scores", "methods"},
        .caption = {"Loss of the training steps, and the validation score that chooses the best "
                    "checkpoint.",
                    "A point per sample of the validation kernels.",
                    "The model compared with other ways to predict, mean over the programs."},
        .plots = 3,
        .note = {harness_copy(tile ? on_tiles : on_kernels), harness_copy(on_best)},
        .notes = 2};
    for (int m = 1; m < r->methods; m++)
        page->note[page->notes++] = harness_text("%s: %s.", r->name[m], r->note[m]);
}
