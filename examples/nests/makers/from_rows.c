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

/* ---- rows ---- */

/* Of nests_rows.memory: the arrays in one block, and the place of each row of the file, or -1. */
typedef struct scratch {
    char *block;
    size_t room;
    int32_t *place;
    int rows;
} scratch;

static void lay_rows(nests_rows *r, size_t *bytes, char *block, int rows, int columns, int entries,
                     int items)
{
    *bytes = 0;
    r->x = tpugraphs_lay(block, bytes, (int64_t)rows * columns, sizeof *r->x);
    r->work = tpugraphs_lay(block, bytes, rows, sizeof *r->work);
    r->first = tpugraphs_lay(block, bytes, items + (int64_t)1, sizeof *r->first);
    r->row = tpugraphs_lay(block, bytes, entries, sizeof *r->row);
    r->times = tpugraphs_lay(block, bytes, entries, sizeof *r->times);
}

static scratch *scratch_of(nests_rows *r, const nests_rows_file *f)
{
    if (!r->memory) r->memory = harness_alloc(sizeof(scratch));
    scratch *s = r->memory;
    if (f->rows > s->rows) s->place = harness_grow(s->place, (size_t)f->rows * sizeof *s->place);
    for (; s->rows < f->rows; s->rows++) s->place[s->rows] = -1;
    return s;
}

static int row_at(const nests_rows_file *f, int64_t entry)
{
    return f->index ? f->index[entry] : (int)entry;
}

/* Numbers the rows that the items count, in the order in which they do; returns how many. */
static int number_rows(int32_t *place, const nests_rows_file *f, int first, const int *item, int n,
                       int64_t *entries)
{
    int rows = 0;
    *entries = 0;
    for (int i = 0; i < n; i++) {
        const int64_t from = f->first[first + item[i]], to = f->first[first + item[i] + 1];
        *entries += to - from;
        for (int64_t e = from; e < to; e++)
            if (place[row_at(f, e)] < 0) place[row_at(f, e)] = rows++;
    }
    return rows;
}

/* Copies rows and counts; the places are forgotten. */
static void copy_rows(nests_rows *r, int32_t *place, const nests_rows_file *f, int columns,
                      int first, const int *item, int n)
{
    int at = 0;
    r->first[0] = 0;
    for (int i = 0; i < n; i++) {
        for (int64_t e = f->first[first + item[i]]; e < f->first[first + item[i] + 1]; e++) {
            const int from = row_at(f, e), to = place[from];
            memcpy(r->x + (size_t)to * (size_t)columns, f->x + (size_t)from * (size_t)columns,
                   (size_t)columns * sizeof *r->x);
            r->work[to] = f->work[from];
            r->row[at] = to;
            r->times[at++] = f->times ? f->times[e] : 1;
        }
        r->first[i + 1] = at;
    }
    for (int i = 0; i < n; i++)
        for (int64_t e = f->first[first + item[i]]; e < f->first[first + item[i] + 1]; e++)
            place[row_at(f, e)] = -1;
}

static ag_status rows(nests_rows *r, const nests_data *data, int group, const int *item, int n,
                      ag_failure *why)
{
    const own *o = data->own;
    const source *from = &o->source[group];
    int64_t entries = 0;
    size_t bytes = 0;
    scratch *s = scratch_of(r, from->file);
    r->rows = number_rows(s->place, from->file, from->first, item, n, &entries);
    r->items = n;
    if (entries > INT32_MAX / 2)
        return ag_fail(why, AG_EMEMORY, "%.160s: %lld counts of rows at once; take fewer items",
                       data->group[group].name, (long long)entries);
    lay_rows(r, &bytes, NULL, r->rows, data->columns, (int)entries, n);
    if (tpugraphs_room(&s->block, &s->room, bytes, why)) return why->status;
    lay_rows(r, &bytes, s->block, r->rows, data->columns, (int)entries, n);
    copy_rows(r, s->place, from->file, data->columns, from->first, item, n);
    return AG_OK;
}

static void free_rows(nests_rows *r)
{
    scratch *s = r->memory;
    if (s) {
        ag_free(s->block);
        harness_free(s->place);
    }
    harness_free(s);
    *r = (nests_rows){0};
}

static const nests_defaults defaults = {.fit = NESTS_BOTH,
                                        .hidden = 64,
                                        .layers = 2,
                                        .flags = true,
                                        .members = 3,
                                        .steps = 3000,
                                        .groups = 8,
                                        .items = 32,
                                        .trees = 400,
                                        .bags = 3,
                                        .depth = 4,
                                        .columns = 0.5,
                                        .rate = 0.1,
                                        .share = 0.5,
                                        .learning_rate = 2e-3,
                                        .spread = true};

const nests_maker nests_from_rows = {.name = "rows",
                                     .files = "rows files",
                                     .items = "items",
                                     .defaults = &defaults,
                                     .is = is_rows,
                                     .read = read_all,
                                     .drop = drop,
                                     .rows = rows,
                                     .free_rows = free_rows};
