/* SPDX-License-Identifier: MIT */
/* Layout files: an item is a configuration of a program. A row is the loop nest of a node under its
   layouts, or of a copy between two layouts (tgraph/rows/). */
#include "examples/harness/harness.h"
#include "examples/tgraph/data/data.h"
#include "examples/nests/maker.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static void add_file(nests_data *data, const tgraph_file *f)
{
    const size_t words = (size_t)f->store.rows * (size_t)f->store.width * sizeof *f->store.word;
    const size_t times = (size_t)f->configs * sizeof *f->runtime;
    char *name = harness_copy(f->name), *end = strstr(name, ".npz");
    if (end && !end[4]) *end = 0;
    data->group[data->groups++] = (nests_group){.name = name,
                                                .items = f->configs,
                                                .number = data->distinct ? f->file_row : NULL,
                                                .runtime = f->has_runtimes ? f->runtime : NULL,
                                                .source = f};
    data->items += f->configs;
    data->hash = XXH3_64bits_withSeed(name, strlen(name) + 1, data->hash);
    data->hash = XXH3_64bits_withSeed(f->runtime, times, data->hash);
    data->hash = XXH3_64bits_withSeed(f->store.word, words, data->hash);
}

static ag_status read_layouts(nests_data *data, const harness_files *paths, ag_failure *why)
{
    tgraph_data_options options = tgraph_layout_defaults();
    harness_reading r = {.path = paths->path, .count = paths->count};
    bool warned = false;
    options.dedup = data->distinct ? TGRAPH_KEEP_FIRST : TGRAPH_KEEP_ALL;
    options.configs_only = options.operations = 1;
    data->columns = NESTS_LAYOUT_COLUMNS;
    data->words = TGRAPH_OPCODES;
    data->group = HARNESS_NEW(data->group, paths->count);
    for (const char *path; (path = harness_reading_next(&r, why));) {
        const tgraph_file *f = tgraph_file_open(path, &options, &data->budget, why);
        if (!f) continue;
        tgraph_rows_warn(&warned, f);
        add_file(data, f);
    }
    return why->status;
}

static void drop_layouts(nests_data *data)
{
    for (int i = 0; i < data->groups; i++) {
        harness_free((char *)(uintptr_t)data->group[i].name);
        tgraph_file_close((tgraph_file *)(uintptr_t)data->group[i].source);
    }
    harness_free(data->group);
}

static ag_status rows_of_layouts(nests_rows *rows, const nests_data *data, int group,
                                 const int *item, int n, ag_failure *why)
{
    (void)why;
    tgraph_rows_take(rows, data->group[group].source, false, item, n);
    return AG_OK;
}

const nests_maker nests_from_layout = {.name = "layout",
                                       .items = "configurations",
                                       .array = "node_config_feat",
                                       .read = read_layouts,
                                       .drop = drop_layouts,
                                       .rows = rows_of_layouts};
