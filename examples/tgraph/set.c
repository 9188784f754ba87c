/* SPDX-License-Identifier: MIT */
/* Opens and splits the files of a call. */
#include "examples/tgraph/set.h"

#include <xxhash.h>

ag_status tgraph_set_name(tgraph_set *set, const harness_paths *given, const char *option,
                          ag_failure *why)
{
    if (harness_files_read(&set->paths, given, option, why)) return why->status;
    harness_free(set->entry);
    set->entry = HARNESS_NEW(set->entry, set->paths.count);
    return AG_OK;
}

static uint64_t hash_file(const tgraph_file *f)
{
    const size_t n = (size_t)f->configs, bytes = (size_t)f->store.width * sizeof *f->store.word;
    const uint64_t run = XXH3_64bits(f->runtime, n * sizeof *f->runtime);
    return XXH3_64bits_withSeed(tgraph_file_words(f, 0), n * bytes, run);
}

tgraph_entry *tgraph_set_open(tgraph_set *set, const char *path, const tgraph_data_options *options,
                              ag_failure *why)
{
    tgraph_data_options how = *options;
    tgraph_entry *e = &set->entry[set->count];
    how.operations = set->rows;
    *e = (tgraph_entry){.file = tgraph_file_open(path, &how, &set->budget, why)};
    if (!e->file) return NULL;
    if (set->rows) tgraph_rows_warn(&set->warned, e->file);
    set->count++;
    e->hash = hash_file(e->file);
    e->items = e->file->configs;
    return e;
}

static void close_entry(tgraph_entry *e)
{
    tgraph_program_free(&e->program);
    tgraph_file_close(e->file);
    *e = (tgraph_entry){0};
}

void tgraph_set_close(tgraph_set *set)
{
    for (int i = 0; i < set->count; i++) close_entry(&set->entry[i]);
    harness_free(set->entry);
    harness_files_free(&set->paths);
    *set = (tgraph_set){0};
}

void tgraph_set_leave_out(tgraph_set *set, const char *what)
{
    tgraph_entry *e = &set->entry[--set->count];
    if (what) harness_warn("%s is left out: %s", e->file->path, what);
    close_entry(e);
}

tgraph_entry *tgraph_set_open_whole(tgraph_set *set, const char *path, tgraph_data_options options,
                                    bool known, ag_failure *why)
{
    options.dedup = TGRAPH_KEEP_ALL;
    tgraph_entry *e = tgraph_set_open(set, path, &options, why);
    if (e) e->score = 1;
    if (!e || !known || e->file->has_runtimes) return e;
    tgraph_set_leave_out(set, "its run times are hidden (all 0), so it cannot be scored");
    return NULL;
}

ag_status tgraph_set_programs(tgraph_set *set, const tgraph_options *options, ag_failure *why)
{
    for (int i = 0; i < set->count && !why->status; i++) {
        tgraph_program_free(&set->entry[i].program);
        tgraph_program_new(&set->entry[i].program, &set->entry[i].file->graph, options, why);
    }
    return why->status;
}

ag_status tgraph_set_fit_rows(const tgraph_set *set, nests_scale *scale, ag_failure *why)
{
    nests_rows rows = {0};
    for (int i = 0; i < set->count && harness_go_on(why); i++) {
        const tgraph_file *f = set->entry[i].file;
        const int n = f->train_count < NESTS_FITTED ? f->train_count : NESTS_FITTED;
        if (!set->entry[i].train) continue;
        tgraph_rows_take(&rows, f, true, f->train, n);
        nests_scale_add_items(scale, &rows, f->runtime, f->train);
    }
    nests_scale_end(scale);
    nests_rows_free(&rows);
    return why->status;
}

void tgraph_set_fit(const tgraph_set *set, tgraph_scaler *scaler)
{
    *scaler = (tgraph_scaler){0};
    for (int i = 0; i < set->count; i++) {
        const tgraph_graph *g = &set->entry[i].file->graph;
        if (set->entry[i].train) tgraph_scaler_add(scaler, g->raw, g->nodes);
    }
    tgraph_scaler_end(scaler);
}

void tgraph_set_scale(tgraph_set *set, const tgraph_scaler *scaler)
{
    for (int i = 0; i < set->count; i++) {
        tgraph_graph *g = &set->entry[i].file->graph;
        tgraph_scaler_apply(scaler, g->feature, g->raw, g->nodes);
    }
}

ag_status tgraph_entry_hold_out(tgraph_entry *e, const tgraph_settings *s, ag_failure *why)
{
    if (tgraph_file_split(e->file, s->split, (uint64_t)s->split_seed, why)) return why->status;
    e->score = 1;
    e->items = e->file->held_count;
    e->item = e->file->held;
    return AG_OK;
}

static ag_status open_training(tgraph_set *set, const tgraph_settings *s, const char *path,
                               ag_failure *why)
{
    tgraph_entry *e = tgraph_set_open(set, path, &s->data, why);
    if (!e) return why->status;
    if (!tgraph_file_trainable(e->file)) {
        tgraph_set_leave_out(set, e->file->has_runtimes
                                      ? "it has only one configuration to train on"
                                      : "its run times are hidden (all 0)");
        return AG_OK;
    }
    e->train = 1;
    set->trained++;
    if (s->split <= 0) return AG_OK;
    if (tgraph_entry_hold_out(e, s, why) || tgraph_file_trainable(e->file)) return why->status;
    return ag_fail(why, AG_EUSE,
                   "%.200s has %d configurations, of which --split %g leaves %d to train on; it "
                   "takes 2: choose a larger share, or leave the file out",
                   e->file->path, e->file->configs, s->split, e->file->train_count);
}

ag_status tgraph_set_train(tgraph_set *set, const tgraph_settings *s, ag_failure *why)
{
    if (s->split > 0 && s->data.dedup == TGRAPH_KEEP_ALL)
        return ag_fail(why, AG_EUSE,
                       "--split with --dedup none would train on configurations that it holds out, "
                       "since equal ones can stand on both sides; use --dedup first or fastest");
    set->budget.limit = (size_t)s->harness.common.ram_limit;
    set->rows = s->model.rows;
    if (tgraph_set_name(set, &s->harness.common.data, "data", why)) return why->status;
    const int training = set->paths.count;
    if (tgraph_set_name(set, &s->harness.common.valid, "valid", why)) return why->status;
    harness_files_warn_trained("valid", set->paths.path + training, set->paths.count - training,
                               set->paths.path, training);
    harness_reading r = {.path = set->paths.path, .count = set->paths.count};
    for (const char *path; (path = harness_reading_next(&r, why));)
        if (r.next <= training)
            open_training(set, s, path, why);
        else
            tgraph_set_open_whole(set, path, s->data, true, why);
    if (!why->status && !set->trained)
        ag_fail(why, AG_EDATA,
                "none of the %d files can be trained on: that takes known run times and at least "
                "two configurations; see \"tgraph inspect\"",
                training);
    return why->status;
}
