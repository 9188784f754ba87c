/* SPDX-License-Identifier: MIT */
/* Means, tables, pictures and the page of the autotuner. */
#include "examples/tpu/tune/tune.h"

#include "examples/harness/run/bag.h"

#include <jansson.h>
#include <math.h>

/* What is found in a task, and its words. */
static const struct {
    const char *kind, *title, *note, *name[TUNE_MOST];
    int found;
} form[] = {
    [TPU_TILE] = {"tiles",
                  "Tile sizes: speed-up over the default tiles",
                  "Exhaustive measures every valid tile of every kernel, up to --tiles; learned 10 "
                  "the ten that the model finds best; learned 1 takes the model's best unseen. "
                  "These are the times of another measurement, since the luckiest of many looks "
                  "faster than it is.",
                  {"exhaustive", "learned 10", "learned 1"},
                  TUNE_CHOICES},
    [TPU_FUSION] = {"fusion",
                    "Fusion: speed-up over the default partition, by search and start",
                    "A search on hardware measures --measurements partitions, a learned one "
                    "--verify. These are the times of another measurement of the best ones, since "
                    "the luckiest of many looks faster than it is.",
                    {"hardware default", "learned default", "hardware random", "learned random"},
                    TUNE_SEARCHES}};

static bool was_searched(const tune_result *list, int task) { return list->part[task].kernels > 0; }

void tune_add_mean(tune_result **list)
{
    const int n = bag_count(*list);
    tune_result mean = {.name = "mean"};
    for (int task = 0; task < 2; task++) {
        mean.part[task].kernels = mean.part[task].default_ns = (double)NAN;
        for (int i = 0; i < n * TUNE_MOST; i++)
            mean.part[task].speedup[i % TUNE_MOST] +=
                (*list)[i / TUNE_MOST].part[task].speedup[i % TUNE_MOST] / n;
    }
    bag_add(*list, mean);
}

/* ---- tables ---- */

static harness_table *table_of(const tune_result *list, int task)
{
    static const char *const first[] = {"program", "kernels", "default us"};
    harness_table *t = harness_table_new(form[task].title, first, 3);
    for (int i = 0; i < form[task].found; i++) harness_table_column(t, form[task].name[i]);
    for (int p = 0; p < bag_count(list); p++) {
        const tune_part *part = &list[p].part[task];
        harness_table_text(t, list[p].name);
        harness_table_number(t, part->kernels, 0);
        harness_table_number(t, part->default_ns / 1000, 1);
        for (int i = 0; i < form[task].found; i++) harness_table_number(t, part->speedup[i], 4);
    }
    harness_table_note(t, form[task].note);
    return t;
}

/* The tables of the tasks that were searched; returns their number. */
static int tables_of(harness_table *table[2], const tune_result *list)
{
    int n = 0;
    for (int task = 0; task < 2; task++)
        if (was_searched(list, task)) table[n++] = table_of(list, task);
    return n;
}

static json_t *results_json(const tune_result *list)
{
    json_t *j = json_object();
    harness_table *table[2];
    tables_of(table, list);
    for (int task = 0, n = 0; task < 2; task++) {
        if (!was_searched(list, task)) continue;
        json_object_set_new(j, form[task].kind, harness_table_json(table[n]));
        harness_table_free(table[n++]);
    }
    return j;
}

static ag_status write_numbers(FILE *to, void *list)
{
    json_t *j = results_json(list);
    json_dumpf(j, to, JSON_INDENT(1) | JSON_REAL_PRECISION(9)); /* the caller looks at ferror */
    fputc('\n', to);
    json_decref(j);
    return AG_OK;
}

ag_status tune_show(const tune_result *list, bool json, ag_failure *why)
{
    harness_table *table[2];
    if (json) return harness_json_print(results_json(list), why);
    const int n = tables_of(table, list);
    for (int i = 0; i < n; i++) {
        if (i) printf("\n");
        harness_table_print(stdout, table[i]);
        harness_table_free(table[i]);
    }
    return AG_OK;
}

/* ---- pictures ---- */

static ag_status plot_bars(const tune_result *list, int task, const char *folder, ag_failure *why)
{
    const char **names = NULL;
    double *values = NULL;
    for (int p = 0; p < bag_count(list); p++) {
        bag_add(names, list[p].name);
        for (int i = 0; i < form[task].found; i++) bag_add(values, list[p].part[task].speedup[i]);
    }
    harness_plot_groups(folder, form[task].kind, form[task].title, "speed-up over the default",
                        names, bag_count(names), form[task].name, form[task].found, values, why);
    bag_free(names);
    bag_free(values);
    return why->status;
}

/* ---- the page ---- */

static ag_status write_page(const tune_result *list, const char *folder, const harness_call *call,
                            ag_failure *why)
{
    static const char *const captions[] = {
        "As Figure 4 of the paper.",
        "As Figure 5 of the paper, with measurements in place of minutes."};
    static const char *const plots[] = {"tiles", "fusion"};
    const bool tiles = was_searched(list, TPU_TILE);
    harness_table *table[2];
    int n = tables_of(table, list);
    const harness_report report = {
        .title = harness_format("TPU autotuner: %d programs", bag_count(list) - 1),
        .plots = plots + !tiles,
        .plot_captions = captions + !tiles,
        .plot_count = n,
        .tables = (const harness_table *const *)table,
        .table_count = n,
        .command_line = call->command_line,
        .options = call->options};
    harness_report_write(folder, &report, why);
    while (n) harness_table_free(table[--n]);
    return why->status;
}

ag_status tune_report(tune_result *list, harness_run *run, const harness_call *call,
                      ag_failure *why)
{
    const char *folder = ((const tpu_settings *)call->values)->shell.common.out;
    harness_write(harness_run_path(run, "autotune.json"), write_numbers, list, why);
    for (int task = 0; task < 2 && !why->status; task++)
        if (was_searched(list, task)) plot_bars(list, task, folder, why);
    return why->status ? why->status : write_page(list, folder, call, why);
}
