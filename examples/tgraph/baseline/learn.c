/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/baseline/learn.h"

#include <sys/stat.h>

/* ---- which paths ---- */

/* Adds the files of the run's --data, whose paths are relative to the folder in which training
   ran. */
static ag_status add_trained(tgraph_learn *learn, const char *folder, ag_failure *why)
{
    tgraph_settings trained;
    harness_options *o = harness_options_new(&tgraph_program_table, HARNESS_TRAIN, &trained);
    if (!harness_run_read_config(folder, o, 1, why))
        harness_files_read(&learn->paths, &trained.shell.common.data, NULL, why);
    harness_options_free(o);
    return why->status;
}

ag_status tgraph_learn_paths(tgraph_learn *learn, tgraph_set *set, const tgraph_settings *s,
                             ag_failure *why)
{
    if (s->shell.fit.count) {
        if (harness_files_read(&learn->paths, &s->shell.fit, "fit", why)) return why->status;
    } else if (s->shell.baselines)
        add_trained(learn, s->shell.common.run, &learn->missing);
    learn->entry = harness_alloc((size_t)learn->paths.count * sizeof *learn->entry);
    tgraph_set_room(set, learn->paths.count);
    return AG_OK;
}

/* ---- the files ---- */

/* The first of the `scored` entries that is this file, or NULL. */
static tgraph_entry *find_scored(const tgraph_set *set, int scored, const char *path)
{
    struct stat file;
    if (stat(path, &file)) return NULL;
    for (int i = 0; i < scored; i++)
        if (harness_files_is(set->entry[i].file->path, &file)) return &set->entry[i];
    return NULL;
}

static int all_split(const tgraph_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (!tgraph_entry_split(&set->entry[i])) return 0;
    return 1;
}

/* Opens a file as training did: a file of the run without its held-out part, any other as a
   whole. */
static ag_status open_file(tgraph_learn *learn, tgraph_set *set, const char *files,
                           const tgraph_settings *s, const char *path, ag_failure *why)
{
    const tgraph_data_options options = tgraph_settings_data(s);
    tgraph_entry *e = tgraph_set_open(set, path, &options, why);
    if (!e) return why->status;
    const int known = tgraph_files_has(files, e->file->name, &e->hash);
    if (known && s->split > 0 && tgraph_entry_hold_out(e, s, why)) return why->status;
    if (tgraph_file_trainable(e->file) && (known || s->shell.fit.count))
        learn->entry[learn->count++] = e;
    else {
        if (s->shell.fit.count)
            harness_warn("--fit: %s is left out: to learn from it takes known run times and two "
                         "configurations",
                         path);
        tgraph_set_leave_out(set, NULL);
    }
    return AG_OK;
}

static ag_status open_files(tgraph_learn *learn, tgraph_set *set, const char *files,
                            const tgraph_settings *s, ag_failure *why)
{
    const int scored = set->count;
    for (int i = 0; i < learn->paths.count && harness_go_on(why); i++) {
        const char *path = learn->paths.path[i];
        const tgraph_entry *e = find_scored(set, scored, path);
        if (e && tgraph_entry_split(e) &&
            (s->shell.fit.count || tgraph_files_has(files, e->file->name, &e->hash))) {
            learn->entry[learn->count++] = e;
            continue;
        }
        if (e && s->shell.fit.count)
            harness_warn("--fit: %s is scored, too, so the baselines' scores of it say little "
                         "about other files",
                         path);
        open_file(learn, set, files, s, path, why);
    }
    return why->status;
}

ag_status tgraph_learn_open(tgraph_learn *learn, tgraph_set *set, const char *files,
                            const tgraph_settings *s, ag_failure *why)
{
    ag_failure mine = learn->missing;
    if (all_split(set)) return AG_OK;
    if (!mine.status) open_files(learn, set, files, s, s->shell.fit.count ? why : &mine);
    if (mine.status == AG_ESTOPPED) ag_fail(why, mine.status, "%s", mine.sentence);
    if (why->status) return why->status;
    if (s->shell.fit.count && !learn->count)
        return ag_fail(why, AG_EDATA,
                       "none of the %d files of --fit can be learned from: that takes known run "
                       "times and two configurations; see \"tgraph inspect\"",
                       learn->paths.count);
    const int trained = tgraph_files_count(files);
    if (!s->shell.fit.count && !mine.status && learn->count != trained)
        ag_fail(&mine, AG_EDATA,
                "of the %d files that the run was trained on, %d are found as "
                "they were then",
                trained, learn->count);
    if (!mine.status) return AG_OK;
    learn->count = 0; /* there is less to show, which is no failure */
    harness_warn("ridge regression and boosted trees are left out: %s; name files for them to "
                 "learn from with --fit",
                 mine.sentence);
    return AG_OK;
}

void tgraph_learn_close(tgraph_learn *learn)
{
    harness_files_free(&learn->paths);
    harness_free(learn->entry);
    *learn = (tgraph_learn){0};
}
