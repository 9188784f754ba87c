/* SPDX-License-Identifier: MIT */
/* Reads the files of a call and chooses their items. */
#include "examples/nests/data.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/harness.h"
#include "examples/harness/base/draws.h"
#include "examples/nests/hooks.h"

#include <string.h>
#include <xxhash.h>

static const nests_maker *const makers[] = {&nests_from_layout, &nests_from_tile,
                                            &nests_from_fusion, &nests_from_schedule,
                                            &nests_from_rows,   NULL};

static const nests_maker *kind_of_file(const char *path, ag_failure *why)
{
    const nests_maker *const *m = makers;
    ag_npz *npz = ag_npz_open(path, SIZE_MAX / 2, why);
    if (!npz) return NULL;
    while (*m && !ag_npz_find(npz, (*m)->array)) m++;
    ag_npz_close(npz);
    if (!*m)
        ag_fail(why, AG_EDATA,
                "%s is of no kind that nests knows; name files of layouts, tile sizes, fused "
                "kernels or schedules, or files with rows of their own (docs/formats/nests.md)",
                harness_files_short(path));
    return *m;
}

const char *nests_files_kind(const harness_settings *settings)
{
    harness_files paths = {0};
    ag_failure none = {0};
    const nests_maker *kind = NULL;
    if (!harness_files_add(&paths, settings->common.data.list[0], &none))
        kind = kind_of_file(paths.path[0], &none);
    harness_files_free(&paths);
    return kind ? harness_format("%s files", kind->name) : NULL;
}

const nests_maker *nests_kind_named(const char *name)
{
    for (const nests_maker *const *m = makers; *m; m++)
        if (strcmp((*m)->name, name) == 0) return *m;
    return NULL;
}

/* The kind of a file, which has to be `wanted` unless that is NULL. */
static const nests_maker *find_kind(const char *path, const nests_maker *wanted, ag_failure *why)
{
    const nests_maker *kind = harness_go_on(why) ? kind_of_file(path, why) : NULL;
    if (!kind || !wanted || kind == wanted) return kind;
    ag_fail(why, AG_EUSE,
            "%s is a file of kind %s, but others, or the run, are of kind %s; name files of one "
            "kind",
            harness_files_short(path), kind->name, wanted->name);
    return NULL;
}

/* Of a file of another kind, that is said in the place of the array that it lacks. */
static void name_other_kind(const nests_data *data, ag_failure *why)
{
    ag_failure other = {0};
    if (why->status != AG_EDATA && why->status != AG_EUSE) return;
    for (int i = 0; i < data->paths.count && !other.status; i++)
        find_kind(data->paths.path[i], data->maker, &other);
    if (other.status && other.status != AG_ESTOPPED) *why = other;
}

static ag_status read_files(nests_set *set, const nests_maker *kind, const harness_paths *given,
                            const char *option, ag_failure *why)
{
    nests_data *data = &set->data;
    if (harness_files_read(&data->paths, given, option, why)) return why->status;
    data->maker = find_kind(data->paths.path[0], kind, why);
    if (data->maker && data->maker->read(data, &data->paths, why)) name_other_kind(data, why);
    return why->status;
}

uint64_t nests_group_hash(const nests_group *g)
{
    const uint64_t name = XXH3_64bits(g->name, strlen(g->name));
    const size_t bytes = g->runtime ? (size_t)g->items * sizeof *g->runtime : 0;
    return XXH3_64bits_withSeed(g->runtime, bytes, name + (uint64_t)g->items);
}

static bool is_known(const nests_group *g, int item) { return g->runtime && g->runtime[item] > 0; }

enum { HELD_OUT, TRAINED };

/* How groups are split; run: only those that it has split; NULL: all. */
typedef struct split {
    double share; /* 0: none is */
    int64_t seed;
    const nests_trained *run;
} split;

/* The side of each item, [items], for the caller to free. Of two items or more neither is empty. */
static signed char *split_group(const nests_group *g, const split *by)
{
    signed char *side = HARNESS_NEW(side, g->items);
    int32_t *order = HARNESS_NEW(order, g->items);
    int train = (int)(by->share * g->items + 0.5);
    if (train < 1) train = 1;
    if (train >= g->items) train = g->items - 1;
    harness_shuffle(order, g->items, harness_stream(HARNESS_STREAM_SPLIT, (uint64_t)by->seed, 0));
    for (int i = 0; i < g->items; i++) side[order[i]] = i < train ? TRAINED : HELD_OUT;
    harness_free(order);
    return side;
}

static bool is_split(const nests_trained *net, uint64_t group)
{
    for (int i = 0; i < net->hashes; i++)
        if (net->hash[i] == group) return net->split > 0;
    return false;
}

/* Chooses the items of one side, and all of groups that are not split; known: with run times. */
static void choose(nests_items *items, nests_set *set, const split *by, int wanted, bool known)
{
    const nests_data *data = &set->data;
    ag_arena **memory = &set->memory;
    int64_t at = 0;
    items->first = HARNESS_TAKE(memory, items->first, data->groups + 1);
    items->item = HARNESS_TAKE(memory, items->item, data->items);
    for (int g = 0; g < data->groups; g++) {
        const nests_group *group = &data->group[g];
        const bool whole =
            by->share <= 0 || (by->run && !is_split(by->run, nests_group_hash(group)));
        signed char *side = whole ? NULL : split_group(group, by);
        for (int i = 0; i < group->items; i++)
            if ((!side || side[i] == wanted) && (!known || is_known(group, i)))
                items->item[at++] = i;
        items->first[g + 1] = at;
        harness_free(side);
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

static ag_status read_valid(nests_files *f, const nests_settings *s, ag_failure *why)
{
    nests_set *valid = f->scored = &f->other;
    const nests_data *train = &f->train.data;
    if (s->split > 0)
        return ag_fail(why, AG_EUSE, "--split and --valid both hold items out; omit one of them");
    valid->data.budget.limit = tpugraphs_rest(&train->budget);
    if (read_files(valid, train->maker, &s->harness.common.valid, "valid", why) ||
        check_runtimes(valid, "valid", why))
        return why->status;
    harness_files_warn_trained("valid", valid->data.paths.path, valid->data.paths.count,
                               train->paths.path, train->paths.count);
    choose(&valid->score, valid, &(split){0}, HELD_OUT, false);
    return AG_OK;
}

ag_status nests_files_train(nests_files *f, nests_settings *s, ag_failure *why)
{
    f->train.data.budget.limit = (size_t)s->harness.common.ram_limit;
    f->train.data.distinct = true;
    if (read_files(&f->train, NULL, &s->harness.common.data, "data", why) ||
        check_runtimes(&f->train, "data", why))
        return why->status;
    if (nests_settle(s, f->train.data.maker->name, why)) return why->status;
    const split by = {s->split, s->split_seed, NULL};
    choose(&f->train.train, &f->train, &by, TRAINED, true);
    if (s->split > 0) {
        choose(&f->train.score, &f->train, &by, HELD_OUT, false);
        f->scored = &f->train;
    }
    return s->harness.common.valid.count ? read_valid(f, s, why) : AG_OK;
}

/* Other rows have other columns. */
static ag_status check_run(const nests_trained *net, const nests_data *data, const char *run,
                           ag_failure *why)
{
    const nests_scale *s = &net->model.scale;
    if (net->kind == data->maker && s->columns == data->columns && s->words == data->words)
        return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "%.200s was trained on %s files whose rows have %d columns and %d words, but "
                   "these are %s files with %d and %d; choose a run that was trained on such files",
                   run, net->kind->name, s->columns, s->words, data->maker->name, data->columns,
                   data->words);
}

ag_status nests_files_score(void *files, const harness_runs *runs, const harness_settings *settings,
                            bool known, ag_failure *why)
{
    const nests_settings *s = (const nests_settings *)settings;
    nests_files *f = files;
    const nests_trained *net = runs->count ? runs->run[0].net : NULL;
    nests_set *set = f->scored = &f->other;
    nests_data *data = &set->data;
    data->budget.limit = (size_t)s->harness.common.ram_limit;
    data->distinct = known && net && net->split > 0;
    if (read_files(set, net ? net->kind : NULL, &s->harness.common.data, "data", why) ||
        (known && !s->harness.common.part && check_runtimes(set, "data", why)))
        return why->status;
    for (int i = 0; i < runs->count; i++)
        if (check_run(runs->run[i].net, data, runs->run[i].path, why)) return why->status;
    const split by = {data->distinct ? net->split : 0, net ? net->split_seed : 0, net};
    choose(&set->score, set, &by, HELD_OUT, false);
    if (net && nests_warn_unseen(set, net, runs->run[0].path, why)) return why->status;
    if (!known || (net && net->split > 0)) return AG_OK;
    harness_runs_warn_trained(runs, data->paths.path, data->paths.count);
    return AG_OK;
}

static void close_set(nests_set *set)
{
    if (set->data.maker) set->data.maker->drop(&set->data);
    harness_files_free(&set->data.paths);
    ag_arena_free(set->memory);
}

void nests_files_close(void *files)
{
    nests_files *f = files;
    close_set(&f->train);
    close_set(&f->other);
}
