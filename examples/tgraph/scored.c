/* SPDX-License-Identifier: MIT */
/* The files and configurations that eval and predict score, and those that baselines learn from. */
#include "examples/harness/rank/unseen.h"
#include "examples/tgraph/hooks.h"

#include <sys/stat.h>

/* How a file is read for a network: as its checkpoint says. */
static tgraph_data_options options_of(const harness_runs *runs, int run)
{
    return ((const tgraph_trained *)runs->run[run].net)->features;
}

static bool trained_on(const harness_runs *runs, const char *name, const uint64_t *hash)
{
    for (int i = 0; i < runs->count; i++)
        if (tgraph_files_has(runs->run[i].data, name, hash)) return true;
    return false;
}

/* Scores what training held out of a file that it read, and all of any other. known: for eval,
   which needs run times; else for predict. */
static ag_status open_file(tgraph_files *f, bool known, const char *path, ag_failure *why)
{
    const tgraph_settings *s = f->settings;
    const tgraph_data_options options = options_of(f->runs, 0);
    const bool trained = known && trained_on(f->runs, harness_files_base(path), NULL);
    if (trained && s->split > 0) {
        tgraph_entry *e = tgraph_set_open(&f->set, path, &options, why);
        if (!e) return why->status;
        if (trained_on(f->runs, e->file->name, &e->hash)) return tgraph_entry_hold_out(e, s, why);
        tgraph_set_leave_out(&f->set, NULL); /* another file of that name */
    }
    if (tgraph_set_open_whole(&f->set, path, options, known, why) && trained)
        harness_warn("a file with the name of %s was trained on; its scores may say little about "
                     "others",
                     path);
    return why->status;
}

/* Warns when one run of an ensemble trained on configurations that another one held out. */
static void compare_splits(const harness_runs *runs, const tgraph_settings *s)
{
    for (int i = 1; i < runs->count; i++) {
        const tgraph_trained *c = runs->run[i].net;
        if (c->split == s->split && c->split_seed == s->split_seed &&
            c->features.dedup == s->data.dedup)
            continue;
        harness_warn("%s was not trained with --split %g --split-seed %lld, so it may have been "
                     "trained on configurations that are scored here",
                     s->harness.ensemble.list[i - 1], s->split, (long long)s->split_seed);
    }
}

static ag_status open_files(tgraph_files *f, bool known, ag_failure *why)
{
    const tgraph_settings *s = f->settings;
    tgraph_set *set = &f->set;
    if (known && s->split > 0) compare_splits(f->runs, s);
    harness_reading r = {.path = set->paths.path, .count = set->paths.count};
    for (const char *path; (path = harness_reading_next(&r, why));) open_file(f, known, path, why);
    if (!why->status && !set->count && !s->harness.common.part) /* others may have run times */
        ag_fail(why, AG_EDATA,
                "none of the %d files can be scored: their run times are hidden; \"tgraph "
                "predict\" ranks configurations without run times",
                set->paths.count);
    return why->status;
}

/* Files of another source have features that training never saw. With the splits of examples/data,
   of the nodes of held-out families up to 43 % of a file's are far from those of training; of those
   of files of TpuGraphs it is 73 % or more. */
static void warn_of_source(const tgraph_set *set, const harness_runs *runs)
{
    const tgraph_scaler *scaler = &((const tgraph_trained *)runs->run[0].net)->scaler;
    harness_far far = {.what = "file",
                       .rows = "nodes",
                       .limit = "more than 10 standard deviations",
                       .run = runs->run[0].path,
                       .most = 0.5};
    for (int i = 0; i < set->count; i++) {
        const tgraph_file *f = set->entry[i].file;
        harness_far_add(&far, f->path, tgraph_graph_far(&f->graph, scaler), f->graph.nodes);
    }
    harness_far_warn(&far);
}

static ag_status check_runs(const harness_runs *runs, ag_failure *why)
{
    const tgraph_data_options a = options_of(runs, 0);
    for (int i = 1; i < runs->count; i++) {
        const tgraph_data_options b = options_of(runs, i);
        if (a.prune != b.prune || a.repad != b.repad || a.logs != b.logs)
            return ag_fail(
                why, AG_EUSE,
                "%.200s and %.200s differ in --prune, --repad or --log-features, so they "
                "read different features of a file; name runs that agree",
                runs->run[0].path, runs->run[i].path);
    }
    return AG_OK;
}

ag_status tgraph_read_scored(void *files, const harness_runs *runs,
                             const harness_settings *settings, bool known, ag_failure *why)
{
    tgraph_files *f = files;
    f->runs = runs;
    f->settings = (const tgraph_settings *)settings;
    f->set.budget.limit = (size_t)settings->common.ram_limit;
    if (tgraph_set_name(&f->set, &settings->common.data, "data", why) || check_runs(runs, why))
        return why->status;
    for (int i = 0; i < runs->count; i++)
        f->set.rows |= ((const tgraph_trained *)runs->run[i].net)->model.joined.use;
    if (!open_files(f, known, why)) warn_of_source(&f->set, runs);
    return why->status;
}

static bool is_scored(const tgraph_files *f, const char *path)
{
    struct stat file;
    if (stat(path, &file)) return false;
    for (int i = 0; i < f->set.count; i++)
        if (harness_files_is(f->set.entry[i].file->path, &file)) return true;
    return false;
}

/* Opens a file as training did: a file of the run without its held-out part, any other as a
   whole. */
static ag_status open_fitted(tgraph_files *f, const char *path, bool named, ag_failure *why)
{
    const tgraph_data_options options = options_of(f->runs, 0);
    tgraph_entry *e = tgraph_set_open(&f->fit, path, &options, why);
    if (!e) return why->status;
    const bool known = tgraph_files_has(f->runs->run[0].data, e->file->name, &e->hash);
    if (known && f->settings->split > 0 && tgraph_entry_hold_out(e, f->settings, why))
        return why->status;
    if (named && !tgraph_entry_split(e) && is_scored(f, path))
        harness_warn("--fit: %s is scored, too, so the baselines' scores of it say little about "
                     "other files",
                     path);
    e->train = tgraph_file_trainable(e->file) && (known || named);
    if (!e->train)
        tgraph_set_leave_out(&f->fit, named ? "to learn from it takes known run times and two "
                                              "configurations"
                                            : NULL);
    return AG_OK;
}

static ag_status read_fitted(void *files, const harness_paths *paths, const char *option,
                             ag_failure *why)
{
    tgraph_files *f = files;
    tgraph_set *set = &f->fit;
    if (tgraph_set_name(set, paths, option, why)) return why->status;
    for (int i = 0; i < set->paths.count && harness_go_on(why); i++)
        open_fitted(f, set->paths.path[i], option != NULL, why);
    if (!why->status && option && !set->count)
        ag_fail(why, AG_EDATA,
                "none of the %d files of --fit can be learned from: that takes known run times and "
                "two configurations; see \"tgraph inspect\"",
                set->paths.count);
    return why->status;
}

static char *fitted_json(const void *files)
{
    return tgraph_files_json(&((const tgraph_files *)files)->fit);
}

static void drop_fitted(void *files) { tgraph_set_close(&((tgraph_files *)files)->fit); }

ag_status tgraph_read_fit(void *files, const harness_runs *runs, const harness_settings *settings,
                          ag_failure *why)
{
    tgraph_files *f = files;
    const harness_fit fit = {f, read_fitted, fitted_json, drop_fitted};
    int whole = 0; /* those that were split are fitted by themselves */
    for (int i = 0; i < f->set.count; i++) whole += !tgraph_entry_split(&f->set.entry[i]);
    f->fit.budget.limit = tpugraphs_rest(&f->set.budget);
    return whole ? harness_fit_read(&fit, runs, settings, why) : AG_OK;
}
