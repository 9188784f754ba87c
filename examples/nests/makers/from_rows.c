/* SPDX-License-Identifier: MIT */
/* Files that bring their own rows (docs/formats/nests.md). */
#include "examples/harness/run/bag.h"
#include "examples/nests/maker.h"
#include "examples/nests/makers/rows_file.h"

#include <string.h>
#include <xxhash.h>

/* Where the items of a group are. */
typedef struct source {
    const nests_rows_file *file;
    int first;
} source;

typedef struct own {
    nests_rows_file *file; /* [paths.count] */
    source *source;        /* [groups] a bag, as data->group is */
} own;

static bool is_rows(const ag_npz *npz)
{
    return ag_npz_find(npz, "row_feature") && ag_npz_find(npz, "row_work") &&
           ag_npz_find(npz, "row_offset");
}

/* ---- groups ---- */

static bool opens_group(const nests_rows_file *f, int i)
{
    return !i || (f->group && f->group[i] != f->group[i - 1]);
}

/* A group is named after its file and, where that has several, its number. */
static void add_group(nests_data *data, own *o, const nests_rows_file *f, const char *base,
                      int first, int end)
{
    const int length = (int)strlen(base) - (strlen(base) > 4 ? 4 : 0);
    const nests_group group = {
        .name = end - first == f->items
                    ? harness_text("%.*s", length, base)
                    : harness_text("%.*s/%lld", length, base, (long long)f->group[first]),
        .items = end - first,
        .runtime = f->runtime ? f->runtime + first : NULL};
    bag_add(data->group, group);
    bag_add(o->source, ((source){f, first}));
    data->groups++;
    data->items += end - first;
}

static void add_groups(nests_data *data, own *o, const nests_rows_file *f, const char *path)
{
    for (int first = 0, end; first < f->items; first = end) {
        for (end = first + 1; end < f->items && !opens_group(f, end);) end++;
        add_group(data, o, f, harness_files_base(path), first, end);
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

static ag_status add_file(nests_data *data, own *o, int i, ag_failure *why)
{
    nests_rows_file *f = &o->file[i];
    const char *path = data->paths.path[i];
    tpugraphs_raw raw = {.path = path, .name = harness_files_short(path), .budget = &data->budget};
    if (!nests_rows_file_read(f, &data->columns, &raw, why)) {
        hash_file(data, f);
        add_groups(data, o, f, path);
    }
    tpugraphs_raw_close(&raw);
    return why->status;
}

static ag_status read_all(nests_data *data, const harness_files *paths, ag_failure *why)
{
    own *o = data->own = harness_alloc(sizeof *o);
    o->file = harness_alloc((size_t)paths->count * sizeof *o->file + 1);
    harness_progress bar;
    harness_reading_start(&bar, paths->count);
    for (int i = 0; i < paths->count && harness_go_on(why); i++) {
        add_file(data, o, i, why);
        harness_progress_update(&bar, i + 1, paths->path[i]);
    }
    harness_reading_end(&bar, why);
    return why->status;
}

static void drop(nests_data *data)
{
    own *o = data->own;
    for (int i = 0; o && i < data->paths.count; i++) nests_rows_file_free(&o->file[i]);
    for (int g = 0; g < data->groups; g++) harness_free((char *)(uintptr_t)data->group[g].name);
    bag_free(data->group);
    if (!o) return;
    harness_free(o->file);
    bag_free(o->source);
    harness_free(o);
}

static ag_status rows(nests_rows *r, const nests_data *data, int group, const int *item, int n,
                      ag_failure *why)
{
    const source *from = &((const own *)data->own)->source[group];
    return nests_table_take(r, from->file, data->columns, from->first, item, n,
                            data->group[group].name, why);
}

const nests_maker nests_from_rows = {.name = "rows",
                                     .files = "rows files",
                                     .items = "items",
                                     .is = is_rows,
                                     .read = read_all,
                                     .drop = drop,
                                     .rows = rows,
                                     .free_rows = nests_table_drop};
