/* SPDX-License-Identifier: MIT */
/* Chooses the files and configurations to train on and those to hold out. */
#include "examples/tgraph/data/set.h"

ag_status tgraph_entry_hold_out(tgraph_entry *e, const tgraph_settings *s, ag_failure *why)
{
    if (tgraph_file_split(e->file, s->split, (uint64_t)s->split_seed, why)) return why->status;
    e->items = e->file->held_count;
    e->item = e->file->held;
    return AG_OK;
}

static ag_status check_parts(const tgraph_settings *s, int files, ag_failure *why)
{
    if (s->split > 0 && s->dedup == TGRAPH_KEEP_ALL)
        return ag_fail(why, AG_EUSE,
                       "--split with --dedup none would train on configurations that it holds out, "
                       "since equal ones can stand on both sides; use --dedup first or fastest");
    if (s->folds && (s->split > 0 || s->shell.common.valid.count))
        return ag_fail(
            why, AG_EUSE,
            "--folds, --split and --valid each say what is held out; give --folds alone");
    if (s->folds && files < 2)
        return ag_fail(
            why, AG_EUSE,
            "--folds needs at least 2 files, but there is %d; for a single file use --split",
            files);
    if (s->folds && (s->folds < 2 || s->folds > files))
        return ag_fail(why, AG_EUSE, "--folds is %d, but %d files can be cut into 2 to %d folds",
                       s->folds, files, files);
    if (s->folds && s->fold >= s->folds)
        return ag_fail(why, AG_EUSE, "--fold is %d, but with --folds %d it is 0 to %d", s->fold,
                       s->folds, s->folds - 1);
    return AG_OK;
}

void tgraph_set_leave_out(tgraph_set *set, const char *what)
{
    tgraph_entry *e = &set->entry[--set->count];
    if (what) harness_warn("%s is left out: %s", e->file->path, what);
    tgraph_entry_close(e);
}

static ag_status open_training(tgraph_set *set, const tgraph_settings *s, const char *path,
                               ag_failure *why)
{
    const tgraph_data_options options = tgraph_settings_data(s);
    tgraph_entry *e = tgraph_set_open(set, path, &options, why);
    if (!e) return why->status;
    if (!tgraph_file_trainable(e->file)) {
        tgraph_set_leave_out(set, e->file->has_runtimes
                                      ? "it has only one configuration to train on"
                                      : "its run times are hidden (all 0)");
        return AG_OK;
    }
    e->train = 1;
    if (s->split <= 0) return AG_OK;
    if (tgraph_entry_hold_out(e, s, why)) return why->status;
    e->score = 1;
    if (tgraph_file_trainable(e->file)) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "%.200s has %d configurations, of which --split %g leaves %d to train on; it "
                   "takes 2: choose a larger share, or leave the file out",
                   e->file->path, e->file->configs, s->split, e->file->train_count);
}

static ag_status open_held(tgraph_set *set, const tgraph_settings *s, const char *path,
                           ag_failure *why)
{
    tgraph_data_options options = tgraph_settings_data(s);
    options.dedup = TGRAPH_KEEP_ALL;
    tgraph_entry *e = tgraph_set_open(set, path, &options, why);
    if (!e) return why->status;
    if (e->file->has_runtimes)
        e->score = 1;
    else
        tgraph_set_leave_out(set, "its run times are hidden (all 0), so it cannot be scored");
    return AG_OK;
}

ag_status tgraph_set_train(tgraph_set *set, const tgraph_settings *s, ag_failure *why)
{
    int trained = 0;
    if (tgraph_set_paths(set, s, why) || check_parts(s, set->given, why)) return why->status;
    const int training = set->given;
    set->rows = s->model.rows;
    harness_files_warn_trained("valid", set->paths.path + training, set->paths.count - training,
                               set->paths.path, training);
    int32_t *fold = harness_alloc((size_t)set->paths.count * sizeof *fold);
    if (s->folds) harness_folds(fold, training, s->folds, (uint64_t)s->split_seed, why);
    harness_progress bar;
    harness_reading_start(&bar, set->paths.count);
    for (int i = 0; i < set->paths.count && harness_go_on(why); i++) {
        const int held = i >= training || (s->folds && fold[i] == s->fold);
        if (held)
            open_held(set, s, set->paths.path[i], why);
        else
            open_training(set, s, set->paths.path[i], why);
        harness_progress_update(&bar, i + 1, set->paths.path[i]);
    }
    harness_reading_end(&bar, why);
    harness_free(fold);
    for (int i = 0; i < set->count; i++) trained += set->entry[i].train;
    if (!why->status && !trained)
        ag_fail(why, AG_EDATA,
                "none of the %d files can be trained on: that takes known run times and at least "
                "two configurations; see \"tgraph inspect\"",
                training);
    return why->status;
}
