/* SPDX-License-Identifier: MIT */
/* The table, the picture and the page of the autotuner. */
#include "examples/tune/tune.h"

#include "examples/harness/base/bag.h"
#include "examples/harness/base/file.h"

#include <math.h>

/* The searches or choices of a task, and their words. */
static const struct {
    const char *plot, *title, *caption, *note, *name[TUNE_MOST];
    int found;
} form[] = {
    [TPU_TILE] = {"tiles",
                  "Tile sizes: speed-up over the default tiles",
                  "A dot per program, a line at their mean; Figure 4 of the paper.",
                  "Exhaustive measures every valid tile of every kernel, up to --tiles; learned 10 "
                  "the ten that the model finds best; learned 1 takes the model's best unseen. "
                  "These are the times of another measurement, since the luckiest of many looks "
                  "faster than it is.",
                  {"exhaustive", "learned 10", "learned 1"},
                  TUNE_CHOICES},
    [TPU_FUSION] = {"fusion",
                    "Fusion: speed-up over the default partition, by search and start",
                    "A dot per program, a line at their mean; Figure 5 of the paper, with "
                    "measurements in place of minutes.",
                    "A search on hardware measures --measurements partitions, a learned one "
                    "--verify. These are the times of another measurement of the best ones, since "
                    "the luckiest of many looks faster than it is.",
                    {"hardware default", "learned default", "hardware random", "learned random"},
                    TUNE_SEARCHES}};

static void add_mean(tune_result **list)
{
    const int n = bag_count(*list);
    tune_result mean = {.name = "mean", .kernels = (double)NAN, .default_ns = (double)NAN};
    for (int p = 0; p < n; p++)
        for (int i = 0; i < TUNE_MOST; i++) mean.speedup[i] += (*list)[p].speedup[i] / n;
    bag_add(*list, mean);
}

static harness_table *table_of(const tune_result *list, tpu_task task)
{
    harness_table *t = harness_table_new(form[task].title);
    for (int p = 0; p < bag_count(list); p++) {
        harness_table_text(t, "program", list[p].name);
        harness_table_number(t, "kernels", list[p].kernels, 0);
        harness_table_number(t, "default us", list[p].default_ns / 1000, 1);
        for (int i = 0; i < form[task].found; i++)
            harness_table_number(t, form[task].name[i], list[p].speedup[i], 4);
    }
    harness_table_note(t, form[task].note);
    return t;
}

/* A row per search or choice, a dot per program; the last of the list is the mean. */
static ag_status plot_programs(const tune_result *list, tpu_task task, const char *folder,
                               ag_failure *why)
{
    const int programs = bag_count(list) - 1;
    double *values = NULL;
    for (int i = 0; i < form[task].found; i++)
        for (int p = 0; p < programs; p++) bag_add(values, list[p].speedup[i]);
    harness_plot_dots(folder, form[task].plot, form[task].title, "speed-up over the default",
                      form[task].name, values, form[task].found, programs, why);
    bag_free(values);
    return why->status;
}

static ag_status write_page(harness_table *table, tpu_task task, const char *folder,
                            const harness_call *call, ag_failure *why)
{
    const harness_report report = {
        .folder = folder,
        .title = harness_format("TPU autotuner: %d programs", harness_table_rows(table) - 1),
        .plots = (harness_named[]){{form[task].plot, form[task].caption}, {NULL, NULL}},
        .tables = (harness_table *[]){table, NULL},
        .command_line = call->command_line,
        .options = call->options,
        .files = tune_files(task)};
    return harness_report_write(&report, why);
}

const char *tune_files(tpu_task task) { return task == TPU_TILE ? "tile files" : "fusion files"; }

ag_status tune_report(tune_result **list, tpu_task task, const harness_call *call, ag_failure *why)
{
    const harness_common *common = &((const tpu_settings *)call->values)->harness.common;
    add_mean(list);
    harness_table *table = table_of(*list, task);
    if (!harness__save_json(harness_format("%s/autotune.json", common->out),
                            harness_table_json(table), why) &&
        !plot_programs(*list, task, common->out, why) &&
        !write_page(table, task, common->out, call, why)) {
        if (common->json)
            harness_json_print(harness_table_json(table), why);
        else
            harness_table_print(stdout, table);
    }
    harness_table_free(table);
    return why->status;
}
