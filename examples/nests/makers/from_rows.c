/* SPDX-License-Identifier: MIT */
/* Files that bring their own rows (docs/formats/nests.md). */
#include "examples/harness/harness.h"
#include "examples/nests/makers/makers.h"
#include "examples/nests/makers/rows_file.h"

#include <string.h>
#include <xxhash.h>

/* Where the items of a group are. */
typedef struct source {
    const nests_rows_file *file;
    int first;
} source;

typedef struct own {
    int columns, room;
    size_t bytes;          /* of what is counted in the budget besides the files' arrays */
    nests_rows_file *file; /* [paths.count] */
    source *source;        /* [groups] */
    char **name;           /* [groups] */
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

static ag_status grow_groups(nests_data *data, own *o, ag_failure *why)
{
    if (data->groups < o->room) return AG_OK;
    const size_t room = 2 * (size_t)o->room + 16;
    nests_group *group = ag_grow(data->group, room * sizeof *group);
    if (group) data->group = group;
    source *from = ag_grow(o->source, room * sizeof *from);
    if (from) o->source = from;
    char **name = ag_grow(o->name, room * sizeof *name);
    if (name) o->name = name;
    if (!group || !from || !name || room > INT32_MAX)
        return harness_files_no_memory("the groups", room * sizeof *group, why);
    o->room = (int)room;
    return AG_OK;
}

/* A group is named after its file and, where that has several, its number. */
static ag_status add_group(nests_data *data, own *o, const nests_rows_file *f, const char *base,
                           int first, int end, ag_failure *why)
{
    if (grow_groups(data, o, why)) return why->status;
    const size_t length = strlen(base) - (strlen(base) > 4 ? 4 : 0), bytes = length + 32;
    char *name = ag_alloc(bytes);
    if (!name) return harness_files_no_memory("the name of a group", bytes, why);
    if (end - first == f->items)
        snprintf(name, bytes, "%.*s", (int)length, base);
    else
        snprintf(name, bytes, "%.*s/%lld", (int)length, base, (long long)f->group[first]);
    o->name[data->groups] = name;
    o->source[data->groups] = (source){f, first};
    data->group[data->groups++] = (nests_group){
        .name = name, .items = end - first, .runtime = f->runtime ? f->runtime + first : NULL};
    data->items += end - first;
    return AG_OK;
}

static ag_status add_groups(nests_data *data, own *o, const nests_rows_file *f, const char *path,
                            ag_failure *why)
{
    for (int first = 0, end; first < f->items && !why->status; first = end) {
        for (end = first + 1; end < f->items && !opens_group(f, end);) end++;
        add_group(data, o, f, harness_files_base(path), first, end, why);
    }
    return why->status;
}

static void mix(nests_data *data, const void *array, size_t bytes)
{
    data->hash = XXH3_64bits_withSeed(array, array ? bytes : 0, data->hash + bytes);
}

static void hash_file(nests_data *data, const nests_rows_file *f, int columns)
{
    const size_t rows = (size_t)f->rows, items = (size_t)f->items, entries = (size_t)f->entries;
    mix(data, f->x, rows * (size_t)columns * sizeof *f->x);
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
    if (!nests_rows_file_read(f, &o->columns, &raw, why)) {
        hash_file(data, f, o->columns);
        add_groups(data, o, f, path, why);
    }
    tpugraphs_raw_close(&raw);
    return why->status;
}

static ag_status read_all(nests_data *data, const harness_files *paths, ag_failure *why)
{
    const size_t bytes = (size_t)paths->count * sizeof(nests_rows_file);
    own *o = data->own = ag_alloc(sizeof *o);
    if (!o) return harness_files_no_memory("the files", sizeof *o, why);
    *o = (own){.file = ag_alloc(bytes + 1)};
    if (!o->file) return harness_files_no_memory("the files", bytes, why);
    memset(o->file, 0, bytes);
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
    for (int i = 0; o && o->file && i < data->paths.count; i++) nests_rows_file_free(&o->file[i]);
    for (int g = 0; g < data->groups; g++) ag_free(o->name[g]);
    ag_free(data->group);
    if (o) {
        ag_free(o->file);
        ag_free(o->source);
        ag_free(o->name);
    }
    ag_free(o);
    data->own = NULL;
}

static int columns(const nests_data *data) { return ((const own *)data->own)->columns; }

static int words(const nests_data *data)
{
    (void)data;
    return 0;
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

static ag_status open_scratch(nests_rows *r, const nests_rows_file *f, ag_failure *why)
{
    scratch *s = r->memory;
    if (!s) {
        s = r->memory = ag_alloc(sizeof *s);
        if (!s) return harness_files_no_memory("rows", sizeof *s, why);
        *s = (scratch){0};
    }
    if (f->rows > s->rows) {
        const size_t bytes = (size_t)f->rows * sizeof *s->place;
        int32_t *place = ag_grow(s->place, bytes);
        if (!place) return harness_files_no_memory("rows", bytes, why);
        s->place = place;
        for (; s->rows < f->rows; s->rows++) place[s->rows] = -1;
    }
    return AG_OK;
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
    if (open_scratch(r, from->file, why)) return why->status;
    scratch *s = r->memory;
    r->rows = number_rows(s->place, from->file, from->first, item, n, &entries);
    r->items = n;
    if (entries > INT32_MAX / 2)
        return ag_fail(why, AG_EMEMORY, "%.160s: %lld counts of rows at once; take fewer items",
                       data->group[group].name, (long long)entries);
    lay_rows(r, &bytes, NULL, r->rows, o->columns, (int)entries, n);
    if (tpugraphs_room(&s->block, &s->room, bytes, why)) return why->status;
    lay_rows(r, &bytes, s->block, r->rows, o->columns, (int)entries, n);
    copy_rows(r, s->place, from->file, o->columns, from->first, item, n);
    return AG_OK;
}

static void free_rows(nests_rows *r)
{
    scratch *s = r->memory;
    if (s) {
        ag_free(s->block);
        ag_free(s->place);
    }
    ag_free(s);
    *r = (nests_rows){0};
}

static const nests_defaults defaults = {.hidden = 64,
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
                                        .dropout = 0,
                                        .learning_rate = 2e-3,
                                        .weight_decay = 0,
                                        .spread = true};

const nests_maker nests_from_rows = {.name = "rows",
                                     .files = "rows files",
                                     .items = "items",
                                     .defaults = &defaults,
                                     .is = is_rows,
                                     .read = read_all,
                                     .drop = drop,
                                     .columns = columns,
                                     .words = words,
                                     .rows = rows,
                                     .free_rows = free_rows};
