/* SPDX-License-Identifier: MIT */
/* Reads files of schedules. */
#include "examples/harness/harness.h"
#include "examples/tpgnn/data/data_internal.h"

#include <string.h>

static ag_status name_file(tpgnn_data *data, tpgnn_file *file, const char *path, ag_failure *why)
{
    file->name = tpugraphs_take_name(&data->budget, &file->bytes, path, why);
    if (file->name) file->hash = tpgnn_hash(0, file->name, strlen(file->name) + 1, 1);
    return why->status;
}

/* Reads the numbers of nodes and schedules, and where each schedule begins. */
static ag_status read_sizes(tpgnn_reading *r, ag_failure *why)
{
    tpugraphs_raw *raw = &r->raw;
    if (!tpugraphs_has(raw, "node_kind", why) && tpugraphs_has(raw, "node_feat", why))
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
    r->node_offset = tpgnn_offsets_read(r, "node_offset", nodes, 1, why);
    return why->status;
}

static ag_status read_file(tpgnn_data *data, tpgnn_reading *r, const void *from, ag_failure *why)
{
    const char *path = from;
    static const char read[] =
        "kinds node_kind node_children node_value node_refers node_offset feature_row store_row "
        "store_offset schedule_runtime schedule_median schedule_spread schedule_passes "
        "schedule_noisy schedule_origin schedule_hash";
    r->raw.npz = ag_npz_open(path, SIZE_MAX / 2, why);
    if (!r->raw.npz || name_file(data, r->file, path, why) || read_sizes(r, why) ||
        tpgnn_schedules_make(data, r, why) || tpgnn_kinds_read(&r->lines, &r->raw, why) ||
        tpgnn_kinds_check(data, r, why) || tpgnn_trees_read(data, r, why) ||
        tpgnn_stores_read(data, r, why) || tpgnn_times_read(r, why))
        return why->status;
    return tpugraphs_raw_verify(&r->raw, read, why);
}

static ag_status add_file(tpgnn_data *data, const char *path, ag_failure *why)
{
    tpgnn_reading r = {
        .raw = {.path = path, .name = harness_files_short(path), .budget = &data->budget}};
    tpgnn_data_take(data, &r, read_file, path, why);
    tpugraphs_raw_close(&r.raw);
    return why->status;
}

ag_status tpgnn_data_add(tpgnn_data *data, const harness_files *paths, ag_failure *why)
{
    if (tpgnn_data_parts_make(data, why)) return why->status;
    harness_progress bar;
    harness_reading_start(&bar, paths->count);
    for (int i = 0; i < paths->count && harness_go_on(why); i++) {
        add_file(data, paths->path[i], why);
        harness_progress_update(&bar, i + 1, paths->path[i]);
    }
    harness_reading_end(&bar, why);
    return why->status ? why->status : tpgnn_kinds_settle(data, why);
}

ag_status tpgnn_data_read(tpgnn_data *data, const harness_paths *given, const char *option,
                          ag_failure *why)
{
    if (harness_files_read(&data->paths, given, option, why)) return why->status;
    return tpgnn_data_add(data, &data->paths, why);
}
