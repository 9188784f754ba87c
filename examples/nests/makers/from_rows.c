/* SPDX-License-Identifier: MIT */
/* Files that bring their own rows (docs/formats/nests.md). */
#include "examples/harness/base/bag.h"
#include "examples/nests/maker.h"
#include "examples/nests/makers/rows_file.h"

#include <string.h>
#include <xxhash.h>

/* A group is named after its file and, where that has several, its number. */
static void add_groups(nests_data *data, const nests_rows_file *f, const char *path)
{
    const char *base = harness_files_base(path);
    const int length = (int)strlen(base) - (strlen(base) > 4 ? 4 : 0);
    for (int first = 0, end; first < f->items; first = end) {
        end = f->group ? first + 1 : f->items;
        while (end < f->items && f->group[end] == f->group[first]) end++;
        const nests_group group = {
            .name = end - first == f->items
                        ? harness_text("%.*s", length, base)
                        : harness_text("%.*s/%lld", length, base, (long long)f->group[first]),
            .items = end - first,
            .runtime = f->runtime ? f->runtime + first : NULL,
            .source = f,
            .start = first};
        bag_add(data->group, group);
        data->groups++;
        data->items += group.items;
    }
}

static void mix(nests_data *data, const void *array, size_t bytes)
{
    data->hash = XXH3_64bits_withSeed(array, array ? bytes : 0, data->hash + bytes);
}

static void hash_file(nests_data *data, const nests_rows_file *f)
{
    const size_t rows = (size_t)f->rows, items = (size_t)f->items, entries = (size_t)f->entries;
    mix(data, f->x, rows * (size_t)data->columns * sizeof *f->x);
    mix(data, f->work, rows * sizeof *f->work);
    mix(data, f->first, (items + 1) * sizeof *f->first);
    mix(data, f->index, entries * sizeof *f->index);
    mix(data, f->times, entries * sizeof *f->times);
    mix(data, f->group, items * sizeof *f->group);
    mix(data, f->runtime, items * sizeof *f->runtime);
}

static ag_status add_file(nests_data *data, nests_rows_file *f, const char *path, ag_failure *why)
{
    tpugraphs_raw raw = {.path = path, .name = harness_files_short(path), .budget = &data->budget};
    if (!nests_rows_file_read(f, &data->columns, &raw, why)) {
        hash_file(data, f);
        add_groups(data, f, path);
    }
    tpugraphs_raw_close(&raw);
    return why->status;
}

/* data->own: the files [paths.count]. */
static ag_status read_all(nests_data *data, const harness_files *paths, ag_failure *why)
{
    nests_rows_file *file = data->own = HARNESS_NEW(file, paths->count);
    harness_reading r = {.path = paths->path, .count = paths->count};
    for (const char *path; (path = harness_reading_next(&r, why));)
        add_file(data, file++, path, why);
    return why->status;
}

static void drop(nests_data *data)
{
    nests_rows_file *file = data->own;
    for (int i = 0; file && i < data->paths.count; i++) nests_rows_file_free(&file[i]);
    for (int g = 0; g < data->groups; g++) harness_free((char *)(uintptr_t)data->group[g].name);
    bag_free(data->group);
    harness_free(file);
}

const nests_maker nests_from_rows = {.name = "rows",
                                     .items = "items",
                                     .array = "row_feature",
                                     .read = read_all,
                                     .drop = drop,
                                     .rows = nests_table_take};
