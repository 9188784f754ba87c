/* SPDX-License-Identifier: MIT */
#include "examples/nests/data.h"

#include "examples/harness/harness.h"
#include "examples/harness/run/draws.h"
#include "examples/nests/checkpoint.h"

#include <string.h>
#include <xxhash.h>

/* ---- kinds ---- */

static const nests_maker *kind_of_file(const char *path, ag_failure *why)
{
    const nests_maker *const *m = nests_makers;
    ag_npz *npz = ag_npz_open(path, SIZE_MAX / 2, why);
    if (!npz) return NULL;
    while (*m && !(*m)->is(npz)) m++;
    ag_npz_close(npz);
    if (!*m)
        ag_fail(why, AG_EDATA,
                "%s is of no kind that nests knows; name files of layouts, tile sizes, fused "
                "kernels or schedules, or files with rows of their own (docs/formats/nests.md)",
                harness_files_short(path));
    return *m;
}

const nests_maker *nests_kind_of(const harness_paths *given, ag_failure *why)
{
    harness_files paths = {0};
    const nests_maker *kind = NULL;
    if (!harness_files_add(&paths, given->list[0], why)) kind = kind_of_file(paths.path[0], why);
    harness_files_free(&paths);
    return kind;
}

const nests_maker *nests_kind_named(const char *name)
{
    for (const nests_maker *const *m = nests_makers; *m; m++)
        if (strcmp((*m)->name, name) == 0) return *m;
    return NULL;
}

/* All files are of one kind, `wanted` unless that is NULL. */
static ag_status find_kind(nests_data *data, const nests_maker *wanted, ag_failure *why)
{
    for (int i = 0; i < data->paths.count && harness_go_on(why); i++) {
        const nests_maker *kind = kind_of_file(data->paths.path[i], why);
        if (!kind) return why->status;
        if (!wanted) wanted = kind;
        if (kind != wanted)
            return ag_fail(why, AG_EUSE,
                           "%s is a file of kind %s, but others, or the run, are of kind %s; name "
                           "files of one kind",
                           harness_files_short(data->paths.path[i]), kind->name, wanted->name);
    }
    data->maker = wanted;
    return why->status;
}

static ag_status read_files(nests_set *set, const nests_maker *kind, const harness_paths *given,
                            const char *option, ag_failure *why)
{
    nests_data *data = &set->data;
    if (harness_files_read(&data->paths, given, option, why) || find_kind(data, kind, why))
        return why->status;
    return data->maker->read(data, &data->paths, why);
}

/* ---- items ---- */

uint64_t nests_group_hash(const nests_group *g)
{
    const uint64_t name = XXH3_64bits(g->name, strlen(g->name));
    const size_t bytes = g->runtime ? (size_t)g->items * sizeof *g->runtime : 0;
    return XXH3_64bits_withSeed(g->runtime, bytes, name + (uint64_t)g->items);
}

static void make_items(nests_items *items, const nests_data *data)
{
    items->first = harness_alloc(((size_t)data->groups + 1) * sizeof *items->first);
    items->item = harness_alloc((size_t)data->items * sizeof *items->item + 1);
}

static bool is_known(const nests_group *g, int item) { return g->runtime && g->runtime[item] > 0; }

/* Appends the items of group g whose mark is `part` (mark NULL: all); known: with run times. */
static void add_items(nests_items *items, const nests_data *data, int g, const signed char *mark,
                      int part, bool known)
{
    const nests_group *group = &data->group[g];
    int64_t at = items->first[g];
    for (int i = 0; i < group->items; i++)
        if ((!mark || mark[i] == part) && (!known || is_known(group, i))) items->item[at++] = i;
    items->first[g + 1] = at;
}

/* [items], for the caller to free: 1 what is trained on, 0 what is held out. Of two items or more
   neither is empty. */
static signed char *split_group(const nests_group *g, double share, uint64_t seed)
{
    signed char *mark = harness_alloc((size_t)g->items + 1);
    int32_t *order = harness_alloc((size_t)g->items * sizeof *order + 1);
    int train = (int)(share * g->items + 0.5);
    if (train < 1) train = 1;
    if (train >= g->items) train = g->items - 1;
    harness_shuffle(order, g->items, harness_stream(HARNESS_STREAM_SPLIT, seed, 0));
    for (int i = 0; i < g->items; i++) mark[order[i]] = i < train;
    harness_free(order);
    return mark;
}

static void split_all(nests_set *set, const nests_settings *s)
{
    const nests_data *data = &set->data;
    make_items(&set->train, data);
    if (s->split > 0) make_items(&set->score, data);
    for (int g = 0; g < data->groups; g++) {
        signed char *mark = NULL;
        if (s->split > 0) {
            mark = split_group(&data->group[g], s->split, (uint64_t)s->split_seed);
            add_items(&set->score, data, g, mark, 0, false);
        }
        add_items(&set->train, data, g, mark, 1, true);
        harness_free(mark);
    }
}

static ag_status check_runtimes(const nests_set *set, const char *option, ag_failure *why)
{
    const nests_data *data = &set->data;
    for (int g = 0; g < data->groups; g++)
        for (int i = 0; i < data->group[g].items; i++)
            if (is_known(&data->group[g], i)) return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "--%s: no run time of the %d groups is known; name files with run times "
                   "(\"nests predict\" needs none)",
                   option, data->groups);
}

/* ---- a training run ---- */

static ag_status read_valid(nests_files *f, const nests_settings *s, ag_failure *why)
{
    nests_set *valid = f->scored = &f->other;
    const nests_data *train = &f->train.data;
    if (s->split > 0)
        return ag_fail(why, AG_EUSE, "--split and --valid both hold items out; omit one of them");
    valid->data.budget.limit = tpugraphs_rest(&train->budget);
    if (read_files(valid, train->maker, &s->shell.common.valid, "valid", why) ||
        check_runtimes(valid, "valid", why))
        return why->status;
    harness_files_warn_trained("valid", valid->data.paths.path, valid->data.paths.count,
                               train->paths.path, train->paths.count);
    make_items(&valid->score, &valid->data);
    for (int g = 0; g < valid->data.groups; g++)
        add_items(&valid->score, &valid->data, g, NULL, 0, false);
    return AG_OK;
}

ag_status nests_files_train(nests_files *f, nests_settings *s, ag_failure *why)
{
    f->train.data.budget.limit = (size_t)s->shell.common.ram_limit;
    f->train.data.distinct = true;
    if (read_files(&f->train, NULL, &s->shell.common.data, "data", why) ||
        check_runtimes(&f->train, "data", why))
        return why->status;
    if (nests_settle(s, f->train.data.maker->name, why)) return why->status;
    split_all(&f->train, s);
    if (s->split > 0) f->scored = &f->train;
    return s->shell.common.valid.count ? read_valid(f, s, why) : AG_OK;
}

/* ---- scores ---- */

/* The items that the first run held out, of groups that it was trained on. */
static void choose_scored(nests_set *set, const nests_trained *net)
{
    const nests_data *data = &set->data;
    make_items(&set->score, data);
    for (int g = 0; g < data->groups; g++) {
        signed char *mark = NULL;
        if (data->distinct && nests_trained_split(net, nests_group_hash(&data->group[g])))
            mark = split_group(&data->group[g], net->split, (uint64_t)net->split_seed);
        add_items(&set->score, data, g, mark, 0, false);
        harness_free(mark);
    }
}

ag_status nests_files_score(void *files, const harness_runs *runs, const harness_settings *settings,
                            bool known, ag_failure *why)
{
    const nests_settings *s = (const nests_settings *)settings;
    nests_files *f = files;
    const nests_trained *net = runs->count ? runs->run[0].net : NULL;
    nests_set *set = f->scored = &f->other;
    nests_data *data = &set->data;
    data->budget.limit = (size_t)s->shell.common.ram_limit;
    data->distinct = known && net && net->split > 0 && s->part == NESTS_PART_AUTO;
    if (read_files(set, net ? net->kind : NULL, &s->shell.common.data, "data", why) ||
        (known && check_runtimes(set, "data", why)))
        return why->status;
    for (int i = 0; i < runs->count; i++)
        if (nests_trained_check(runs->run[i].net, data, runs->run[i].path, why)) return why->status;
    choose_scored(set, net);
    if (net && nests_warn_unseen(set, net, runs->run[0].path, why)) return why->status;
    if (!known || (net && net->split > 0)) return AG_OK;
    harness_runs_warn_trained(runs, data->paths.path, data->paths.count);
    return AG_OK;
}

static void close_set(nests_set *set)
{
    if (set->data.maker) set->data.maker->drop(&set->data);
    harness_files_free(&set->data.paths);
    harness_free(set->train.first);
    harness_free(set->train.item);
    harness_free(set->score.first);
    harness_free(set->score.item);
}

void nests_files_close(void *files)
{
    nests_files *f = files;
    close_set(&f->train);
    close_set(&f->other);
}
