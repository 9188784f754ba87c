/* SPDX-License-Identifier: MIT */
/* Tasks and schedules: which memory stays, and which is freed. */
#include "examples/tpgnn/data/data.h"

#include "examples/tpgnn/data/data_internal.h"

#include <string.h>

static void free_file(tpgnn_data *data, tpgnn_file *file)
{
    data->budget.used -= file->bytes;
    void *const block[] = {file->name,     file->kind,  file->value,  file->feature, file->parent,
                           file->position, file->depth, file->refers, file->store};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) ag_free(block[i]);
}

/* The name up to its first '_', and room for it in the list. NULL: no memory. */
static char *make_family(tpgnn_data *data, const char *name)
{
    const size_t length = strlen(name), first = length ? 1 + strcspn(name + 1, "_") : 0;
    char **list = ag_grow(data->family, ((size_t)data->families + 1) * sizeof *list);
    if (list) data->family = list;
    char *family = list ? ag_alloc(first + 1) : NULL;
    if (!family) return NULL;
    memcpy(family, name, first);
    family[first] = 0;
    return family;
}

/* Finds or adds the family that make_family made. */
static int find_family(tpgnn_data *data, char *family)
{
    for (int i = 0; i < data->families; i++)
        if (!strcmp(data->family[i], family)) {
            ag_free(family);
            return i;
        }
    data->family[data->families] = family;
    return data->families++;
}

ag_status tpgnn_schedules_make(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    tpgnn_schedule *list = tpugraphs_grow(
        &data->budget, &data->parts->bytes, data->schedule, &data->parts->schedule_room,
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

ag_status tpgnn_data_parts_make(tpgnn_data *data, ag_failure *why)
{
    if (data->parts) return AG_OK;
    data->parts = ag_alloc(sizeof *data->parts);
    if (!data->parts) return harness_files_no_memory("data", sizeof *data->parts, why);
    *data->parts = (struct tpgnn_data_parts){0};
    return AG_OK;
}

/* Keeps everything that was read, or nothing. */
static ag_status keep(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    char *family = make_family(data, r->file->name);
    if (!family) return harness_files_no_memory(r->file->name, strlen(r->file->name) + 1, why);
    if (tpgnn_kinds_reserve(data, &r->lines, why))
        ag_free(family);
    else
        keep_file(data, r, family);
    return why->status;
}

ag_status tpgnn_data_take(tpgnn_data *data, tpgnn_reading *r, tpgnn_read *read, const void *from,
                          ag_failure *why)
{
    tpgnn_file file = {0};
    if (tpgnn_data_parts_make(data, why)) return why->status;
    struct tpgnn_data_parts *p = data->parts;
    tpgnn_file *files = tpugraphs_grow(&data->budget, &p->bytes, p->file, &p->file_room,
                                       (int64_t)data->tasks + 1, sizeof *files, why);
    if (files) p->file = files;
    tpgnn_task *tasks = files ? tpugraphs_grow(&data->budget, &p->bytes, data->task, &p->task_room,
                                               (int64_t)data->tasks + 1, sizeof *tasks, why)
                              : NULL;
    if (!tasks) return why->status;
    data->task = tasks;
    r->file = &file;
    if (read(data, r, from, why) || keep(data, r, why)) free_file(data, &file);
    tpgnn_kinds_drop(&r->lines);
    ag_free(r->node_offset);
    ag_free(r->store_offset);
    return why->status;
}

void tpgnn_data_free(tpgnn_data *data)
{
    tpgnn_kinds_free(data);
    for (int i = 0; i < data->families; i++) ag_free(data->family[i]);
    ag_free(data->family);
    if (data->parts) {
        for (int i = 0; i < data->tasks; i++) free_file(data, &data->parts->file[i]);
        data->budget.used -= data->parts->bytes;
        ag_free(data->parts->file);
        ag_free(data->parts->scratch);
        ag_free(data->parts);
    }
    ag_free(data->schedule);
    ag_free(data->task);
    harness_files_free(&data->paths);
    *data = (tpgnn_data){.budget = data->budget, .given = data->given};
}

bool tpgnn_is_class(const tpgnn_data *data, const tpgnn_schedule *s, int node, const char *name)
{
    return !strcmp(data->kind[s->kind[node]].word[TPGNN_CLASS], name);
}

void tpgnn_data_translate(tpgnn_data *data, const tpgnn_vocabulary *given)
{
    data->given = given;
    tpgnn_kinds_look_up(data);
}

const tpgnn_vocabulary *tpgnn_data_vocabulary(const tpgnn_data *data)
{
    return data->given ? data->given : &data->own;
}
