/* SPDX-License-Identifier: MIT */
/* Measures, tables, pictures and page of TPGNN, for the harness. */
#include "examples/tpgnn/shell.h"

#include <math.h>

/* ---- measures ---- */

static const tpgnn_measure validated[] = {TPGNN_PAIRWISE, TPGNN_TAU,   TPGNN_TOP1,
                                          TPGNN_TOP5,     TPGNN_TOP10, TPGNN_RECALL5};
enum { VALIDATED = sizeof validated / sizeof *validated };

/* Columns of a study's table, means over the validation tasks. */
static const tpgnn_measure studied[] = {TPGNN_PAIRWISE, TPGNN_TOP1, TPGNN_TOP5, TPGNN_TAU};
enum { STUDIED = sizeof studied / sizeof *studied };

static int names(const char **name, const tpgnn_measure *measure, int count)
{
    for (int i = 0; i < count; i++) name[i] = tpgnn_measure_name(measure[i]);
    return count;
}

static void means(double *value, const tpgnn_results *r, const tpgnn_measure *measure, int count)
{
    for (int i = 0; i < count; i++) value[i] = tpgnn_mean(&r->comparison, 0, measure[i]);
}

int tpgnn_shell_measures(const char **name, const void *data, const harness_settings *settings)
{
    (void)data, (void)settings;
    return names(name, validated, VALIDATED);
}

void tpgnn_shell_values(double *measure, const void *results)
{
    means(measure, results, validated, VALIDATED);
}

int tpgnn_shell_columns(const char **name, const harness_settings *settings, ag_failure *why)
{
    (void)settings, (void)why;
    return names(name, studied, STUDIED);
}

void tpgnn_shell_column_values(double *column, const void *results)
{
    means(column, results, studied, STUDIED);
}

/* ---- groups: the schedules of a task ---- */

int tpgnn_shell_groups(const void *results)
{
    return ((const tpgnn_results *)results)->data->tasks;
}

harness_group tpgnn_shell_group(const void *results, int index)
{
    const tpgnn_results *r = results;
    const tpgnn_task *task = &r->data->task[index];
    return (harness_group){.name = task->name,
                           .items = task->schedules,
                           .number = r->number + task->first,
                           .score = r->score[0] + task->first,
                           .ns = r->ns ? r->ns + task->first : NULL,
                           .actual = r->runtime + task->first};
}

int tpgnn_shell_tables(harness_table *table[HARNESS_TABLES], const void *results, const char *title)
{
    return tpgnn_results_tables(table, results, title);
}

int tpgnn_shell_method(const char **name, const char **note, const void *results, int k)
{
    const tpgnn_results *r = results;
    if (k + 1 >= r->methods) return 0;
    *name = r->name[k + 1];
    *note = r->note[k + 1];
    return 1;
}

/* ---- pictures ---- */

/* Draws a bar for each name that has a value. */
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

ag_status tpgnn_shell_plot(const harness_session *session, const void *results, ag_failure *why)
{
    const tpgnn_results *r = results;
    const tpgnn_comparison *c = &r->comparison;
    double method[TPGNN_METHODS];
    double *family = harness_alloc((size_t)c->families * sizeof *family + 1);
    for (int m = 0; m < c->methods; m++) method[m] = tpgnn_mean(c, m, TPGNN_PAIRWISE);
    for (int f = 0; f < c->families; f++) family[f] = tpgnn_mean_of_family(c, 0, TPGNN_PAIRWISE, f);
    if (!plot_bars(session->folder, "methods", "Validation tasks, mean: larger is better",
                   c->method, method, c->methods, why))
        plot_bars(session->folder, "families", "The model on the validation tasks of each family",
                  c->family, family, c->families, why);
    harness_free(family);
    return why->status;
}

/* ---- the page ---- */

/* Explanations of the numbers, a paragraph each. */
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

void tpgnn_shell_describe(harness_page *page, const harness_session *session, const void *results)
{
    const tpgnn_results *r = results;
    const tpgnn_data *train = &((const tpgnn_files *)session->data)->train;
    *page = (harness_page){
        .title = harness_text("TPGNN: %lld steps on %d schedules of %d tasks",
                              (long long)session->how.steps, train->schedules, train->tasks),
        .nothing = "give --valid",
        .fact_name = {"pairwise", "top-1", "steps", "parameters"},
        .fact = {harness_fact("%.4f", tpgnn_mean(&r->comparison, 0, TPGNN_PAIRWISE)),
                 harness_fact("%.4f", tpgnn_mean(&r->comparison, 0, TPGNN_TOP1)),
                 harness_text("%lld", (long long)session->trained.state->step),
                 harness_text("%lld", (long long)ag_params_count(session->trained.params))},
        .facts = 4,
        .plot = {"curves", "methods", "families"},
        .caption = {"Loss of the training steps, and the validation score that chooses the best "
                    "checkpoint.",
                    "The model compared with other ways to rank, mean over the tasks.",
                    "Mean over the tasks of each family."},
        .plots = 3,
        .note = {harness_copy(on_pairs), harness_copy(on_choices), harness_copy(on_best)},
        .notes = 3};
    for (int m = 1; m < r->methods; m++)
        page->note[page->notes++] = harness_text("%s: %s.", r->name[m], r->note[m]);
}
