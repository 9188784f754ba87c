/* SPDX-License-Identifier: MIT */
/* The pictures of a study, and study.html. */
#define _POSIX_C_SOURCE 200809L /* localtime_r */
#include "examples/harness/rank/measures.h"
#include "examples/harness/study/study_internal.h"

#include <math.h>
#include <time.h>

static ag_status plot_dots(const study_outcome *x, ag_failure *why)
{
    const int runs = x->variants * x->seeds;
    double *score = harness_lasting((size_t)runs * sizeof *score);
    for (int i = 0; i < runs; i++)
        score[i] = harness__study_score(x, i / x->seeds, i % x->seeds, 0);
    return harness_plot_dots(x->out, "study", x->study->title, x->measure[0], x->name, score,
                             x->variants, x->seeds, why);
}

/* Fills the mean over the seeds that have a score, up to the last validation of all of them. */
static void mean_curve(harness_curve *mean, const study_outcome *x, int variant)
{
    int runs = 0;
    for (int k = 0; k < x->seeds; k++) {
        harness_curve c;
        ag_failure none = {0};
        if (isnan(harness__study_score(x, variant, k, 0))) continue;
        harness_run_column(&c, harness__study_path(x, variant, k, "/metrics.jsonl"), x->measure[0],
                           &none);
        if (!runs++) {
            *mean = (harness_curve){mean->name, c.x, c.y, c.n};
            continue;
        }
        if (c.n < mean->n) mean->n = c.n;
        for (int64_t i = 0; i < mean->n; i++) mean->y[i] += (c.y[i] - mean->y[i]) / runs;
        harness_free(c.x);
    }
}

static ag_status plot_curves(const study_outcome *x, ag_failure *why)
{
    const int count = x->variants < HARNESS_LINES ? x->variants : HARNESS_LINES;
    harness_curve curve[HARNESS_LINES] = {{NULL, NULL, NULL, 0}};
    for (int v = 0; v < count; v++) {
        curve[v].name = x->name[v];
        mean_curve(&curve[v], x, v);
    }
    harness_plot_lines(x->out, "study-curves", "Validations while training, mean of the seeds",
                       "step", x->measure[0], curve, count, why);
    for (int v = 0; v < count; v++) harness_free(curve[v].x);
    return why->status;
}

static const char *explain(const study_outcome *x)
{
    harness_measure list[HARNESS_MOST_SCORES];
    int n = 0;
    for (int m = 0; m < x->measures; m++) {
        const harness_measure known = harness_measure_of(x->measure[m]);
        if (known < HARNESS_MEASURES && (!n || list[n - 1] != known)) list[n++] = known;
    }
    return harness_measures_explain(list, n);
}

static const char *explain_test(const study_outcome *x)
{
    return harness_format(
        "mean, spread: over the seeds; the spread is the standard deviation. difference: to %s, "
        "the mean over pairs of the same seed and group. low, high: its 95 %% interval for other "
        "seeds and groups of the kind, p: how probable a difference as large in either direction "
        "is if there is none, by Student's t with the variances over seeds and over groups "
        "(docs/reading-results.md). Of 20 variants without any effect, one is expected to have a "
        "p below 0.05.",
        x->name[0]);
}

static const char *caption_curves(const study_outcome *x)
{
    if (x->variants <= HARNESS_LINES) return "The measure that chooses the best checkpoint.";
    return harness_format("The measure that chooses the best checkpoint, of the first %d of %d "
                          "variants: more lines look alike.",
                          HARNESS_LINES, x->variants);
}

static const char *today(void)
{
    const time_t now = time(NULL);
    struct tm local;
    char *text = harness_lasting(16);
    return localtime_r(&now, &local) && strftime(text, 16, "%F", &local) ? text : "-";
}

static void write_report(const study_outcome *x, const harness_options *options, ag_failure *why)
{
    const harness_call *call = x->call;
    const char *const note[] = {
        explain(x), explain_test(x),
        "The best checkpoint of a run is chosen by the items that are scored here, or a sample of "
        "them, so the means are slightly too good, of all variants alike.",
        "seconds: of training, without validations, mean over the runs. MiB: the largest resident "
        "memory of the program while it trained, mean over the runs.",
        NULL};
    const harness_named plot[] = {{"study", "A dot per seed, a line at their mean; the dashed line "
                                            "is at the mean of the first variant, to which the "
                                            "others are compared."},
                                  {"study-curves", caption_curves(x)},
                                  {NULL, NULL}};
    const harness_named fact[] = {
        {"variants", harness_format("%d", x->variants)},
        {"seeds", harness_format("%d", x->seeds)},
        {"version", harness_format("%s %s", call->program->name, call->program->version)},
        {"date", today()},
        {NULL, NULL}};
    const harness_report report = {.folder = x->out,
                                   .file = "study.html",
                                   .title = *x->study->title ? x->study->title : "A study",
                                   .facts = fact,
                                   .plots = plot,
                                   .tables = x->table,
                                   .notes = note,
                                   .command_line = call->command_line,
                                   .options = options,
                                   .files =
                                       harness_model_files(call->program->model, call->values)};
    harness_report_write(&report, why);
}

ag_status harness__study_page(const study_outcome *x, ag_failure *why)
{
    const harness_study *s = x->study;
    harness_options *options = harness_options_copy(x->call->options);
    if (!harness_study_options(options, s, &s->variants[0], s->seeds[0], why) &&
        !plot_dots(x, why) && !plot_curves(x, why))
        write_report(x, options, why);
    harness_options_free(options);
    return why->status;
}
