/* SPDX-License-Identifier: MIT */
/* Measures, tables, pictures and page of TGraph, for the harness. */
#include "examples/tgraph/shell.h"

#include <math.h>

/* ---- measures ---- */

int tgraph_shell_measures(const char **name, const void *data, const harness_settings *settings)
{
    const int tile = ((const tgraph_files *)data)->set.tile, n = tgraph_grade_count(tile);
    const int tau_a = ((const tgraph_settings *)settings)->tau;
    for (int i = 0; i < n; i++) name[i] = tgraph_grade_name(tile, tau_a, i);
    return n;
}

void tgraph_shell_values(double *measure, const void *results)
{
    const tgraph_results *r = results;
    for (int i = 0; i < tgraph_grade_count(r->tile); i++)
        measure[i] = tgraph_grade_value(&r->mean, r->tile, i);
}

/* The kind of the first file decides which measures the table has. */
int tgraph_shell_columns(const char **name, const harness_settings *settings, ag_failure *why)
{
    harness_files paths = {0};
    tgraph_files first = {0};
    if (!harness_files_add(&paths, settings->common.data.list[0], why))
        first.set.tile = tgraph_is_tile(paths.path[0], why);
    harness_files_free(&paths);
    return why->status ? -1 : tgraph_shell_measures(name, &first, settings);
}

/* ---- groups: the configurations of a file ---- */

int tgraph_shell_groups(const void *results) { return ((const tgraph_results *)results)->count; }

harness_group tgraph_shell_group(const void *results, int index)
{
    const tgraph_file_result *f = &((const tgraph_results *)results)->file[index];
    const tgraph_entry *e = f->entry;
    const int64_t *runtime = e->tile ? e->tile->runtime : e->file->runtime;
    return (harness_group){.name = e->name,
                           .items = e->items,
                           .score = f->score,
                           .actual = e->has_runtimes ? runtime : NULL};
}

int tgraph_shell_tables(harness_table *table[HARNESS_TABLES], const void *results,
                        const char *title)
{
    table[0] = tgraph_results_table(results, title);
    return 1;
}

int tgraph_shell_method(const char **name, const char **note, const void *results, int k)
{
    const tgraph_results *r = results;
    if (k >= r->baselines) return 0;
    *name = r->baseline_name[k];
    *note = r->baseline_note[k] ? r->baseline_note[k] : "none";
    return 1;
}

/* ---- pictures ---- */

static ag_status plot_order(const char *folder, const tgraph_results *r, ag_failure *why)
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
        harness_plot_scatter(folder, "order", title, "place by run time", "place by score", x, y, n,
                             why);
    harness_free(title);
    harness_free(truth);
    return why->status;
}

/* Draws a bar per file and ranking. */
static ag_status plot_bars(const char *folder, const tgraph_results *r, ag_failure *why)
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
        harness_plot_bars(folder, "files", "Held-out configurations, file by file", label, names,
                          values, NULL, n, why);
    for (int i = 0; i < n; i++) harness_free(texts[i]);
    return why->status;
}

ag_status tgraph_shell_plot(const harness_session *session, const void *results, ag_failure *why)
{
    if (!plot_order(session->folder, results, why)) plot_bars(session->folder, results, why);
    return why->status;
}

/* ---- the page ---- */

static const char on_measures[] =
    "tau is Kendall's rank correlation of scores and measured run times: 1 is the right order, 0 a "
    "random one. opa is the share of the pairs with different run times that the scores order "
    "right, tied that of all pairs to which they give equal scores: such a pair is wrong for opa, "
    "but tau-b leaves it out of what it divides by. slowdown@k is how much slower the fastest of "
    "the k best ranked configurations is than the fastest of all: 0 is best.";
static const char on_best[] =
    "The best checkpoint is chosen by (a sample of) the same held-out configurations that are "
    "scored here, so the scores are slightly too good; files given to \"tgraph eval\" later are "
    "not touched by that.";
static const char on_calibrated[] =
    "TGraph, calibrated: the places among training configurations of the same file that the scores "
    "stand for, by a rising step function; scores that it cannot tell apart tie.";

static char *count_text(int64_t n) { return harness_text("%lld", (long long)n); }

void tgraph_shell_describe(harness_page *page, const harness_session *session, const void *results)
{
    const tgraph_results *r = results;
    const harness_state *state = session->trained.state;
    const int files = ((const tgraph_steps *)session->feed)->feed.count;
    const char *name, *note;
    *page = (harness_page){
        .title = harness_text("TGraph (%s): %lld steps on %d file%s", r->tile ? "tile" : "layout",
                              (long long)session->how.steps, files, files == 1 ? "" : "s"),
        .nothing = "--split, --valid or --folds hold something out",
        .fact_name = {tgraph_main_name(r->tile, r->tau_a), "steps", "best step", "parameters"},
        .fact = {r->count ? harness_text("%.4f", tgraph_grades_main(&r->mean, r->tile))
                          : harness_copy("-"),
                 count_text(state->step),
                 r->count ? count_text(state->best_step) : harness_copy("-"),
                 count_text(ag_params_count(session->trained.params))},
        .facts = 4,
        .plot = {"curves", "order", "files"},
        .caption = {"Loss of the training steps, and the validation score that chooses the best "
                    "checkpoint.",
                    "A point per held-out configuration of the first file; on the diagonal the "
                    "order is right.",
                    "The score of each file, compared with other ways to rank its "
                    "configurations."},
        .plots = 3,
        .note = {harness_copy(on_measures), harness_copy(on_best)},
        .notes = 2};
    if (r->calibrated) page->note[page->notes++] = harness_copy(on_calibrated);
    for (int k = 0; tgraph_shell_method(&name, &note, r, k); k++)
        page->note[page->notes++] = harness_text("%s: %s.", name, note);
}
