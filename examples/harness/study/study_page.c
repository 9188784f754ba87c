/* SPDX-License-Identifier: MIT */
/* The pictures of a study, and study.html. */
#define _POSIX_C_SOURCE 200809L /* localtime_r */
#include "examples/harness/rank/measures.h"
#include "examples/harness/study/study_internal.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- pictures ---- */

static ag_status plot_dots(const study_outcome *x, const char *const *name, ag_failure *why)
{
    double *score = harness_alloc((size_t)(x->variants * x->seeds) * sizeof *score);
    for (int i = 0; i < x->variants * x->seeds; i++)
        score[i] = harness__study_score(x, i / x->seeds, i % x->seeds, 0);
    harness_plot_dots(x->call->out, "study", x->call->study->title, x->measure[0], name, score,
                      x->variants, x->seeds, why);
    harness_free(score);
    return why->status;
}

/* Fills the mean over the seeds that have a score, up to the last validation of all of them. step,
   value: owned by the caller. */
static void mean_curve(harness_curve *c, double **step, double **value, const study_outcome *x,
                       int variant)
{
    int runs = 0;
    for (int k = 0; k < x->seeds; k++) {
        double *at, *score;
        int64_t n;
        ag_failure none = {0};
        if (isnan(harness__study_score(x, variant, k, 0))) continue;
        char *path = harness__study_path(x, variant, k, "/metrics.jsonl");
        harness_run_column(path, x->measure[0], &at, &score, &n, &none);
        harness_free(path);
        if (!runs++) {
            *step = at;
            *value = score;
            c->n = n;
            continue;
        }
        if (n < c->n) c->n = n;
        for (int64_t i = 0; i < c->n; i++) (*value)[i] += (score[i] - (*value)[i]) / runs;
        harness_free(at);
        harness_free(score);
    }
    c->x = *step;
    c->y = *value;
}

static ag_status plot_curves(const study_outcome *x, const char *const *name, ag_failure *why)
{
    const int count = x->variants < HARNESS_LINES ? x->variants : HARNESS_LINES;
    harness_curve curve[HARNESS_LINES] = {{NULL, NULL, NULL, 0}};
    double *step[HARNESS_LINES] = {NULL}, *value[HARNESS_LINES] = {NULL};
    for (int v = 0; v < count; v++) {
        curve[v].name = name[v];
        mean_curve(&curve[v], &step[v], &value[v], x, v);
    }
    harness_plot_lines(x->call->out, "study-curves",
                       "Validations while training, mean of the seeds", "step", x->measure[0],
                       curve, count, 0, why);
    for (int v = 0; v < count; v++) {
        harness_free(step[v]);
        harness_free(value[v]);
    }
    return why->status;
}

/* ---- the page ---- */

static char *explain(const study_outcome *x)
{
    harness_measure list[HARNESS_MOST_SCORES];
    int n = 0;
    for (int m = 0; m < x->measures; m++) {
        const harness_measure known = harness_measure_of(x->measure[m]);
        if (known < HARNESS_MEASURES && (!n || list[n - 1] != known)) list[n++] = known;
    }
    return harness_measures_explain(list, n);
}

static char *explain_test(const study_outcome *x)
{
    return harness_text(
        "mean, spread: over the seeds; the spread is the standard deviation. difference: to %s, "
        "the mean over pairs of the same seed and group. low, high: its 95 %% interval for other "
        "seeds and groups of the kind, p: how probable a difference as large in either direction "
        "is if there is none, by Student's t with the variances over seeds and over groups "
        "(docs/reading-results.md). Of 20 variants without any effect, one is expected to have a "
        "p below 0.05.",
        x->call->study->variants[0].name);
}

static char *caption_curves(const study_outcome *x)
{
    if (x->variants <= HARNESS_LINES)
        return harness_copy("The measure that chooses the best checkpoint.");
    return harness_text("The measure that chooses the best checkpoint, of the first %d of %d "
                        "variants: more lines cannot be told apart.",
                        HARNESS_LINES, x->variants);
}

static void today(char *date, size_t bytes)
{
    const time_t now = time(NULL);
    struct tm local;
    if (!localtime_r(&now, &local) || !strftime(date, bytes, "%Y-%m-%d", &local))
        snprintf(date, bytes, "-");
}

static void write_report(const study_outcome *x, const harness_table *const *table,
                         const char *const *note, const harness_options *options, ag_failure *why)
{
    const harness_study_call *call = x->call;
    static const char *const plot[] = {"study", "study-curves"};
    char *curves = caption_curves(x);
    const char *const caption[] = {"A dot per seed, a line at their mean; the dashed line is at "
                                   "the mean of the first variant, to which the others are "
                                   "compared.",
                                   curves};
    static const char *const name[] = {"variants", "seeds", "version", "date"};
    char variants[16], seeds[16], date[16];
    char *version = harness_text("%s %s", call->base->program->name, call->base->program->version);
    snprintf(variants, sizeof variants, "%d", x->variants);
    snprintf(seeds, sizeof seeds, "%d", x->seeds);
    today(date, sizeof date);
    const harness_report report = {.file = "study.html",
                                   .title = *call->study->title ? call->study->title : "A study",
                                   .fact_names = name,
                                   .facts = (const char *const[]){variants, seeds, version, date},
                                   .fact_count = 4,
                                   .plots = plot,
                                   .plot_captions = caption,
                                   .plot_count = 2,
                                   .tables = table,
                                   .table_count = x->measures + 1,
                                   .notes = note,
                                   .note_count = 4,
                                   .command_line = call->command_line,
                                   .options = options,
                                   .files = call->files};
    harness_report_write(call->out, &report, why);
    harness_free(version);
    harness_free(curves);
}

ag_status harness__study_page(const study_outcome *x, harness_table *const *measures,
                              ag_failure *why)
{
    const harness_study *s = x->call->study;
    const harness_table *table[HARNESS_MOST_SCORES + 1];
    const char **name = NULL;
    char *meaning = explain(x), *test = explain_test(x);
    const char *const note[] = {
        meaning, test,
        "The best checkpoint of a run is chosen by the items that are scored here, or a sample of "
        "them, so the means are slightly too good, of all variants alike.",
        "seconds: of training, without validations, mean over the runs. MiB: the largest resident "
        "memory of the program while it trained, mean over the runs."};
    harness_table *costs = harness__study_costs(x);
    harness_options *options = harness_options_copy(x->call->base, NULL);
    for (int m = 0; m < x->measures; m++) table[m] = measures[m];
    table[x->measures] = costs;
    for (int v = 0; v < x->variants; v++) bag_add(name, s->variants[v].name);
    if (!harness_study_options(options, s, &s->variants[0], s->seeds[0], why) &&
        !plot_dots(x, name, why) && !plot_curves(x, name, why))
        write_report(x, table, note, options, why);
    bag_free(name);
    harness_options_free(options);
    harness_table_free(costs);
    harness_free(meaning);
    harness_free(test);
    return why->status;
}
