/* SPDX-License-Identifier: MIT */
/* The output folder of the autotuner: numbers, pictures, a page. */
#include "examples/harness/run/bag.h"
#include "examples/tpu/tune/results.h"

#include <jansson.h>
#include <math.h>

enum { MOST_FACTS = TUNE_SEARCHES + 2 };

static char *search_name(const tune_results *r, int i)
{
    const int learned = i % TUNE_WAYS == TUNE_LEARNED;
    return harness_text("%s, %d, from %s", learned ? "learned + hardware" : "hardware",
                        tune_budget(r, i), tune_start_name(i));
}

/* Mean over the programs of the best found so far. */
static ag_status plot_curves(const tune_results *r, const char *folder, ag_failure *why)
{
    const int most = tune_most_budget(r);
    double *x = harness_alloc((1 + TUNE_SEARCHES) * (size_t)most * sizeof *x);
    harness_curve curve[TUNE_SEARCHES];
    for (int m = 0; m < most; m++) x[m] = m + 1;
    for (int i = 0; i < TUNE_SEARCHES; i++) {
        double *y = x + (1 + i) * most;
        curve[i] = (harness_curve){search_name(r, i), x, y, 0};
        if (!tune_was_done(r, i)) continue;
        curve[i].n = tune_budget(r, i);
        for (int64_t m = 0; m < curve[i].n; m++) y[m] = tune_mean_speedup(r, i, (int)m + 1);
    }
    harness_plot_lines(folder, "fusion-curves", "Best partition so far, mean over the programs",
                       "measurements per program", "speed-up over the default", curve,
                       TUNE_SEARCHES, 1, why);
    for (int i = 0; i < TUNE_SEARCHES; i++) harness_free((void *)(uintptr_t)curve[i].name);
    harness_free(x);
    return why->status;
}

/* The names of the programs, followed by "mean". */
static const char **list_names(const tune_results *r)
{
    const char **names = NULL;
    for (int i = 0; i < bag_count(r->list); i++) bag_add(names, r->list[i].name);
    bag_add(names, "mean");
    return names;
}

static ag_status plot_fusion(const tune_results *r, const char *folder, ag_failure *why)
{
    const int n = bag_count(r->list);
    const char **names = list_names(r);
    char *bars[TUNE_SEARCHES];
    double *values = harness_alloc(((size_t)n + 1) * TUNE_SEARCHES * sizeof *values);
    int searches = 0;
    for (int i = 0; i < TUNE_SEARCHES; i++) searches += tune_was_done(r, i);
    for (int i = 0, b = 0; i < TUNE_SEARCHES; i++) {
        if (!tune_was_done(r, i)) continue;
        bars[b] = search_name(r, i);
        for (int p = 0; p < n; p++) values[p * searches + b] = r->list[p].fusion.found[i].speedup;
        values[n * searches + b++] = tune_mean_speedup(r, i, INT32_MAX);
    }
    harness_plot_groups(folder, "fusion", "Fusion: best partition found",
                        "speed-up over the default", names, n + 1, (const char *const *)bars,
                        searches, values, why);
    while (searches) harness_free(bars[--searches]);
    harness_free(values);
    bag_free(names);
    return why->status;
}

static ag_status plot_tiles(const tune_results *r, const char *folder, ag_failure *why)
{
    static const tune_choice shown[] = {TUNE_TILE_EXHAUSTIVE, TUNE_TILE_TEN, TUNE_TILE_FIRST};
    enum { SHOWN = sizeof shown / sizeof *shown };
    const int n = bag_count(r->list);
    const char **names = list_names(r), *bars[SHOWN];
    double *values = harness_alloc(((size_t)n + 1) * SHOWN * sizeof *values);
    for (int b = 0; b < SHOWN; b++) {
        bars[b] = tune_choice_name(shown[b]);
        for (int p = 0; p < n; p++)
            values[p * SHOWN + b] = tune_tile_speedup(&r->list[p].tiles, shown[b]);
        values[n * SHOWN + b] = tune_mean_tiles(r, shown[b]);
    }
    harness_plot_groups(folder, "tiles", "Tile sizes of the default partition's kernels",
                        "speed-up over the default", names, n + 1, bars, SHOWN, values, why);
    harness_free(values);
    bag_free(names);
    return why->status;
}

/* ---- the page ---- */

static char *number(double x) { return isnan(x) ? harness_copy("-") : harness_text("%.3f x", x); }

static ag_status write_page(const tune_results *r, const char *folder, const harness_call *call,
                            ag_failure *why)
{
    const char *plots[3], *captions[3], *notes[4], *fact_names[MOST_FACTS];
    const harness_table *tables[2];
    harness_table *fusion = tune_fusion_table(r), *tiles = tune_tiles_table(r);
    char *facts[MOST_FACTS], *searches[TUNE_SEARCHES];
    int n_plots = 0, n_tables = 0, n_notes = 0, n_facts = 0, n_searches = 0;
    if (fusion) {
        plots[n_plots] = "fusion-curves";
        captions[n_plots++] = "What a search that stops after so many measurements has found, mean "
                              "over the programs.";
        plots[n_plots] = "fusion";
        captions[n_plots++] = "As Figure 5 of the paper, with measurements in place of minutes.";
        tables[n_tables++] = fusion;
        notes[n_notes++] =
            "A measurement of a fusion search is a partition whose run time is taken on hardware, "
            "the start included: the sum of the times of its kernels, of which only those run that "
            "the search has not measured before (\"kernels run\").";
        for (int i = 0; i < TUNE_SEARCHES; i++) {
            if (!tune_was_done(r, i)) continue;
            fact_names[n_facts] = searches[n_searches++] = search_name(r, i);
            facts[n_facts++] = number(tune_mean_speedup(r, i, INT32_MAX));
        }
    }
    if (tiles) {
        plots[n_plots] = "tiles";
        captions[n_plots++] = "As Figure 4 of the paper.";
        tables[n_tables++] = tiles;
        notes[n_notes++] =
            "Exhaustive measures every valid tile of every kernel, up to --tiles; learned 10 the "
            "ten that the model finds best; learned 1 takes the model's best unseen.";
        fact_names[n_facts] = "exhaustive tiles";
        facts[n_facts++] = number(tune_mean_tiles(r, TUNE_TILE_EXHAUSTIVE));
        fact_names[n_facts] = "learned 10 tiles";
        facts[n_facts++] = number(tune_mean_tiles(r, TUNE_TILE_TEN));
    }
    notes[n_notes++] =
        "What a search chose looks faster than it is, since the luckiest of many measurements "
        "wins. So what was chosen is measured again at the end, with the default, and these are "
        "the times that count; they do not count as measurements.";
    char *title = harness_text("TPU autotuner: %d programs", bag_count(r->list));
    const harness_report report = {.title = title,
                                   .fact_names = fact_names,
                                   .facts = (const char *const *)facts,
                                   .fact_count = n_facts,
                                   .plots = plots,
                                   .plot_captions = captions,
                                   .plot_count = n_plots,
                                   .tables = tables,
                                   .table_count = n_tables,
                                   .notes = notes,
                                   .note_count = n_notes,
                                   .command_line = call->command_line,
                                   .options = call->options};
    harness_report_write(folder, &report, why);
    while (n_facts) harness_free(facts[--n_facts]);
    while (n_searches) harness_free(searches[--n_searches]);
    harness_free(title);
    harness_table_free(fusion);
    harness_table_free(tiles);
    return why->status;
}

static ag_status write_numbers(FILE *to, void *context)
{
    json_t *j = tune_json(context);
    json_dumpf(j, to, JSON_INDENT(1) | JSON_REAL_PRECISION(9)); /* the caller looks at ferror */
    fputc('\n', to);
    json_decref(j);
    return AG_OK;
}

ag_status tune_report(const tune_results *r, const char *folder, const harness_call *call,
                      ag_failure *why)
{
    char *path = harness_text("%s/autotune.json", folder);
    tune_results copy = *r;
    harness_write(path, write_numbers, &copy, why);
    harness_free(path);
    if (!why->status && r->fusion && !plot_curves(r, folder, why)) plot_fusion(r, folder, why);
    if (!why->status && r->tiles) plot_tiles(r, folder, why);
    return why->status ? why->status : write_page(r, folder, call, why);
}
