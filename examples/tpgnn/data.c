/* SPDX-License-Identifier: MIT */
/* Files to tasks and schedules: what a file leaves behind and what is given back. */
#include "examples/tpgnn/data.h"

#include "examples/harness/harness.h"
#include "examples/tpgnn/data_parts.h"

#include <string.h>

/* A list with room for `count` items: the same, or grown. NULL: AG_EMEMORY, and it is as it was. */
static void *grow(tpgnn_data *data, void *list, int *room, int64_t count, size_t size,
                  ag_failure *why)
{
    if (count <= *room) return list;
    const int64_t wanted = count > 2 * (int64_t)*room ? count : 2 * (int64_t)*room;
    const size_t more = ag__mul((size_t)(wanted - *room), size);
    if (wanted > INT32_MAX || tpugraphs_fits(&data->budget, more, "data", "a list", why)) {
        if (!why->status) tpugraphs_no_memory("data", more, why);
        return NULL;
    }
    void *grown = ag__grow(list, ag__mul((size_t)wanted, size));
    if (!grown) {
        tpugraphs_no_memory("data", ag__mul((size_t)wanted, size), why);
        return NULL;
    }
    *room = (int)wanted;
    data->parts->bytes += more;
    data->budget.used += more;
    return grown;
}

static void free_file(tpgnn_data *data, tpgnn_file *file)
{
    data->budget.used -= file->bytes;
    ag__free(file->name);
    ag__free(file->kind);
    ag__free(file->value);
    ag__free(file->feature);
    ag__free(file->parent);
    ag__free(file->position);
    ag__free(file->depth);
    ag__free(file->refers);
    ag__free(file->store);
}

static ag_status name_file(tpgnn_data *data, tpgnn_file *file, const char *path, ag_failure *why)
{
    file->name = tpugraphs_take_name(&data->budget, &file->bytes, path, why);
    if (file->name) file->hash = tpgnn_hash(0, file->name, strlen(file->name) + 1, 1);
    return why->status;
}

/* The name up to its first '_', and room for it in the list. NULL: no memory. */
static char *make_family(tpgnn_data *data, const char *name)
{
    const size_t length = strlen(name), first = length ? 1 + strcspn(name + 1, "_") : 0;
    char **list = ag__grow(data->family, ((size_t)data->families + 1) * sizeof *list);
    if (list) data->family = list;
    char *family = list ? ag__alloc(first + 1) : NULL;
    if (!family) return NULL;
    memcpy(family, name, first);
    family[first] = 0;
    return family;
}

/* Takes the family that make_family made. */
static int find_family(tpgnn_data *data, char *family)
{
    for (int i = 0; i < data->families; i++)
        if (!strcmp(data->family[i], family)) {
            ag__free(family);
            return i;
        }
    data->family[data->families] = family;
    return data->families++;
}

/* ---- one file ------------------------------------------------------------------------------- */

/* How many nodes and schedules there are, and where each begins. */
static ag_status read_sizes(tpgnn_reading *r, ag_failure *why)
{
    tpugraphs_raw *raw = &r->raw;
    if (!ag_npz_find(raw->npz, "node_kind") && ag_npz_find(raw->npz, "node_feat"))
        return ag_fail(
            why, AG_EDATA,
            "%s: this is a file of TpuGraphs or the lab (it has node_feat), which tgraph "
            "and tpu read; name files of schedules",
            raw->name);
    const ag_array_info *kind =
        tpugraphs_member(raw, "node_kind", AG_SHAPE(-1), "a line of kinds per node", why);
    const ag_array_info *runtime = kind ? tpugraphs_member(raw, "schedule_runtime", AG_SHAPE(-1),
                                                           "one run time per schedule", why)
                                        : NULL;
    if (!runtime ||
        !tpugraphs_member(raw, "workload", AG_SHAPE(-1), "text, the name of the workload", why))
        return why->status;
    const int64_t nodes = kind->size[0], schedules = runtime->size[0];
    if (nodes < 1 || nodes > INT32_MAX / 8 || schedules < 1 || schedules > nodes)
        return ag_fail(why, AG_EDATA,
                       "%s: there are %lld schedules of %lld nodes together, but a file has 1 to "
                       "%d nodes and 1 schedule to as many as it has nodes",
                       raw->name, (long long)schedules, (long long)nodes, INT32_MAX / 8);
    r->nodes = nodes;
    r->schedules = (int)schedules;
    r->node_offset = tpgnn_offsets_read(raw, "node_offset", r->schedules, nodes, 1, why);
    return why->status;
}

ag_status tpgnn_schedules_make(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    tpgnn_schedule *list = grow(data, data->schedule, &data->parts->schedule_room,
                                (int64_t)data->schedules + r->schedules, sizeof *list, why);
    if (!list) return why->status;
    data->schedule = list;
    r->schedule = list + data->schedules;
    for (int i = 0; i < r->schedules; i++)
        r->schedule[i] = (tpgnn_schedule){.task = data->tasks, .number = i};
    return AG_OK;
}

ag_status tpgnn_kinds_check(const tpgnn_data *data, const tpgnn_reading *r, ag_failure *why)
{
    if (data->kinds + r->lines.count <= TPGNN_MOST_KINDS) return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "%s: its %d kinds of nodes, with the %d of the files before it, are more than "
                   "%d; use fewer files",
                   r->raw.name, r->lines.count, data->kinds, TPGNN_MOST_KINDS);
}

static ag_status read_file(tpgnn_data *data, tpgnn_reading *r, const void *from, ag_failure *why)
{
    const char *path = from;
    static const char *const read[] = {"kinds",
                                       "node_kind",
                                       "node_children",
                                       "node_value",
                                       "node_refers",
                                       "node_offset",
                                       "feature_row",
                                       "store_row",
                                       "store_offset",
                                       "schedule_runtime",
                                       "schedule_median",
                                       "schedule_spread",
                                       "schedule_passes",
                                       "schedule_noisy",
                                       "schedule_origin",
                                       "schedule_hash",
                                       NULL};
    r->raw.npz = ag_npz_open(path, SIZE_MAX / 2, why);
    if (!r->raw.npz || name_file(data, r->file, path, why) || read_sizes(r, why) ||
        tpgnn_schedules_make(data, r, why) || tpgnn_kinds_read(&r->lines, &r->raw, why) ||
        tpgnn_kinds_check(data, r, why) || tpgnn_trees_read(data, r, why) ||
        tpgnn_stores_read(data, r, why) || tpgnn_times_read(r, why))
        return why->status;
    return tpugraphs_raw_verify(&r->raw, read, why);
}

/* Nothing fails from here on. */
static void keep_file(tpgnn_data *data, tpgnn_reading *r, char *family)
{
    const tpgnn_file *f = r->file;
    tpgnn_kinds_merge(data, &r->lines, r->file);
    data->task[data->tasks] =
        (tpgnn_task){f->name, find_family(data, family), data->schedules, r->schedules};
    data->parts->file[data->tasks++] = *f;
    data->schedules += r->schedules;
    data->nodes += f->nodes;
    data->stores += f->stores;
    data->hash = tpgnn_hash(data->hash, &f->hash, 1, sizeof f->hash);
}

static ag_status make_parts(tpgnn_data *data, ag_failure *why)
{
    if (data->parts) return AG_OK;
    data->parts = ag__alloc(sizeof *data->parts);
    if (!data->parts) return tpugraphs_no_memory("data", sizeof *data->parts, why);
    *data->parts = (struct tpgnn_data_parts){0};
    return AG_OK;
}

/* Keeps what was read, or nothing. */
static ag_status keep(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    char *family = make_family(data, r->file->name);
    if (!family) return tpugraphs_no_memory(r->file->name, strlen(r->file->name) + 1, why);
    if (tpgnn_kinds_reserve(data, &r->lines, why))
        ag__free(family);
    else
        keep_file(data, r, family);
    return why->status;
}

ag_status tpgnn_data_take(tpgnn_data *data, tpgnn_reading *r, tpgnn_read *read, const void *from,
                          ag_failure *why)
{
    tpgnn_file file = {0};
    if (make_parts(data, why)) return why->status;
    struct tpgnn_data_parts *p = data->parts;
    tpgnn_file *files =
        grow(data, p->file, &p->file_room, (int64_t)data->tasks + 1, sizeof *files, why);
    if (files) p->file = files;
    tpgnn_task *tasks =
        files ? grow(data, data->task, &p->task_room, (int64_t)data->tasks + 1, sizeof *tasks, why)
              : NULL;
    if (!tasks) return why->status;
    data->task = tasks;
    r->file = &file;
    if (read(data, r, from, why) || keep(data, r, why)) free_file(data, &file);
    tpgnn_kinds_drop(&r->lines);
    ag__free(r->node_offset);
    ag__free(r->store_offset);
    return why->status;
}

static ag_status add_file(tpgnn_data *data, const char *path, ag_failure *why)
{
    tpgnn_reading r = {
        .raw = {.path = path, .name = tpugraphs_short(path), .budget = &data->budget}};
    tpgnn_data_take(data, &r, read_file, path, why);
    tpugraphs_raw_close(&r.raw);
    return why->status;
}

/* ---- all ------------------------------------------------------------------------------------ */

ag_status tpgnn_data_add(tpgnn_data *data, const tpugraphs_paths *paths, ag_failure *why)
{
    if (make_parts(data, why)) return why->status;
    for (int i = 0; i < paths->count && !harness_interrupted(); i++)
        if (add_file(data, paths->path[i], why)) break;
    tpgnn_kinds_settle(data);
    return why->status;
}

ag_status tpgnn_data_read(tpgnn_data *data, const harness_paths *given, const char *option,
                          ag_failure *why)
{
    if (tpugraphs_paths_read(&data->paths, given, option, why)) return why->status;
    return tpgnn_data_add(data, &data->paths, why);
}

void tpgnn_data_free(tpgnn_data *data)
{
    tpgnn_kinds_free(data);
    for (int i = 0; i < data->families; i++) harness_free(data->family[i]);
    harness_free(data->family);
    if (data->parts) {
        for (int i = 0; i < data->tasks; i++) free_file(data, &data->parts->file[i]);
        data->budget.used -= data->parts->bytes;
        ag__free(data->parts->file);
        ag__free(data->parts->scratch);
        ag__free(data->parts);
    }
    ag__free(data->schedule);
    ag__free(data->task);
    tpugraphs_paths_free(&data->paths);
    *data = (tpgnn_data){.budget = data->budget, .given = data->given};
}

void tpgnn_data_translate(tpgnn_data *data, const tpgnn_vocabulary *given)
{
    data->given = given;
    if (data->parts) tpgnn_kinds_settle(data);
}

const tpgnn_vocabulary *tpgnn_data_vocabulary(const tpgnn_data *data)
{
    return data->given ? data->given : &data->own;
}

int64_t tpgnn_data_unknown(const tpgnn_data *data, tpgnn_field field)
{
    int64_t n = 0;
    for (int i = 0; i < data->schedules; i++)
        for (int v = 0; v < data->schedule[i].nodes; v++)
            n += !data->kind[data->schedule[i].kind[v]].index[field];
    return n;
}
