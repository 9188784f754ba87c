/* SPDX-License-Identifier: MIT */
/* Tasks and schedules: which memory stays, and which is freed. */
#include "examples/tpgnn/data/data.h"

#include "core/memory.h"
#include "examples/harness/base/bag.h"
#include "examples/tpgnn/data/data_internal.h"

#include <string.h>
#include <xxhash.h>

static size_t lay_arrays(tpgnn_reading *r, char *block)
{
    size_t at = 0;
    r->kind = tpugraphs_lay(block, &at, r->nodes, sizeof *r->kind);
    r->value = tpugraphs_lay(block, &at, r->nodes, sizeof *r->value);
    r->parent = tpugraphs_lay(block, &at, r->nodes, sizeof *r->parent);
    r->position = tpugraphs_lay(block, &at, r->nodes, sizeof *r->position);
    r->depth = tpugraphs_lay(block, &at, r->nodes, sizeof *r->depth);
    r->refers = tpugraphs_lay(block, &at, r->nodes, sizeof *r->refers);
    r->feature =
        tpugraphs_lay(block, &at, (int64_t)r->task.rows * TPGNN_FEATURES, sizeof *r->feature);
    r->store = tpugraphs_lay(block, &at, r->stores, sizeof *r->store);
    return at;
}

ag_status tpgnn_reading_room(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    tpgnn_task *t = &r->task;
    const size_t n = (size_t)r->nodes, bytes = 3 * n * sizeof *r->given;
    tpgnn_schedule *list =
        tpugraphs_grow(&data->budget, &data->bytes, data->schedule, &data->schedule_room,
                       (int64_t)data->schedules + t->schedules, sizeof *list, why);
    if (!list) return why->status;
    data->schedule = list;
    r->schedule = list + data->schedules;
    for (int i = 0; i < t->schedules; i++)
        r->schedule[i] = (tpgnn_schedule){.task = data->tasks, .number = i};
    t->block = tpugraphs_take(&data->budget, &t->bytes, lay_arrays(r, NULL), 1, r->raw.name, why);
    if (!t->block || tpugraphs_fits(&data->budget, bytes, r->raw.name, "the trees", why))
        return why->status;
    lay_arrays(r, t->block);
    r->given = harness_alloc(bytes);
    r->children = r->given + n;
    r->scratch = r->children + n;
    return AG_OK;
}

static void free_task(tpgnn_data *data, const tpgnn_task *task)
{
    data->budget.used -= task->bytes;
    ag_free((char *)(uintptr_t)task->name);
    ag_free(task->block);
}

ag_status tpgnn_reading_keep(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    const char *name = r->task.name;
    tpgnn_task *list = tpugraphs_grow(&data->budget, &data->bytes, data->task, &data->task_room,
                                      (int64_t)data->tasks + 1, sizeof *list, why);
    if (!list) return why->status;
    data->task = list;
    r->task.first = data->schedules;
    r->task.family = harness_name_place(&data->family, &data->family_at, name,
                                        *name ? 1 + strcspn(name + 1, "_") : 0);
    data->families = bag_count(data->family);
    tpgnn_kinds_merge(data, r);
    list[data->tasks++] = r->task;
    data->schedules += r->task.schedules;
    data->nodes += r->nodes;
    data->stores += r->stores;
    data->hash = XXH3_64bits_withSeed(&r->hash, sizeof r->hash, data->hash);
    r->task = (tpgnn_task){0}; /* it is the data's */
    return AG_OK;
}

void tpgnn_reading_end(tpgnn_data *data, tpgnn_reading *r)
{
    free_task(data, &r->task);
    for (int i = 0; i < r->lines; i++) harness_free(r->line[i].text);
    harness_free(r->line);
    harness_free(r->number);
    harness_free(r->given);
    ag_free(r->offset);
    tpugraphs_raw_close(&r->raw);
}

void tpgnn_data_free(void *files)
{
    tpgnn_data *data = files;
    for (int i = 0; i < data->kinds; i++) harness_free(data->kind[i].text);
    bag_free(data->kind);
    map_free(data->kind_at);
    harness_names_free(data->family, data->family_at);
    for (int i = 0; i < data->tasks; i++) free_task(data, &data->task[i]);
    data->budget.used -= data->bytes;
    ag_free(data->schedule);
    ag_free(data->task);
    tpgnn_vocabulary_free(&data->own);
    harness_files_free(&data->paths);
    *data = (tpgnn_data){.budget = data->budget, .given = data->given};
}

bool tpgnn_is_class(const tpgnn_data *data, const tpgnn_schedule *s, int node, const char *name)
{
    return !strcmp(data->kind[s->kind[node]].word[TPGNN_CLASS], name);
}

const tpgnn_vocabulary *tpgnn_data_vocabulary(const tpgnn_data *data)
{
    return data->given ? data->given : &data->own;
}
