/* SPDX-License-Identifier: MIT */
/* How well trained models rank the configurations of files with known run times. */
#include "examples/tgraph/learn.h"

#include <jansson.h>

static int trained_on_name(const tgraph_runs *runs, const char *path)
{
    const char *name = path;
    for (const char *c = path; *c; c++)
        if (*c == '/') name = c + 1;
    for (int i = 0; i < runs->count; i++)
        if (tgraph_files_name(runs->run[i].checkpoint.files, name)) return 1;
    return 0;
}

static int trained_on(const tgraph_runs *runs, const tgraph_entry *e)
{
    for (int i = 0; i < runs->count; i++)
        if (tgraph_files_has(runs->run[i].checkpoint.files, e)) return 1;
    return 0;
}

/* Drops the entry just opened. */
static void forget(tgraph_set *set) { tgraph_entry_close(&set->entry[--set->count]); }

/* Opens a file as it was in training and scores what was held out there; 0 in *found: it is another
   file of that name. */
static ag_status open_held(int *found, tgraph_set *set, const tgraph_runs *runs,
                           const tgraph_settings *s, const char *path, ag_failure *why)
{
    const tgraph_data_options options = tgraph_settings_data(s, 0);
    tgraph_entry *e = tgraph_set_open(set, path, &options, why);
    *found = e && (s->part == TGRAPH_PART_HELD || trained_on(runs, e));
    if (!e) return why->status;
    if (*found) return tgraph_entry_hold_out(e, s, why);
    forget(set);
    return AG_OK;
}

static ag_status open_file(tgraph_set *set, const tgraph_runs *runs, const tgraph_settings *s,
                           const char *path, ag_failure *why)
{
    tgraph_data_options all = tgraph_settings_data(s, set->tile);
    const int known = trained_on_name(runs, path);
    int held = 0;
    all.dedup = TGRAPH_KEEP_ALL;
    if (!set->tile && s->split > 0 &&
        (s->part == TGRAPH_PART_HELD || (s->part == TGRAPH_PART_AUTO && known)) &&
        open_held(&held, set, runs, s, path, why))
        return why->status;
    if (!held && !tgraph_set_open(set, path, &all, why)) return why->status;
    tgraph_entry *e = &set->entry[set->count - 1];
    e->score = 1;
    if (!e->has_runtimes) {
        harness_warn("%s is left out: its run times are hidden (all 0), so it cannot be scored",
                     path);
        forget(set);
    } else if (known && !held)
        harness_warn("a file with the name of %s was trained on; its scores may say little about "
                     "others",
                     path);
    return AG_OK;
}

/* A run of an ensemble may have trained on what another one held out. */
static void compare_splits(const tgraph_runs *runs, const tgraph_settings *s)
{
    for (int i = 1; i < runs->count; i++) {
        const tgraph_checkpoint *c = &runs->run[i].checkpoint;
        if (c->split == s->split && c->split_seed == s->split_seed && c->dedup == s->dedup)
            continue;
        harness_warn("%s was not trained with --split %g --split-seed %lld, so it may have been "
                     "trained on configurations that are scored here",
                     runs->run[i].folder, s->split, (long long)s->split_seed);
    }
}

static ag_status open_files(tgraph_set *set, const tgraph_runs *runs, const tgraph_settings *s,
                            ag_failure *why)
{
    if (s->part == TGRAPH_PART_HELD && (set->tile || s->split <= 0))
        return ag_fail(why, AG_EUSE,
                       "--part held needs layout files and a run that was trained with --split; "
                       "choose --part all");
    if (!set->tile && s->split > 0 && s->part != TGRAPH_PART_ALL) compare_splits(runs, s);
    for (int i = 0; i < set->paths.count && !why->status && !harness_interrupted(); i++)
        open_file(set, runs, s, set->paths.path[i], why);
    if (!why->status && !set->count && !harness_interrupted())
        ag_fail(why, AG_EDATA,
                "none of the %d files can be scored: their run times are hidden; \"tgraph "
                "predict\" ranks configurations without run times",
                set->paths.count);
    return why->status;
}

static ag_status show(const tgraph_results *r, const tgraph_settings *s, int models,
                      ag_failure *why)
{
    if (s->common.json) {
        json_t *j = tgraph_results_json(r);
        json_object_set_new(j, "runs", json_integer(models));
        return harness_json_print(j, why);
    }
    char *title = models > 1 ? harness_text("Mean of the scores of %d runs", models)
                             : harness_text("Scores of %s", s->common.run);
    harness_table *t = tgraph_results_table(r, title);
    harness_table_print(stdout, t);
    harness_table_free(t);
    harness_free(title);
    return AG_OK;
}

static ag_status compare(tgraph_results *results, tgraph_learn *learn, tgraph_set *set,
                         const tgraph_runs *runs, const tgraph_settings *s, ag_failure *why)
{
    const char *files = runs->run[0].checkpoint.files;
    if (!s->baselines || tgraph_learn_open(learn, set, files, s, why) || harness_interrupted())
        return why->status;
    return tgraph_results_baselines(results, learn->entry, learn->count, why);
}

ag_status tgraph_eval_command(harness_call *call, ag_failure *why)
{
    const tgraph_settings *s = call->values;
    tgraph_runs runs = {0};
    tgraph_set set = {0};
    tgraph_learn learn = {0};
    tgraph_results results = {0};
    if (!tgraph_runs_open(&runs, s, why) && !tgraph_set_paths(&set, s, why) &&
        !tgraph_runs_check(&runs, s, set.tile, why) && !tgraph_learn_paths(&learn, &set, s, why) &&
        !open_files(&set, &runs, s, why)) {
        tgraph_results_open(&results, &set, s->tau);
        if (!tgraph_runs_score(&runs, s, &set, &results, why) && !harness_interrupted() &&
            !tgraph_results_grade(&results, why) &&
            !compare(&results, &learn, &set, &runs, s, why) && !harness_interrupted())
            show(&results, s, runs.count, why);
    }
    tgraph_results_close(&results);
    tgraph_learn_close(&learn);
    tgraph_set_close(&set);
    tgraph_runs_close(&runs);
    return why->status;
}
