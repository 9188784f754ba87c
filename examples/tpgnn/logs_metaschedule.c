/* SPDX-License-Identifier: MIT */
/* Databases of MetaSchedule: tuning records and, in a second file, workloads. */
#include "examples/tpgnn/logs_parts.h"

#include <string.h>

/* The record of a database has run times or null, and no error numbers. */
static ag_status database_seconds(tpgnn_parse *p, const json_t *list)
{
    char text[48];
    size_t i;
    const json_t *cost;
    if (json_is_null(list)) return p->record->error = TPGNN_ERRORS - 1, AG_OK;
    if (!json_is_array(list))
        return tpgnn__bad(p, "the run times are %s, but must be a list or null",
                          tpgnn__shown(text, list));
    json_array_foreach(list, i, cost)
    {
        const double seconds = json_number_value(cost);
        if (!json_is_number(cost) || !(seconds > 0))
            return tpgnn__bad(p, "run time %zu is %s, but must be a number above 0", i,
                              tpgnn__shown(text, cost));
        if (seconds < TPGNN_NO_TIME) bag_add(p->seconds, seconds);
    }
    if (!bag_count(p->seconds)) p->record->error = json_array_size(list) ? 8 : TPGNN_ERRORS - 1;
    return AG_OK;
}

/* [[instruction, ...], [decision, ...]] */
static ag_status read_trace(tpgnn_parse *p, const json_t *trace)
{
    char text[48];
    size_t i;
    const json_t *list = json_array_get(trace, 0), *one;
    if (json_array_size(trace) != 2 || !json_is_array(list) ||
        !json_is_array(json_array_get(trace, 1)))
        return tpgnn__bad(p, "the trace is %s, but must be [[instructions], [decisions]]",
                          tpgnn__shown(text, trace));
    json_array_foreach(list, i, one)
    {
        if (json_array_size(one) != 4 || !json_is_string(json_array_get(one, 0)))
            return tpgnn__bad(
                p, "instruction %zu is %s, but must be [name, inputs, attributes, outputs]", i,
                tpgnn__shown(text, one));
    }
    p->record->instructions = (int)json_array_size(list);
    return AG_OK;
}

static ag_status workload_of(tpgnn_parse *p, const json_t *index)
{
    const json_int_t i = json_integer_value(index);
    if (i < 0) return tpgnn__bad(p, "the workload is %lld, but must be at least 0", (long long)i);
    if (!p->has_hashes) {
        p->task = harness_text("workload %lld", (long long)i);
        return AG_OK;
    }
    if (i >= p->hashes)
        return tpgnn__bad(p, "the workload is %lld, but the database has %d, from 0 on",
                          (long long)i, p->hashes);
    if (!p->hash[i])
        return tpgnn__bad(p, "line %lld of the workloads is bad, and it names that one",
                          (long long)i + 1);
    p->task = harness_copy(p->hash[i]);
    return AG_OK;
}

ag_status tpgnn__metaschedule(tpgnn_parse *p, const json_t *line)
{
    char text[48];
    const json_t *index = json_array_get(line, 0), *body = json_array_get(line, 1);
    if (json_is_string(index))
        return tpgnn__bad(p, "this is a workload; name the file of tuning records or the folder of "
                             "the database");
    if (json_array_size(line) != 2 || !json_is_integer(index) || json_array_size(body) != 4)
        return tpgnn__bad(
            p, "%s is no record: [workload, [trace, run times, target, arguments]] is one",
            tpgnn__shown(text, line));
    const json_t *target = json_array_get(body, 2);
    p->record->kind = TPGNN_METASCHEDULE;
    if (workload_of(p, index) || read_trace(p, json_array_get(body, 0)) ||
        database_seconds(p, json_array_get(body, 1)))
        return p->why->status;
    if (!json_is_null(target) && !json_is_object(target) && !json_is_string(target))
        return tpgnn__bad(p, "the target is %s, but must be an object, a text or null",
                          tpgnn__shown(text, target));
    if (json_is_string(target)) p->record->target = json_string_value(target);
    if (json_is_object(target)) p->target = json_dumps(target, JSON_COMPACT | JSON_SORT_KEYS);
    return AG_OK;
}

const char *tpgnn__workload(const tpgnn_parse *p, const json_t *line)
{
    char text[48];
    const char *hash = json_string_value(json_array_get(line, 0));
    if (json_array_size(line) == 2 && hash && *hash && strlen(hash) <= 64 &&
        json_is_string(json_array_get(line, 1)))
        return hash;
    tpgnn__bad(p, "%s is no workload: [\"hash\", \"module\"] is one", tpgnn__shown(text, line));
    return NULL;
}
