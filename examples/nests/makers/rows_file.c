/* SPDX-License-Identifier: MIT */
/* Reads a file that brings its own rows, and checks it. */
#include "examples/nests/makers/rows_file.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/base/bag.h"

#include <math.h>
#include <string.h>

/* An array of the file, counted in the budget; NULL with a sentence. */
static void *take(const tpugraphs_raw *raw, const char *name, ag_dtype as, int64_t count,
                  ag_failure *why)
{
    void *array = tpugraphs_raw_read(raw, name, as, count, why);
    if (array) raw->budget->used += (size_t)count * ag_dtype_bytes(as);
    return array;
}

/* The same for an array that the file may lack; its size is `count`. */
static void *take_some(const tpugraphs_raw *raw, const char *name, ag_dtype as, int64_t count,
                       const char *means, ag_failure *why)
{
    if (!tpugraphs_has(raw, name, why) || !tpugraphs_member(raw, name, AG_SHAPE(count), means, why))
        return NULL;
    return take(raw, name, as, count, why);
}

static ag_status read_sizes(nests_rows_file *f, int *columns_of_all, const tpugraphs_raw *raw,
                            ag_failure *why)
{
    const ag_array_info *x =
        tpugraphs_member(raw, "row_feature", AG_SHAPE(-1, -1), "a line of columns per row", why);
    const ag_array_info *offset = x ? tpugraphs_member(raw, "row_offset", AG_SHAPE(-1),
                                                       "where each item begins, and the end", why)
                                    : NULL;
    if (!offset ||
        !tpugraphs_member(raw, "row_work", AG_SHAPE(x->size[0]), "the work of each row", why))
        return why->status;
    const int64_t rows = x->size[0], columns = x->size[1], items = offset->size[0] - 1;
    if (rows < 1 || columns < 1 || columns > 4096 || rows > INT32_MAX / 2 / columns || items < 1 ||
        items > INT32_MAX / 2)
        return ag_fail(why, AG_EDATA,
                       "%s: there are %lld rows of %lld columns and %lld items, but a file has at "
                       "least 1 row and 1 item, 1 to 4096 columns, and at most %d numbers in rows",
                       raw->name, (long long)rows, (long long)columns, (long long)items,
                       INT32_MAX / 2);
    if (*columns_of_all && *columns_of_all != columns)
        return ag_fail(why, AG_EDATA,
                       "%s: its rows have %lld columns, but those of the files before it have %d; "
                       "name files with the same columns",
                       raw->name, (long long)columns, *columns_of_all);
    *columns_of_all = (int)columns;
    f->rows = (int)rows;
    f->items = (int)items;
    return AG_OK;
}

/* The entries of item i are first[i] to first[i + 1] - 1, of those of row_index, or of rows. */
static ag_status read_entries(nests_rows_file *f, const tpugraphs_raw *raw, ag_failure *why)
{
    const ag_array_info *index = ag_npz_find(raw->npz, "row_index");
    f->entries = index && index->rank == 1 ? index->size[0] : f->rows;
    if (f->entries > INT32_MAX / 2)
        return ag_fail(why, AG_EDATA,
                       "%s: row_index has %lld entries, but at most %d are supported", raw->name,
                       (long long)f->entries, INT32_MAX / 2);
    f->index = take_some(raw, "row_index", AG_I32, f->entries, "one row per entry", why);
    if (!why->status)
        f->times = take_some(raw, "row_count", AG_F32, f->entries, "one count per entry", why);
    if (!why->status)
        f->first = tpugraphs_raw_offsets(raw, "row_offset", f->items, f->entries, 0,
                                         "where each item begins, and the end", why);
    return why->status;
}

static ag_status read_items(nests_rows_file *f, const tpugraphs_raw *raw, ag_failure *why)
{
    f->group = take_some(raw, "row_group", AG_I64, f->items, "the group of each item", why);
    if (!why->status)
        f->runtime =
            take_some(raw, "config_runtime", AG_I64, f->items, "the run time of each item", why);
    return why->status;
}

static ag_status check_rows(const nests_rows_file *f, int columns, const char *name,
                            ag_failure *why)
{
    const int64_t cells = (int64_t)f->rows * columns;
    for (int64_t i = 0; i < cells; i++)
        if (!isfinite(f->x[i]))
            return ag_fail(why, AG_EDATA, "%s: row_feature[%lld,%lld] is %g, but must be finite",
                           name, (long long)(i / columns), (long long)(i % columns),
                           (double)f->x[i]);
    for (int i = 0; i < f->rows; i++)
        if (!(f->work[i] > 1e-30 && f->work[i] < 1e30))
            return ag_fail(why, AG_EDATA,
                           "%s: row_work[%d] is %g, but must be above 1e-30 and below 1e30", name,
                           i, f->work[i]);
    return AG_OK;
}

static ag_status check_entries(const nests_rows_file *f, const char *name, ag_failure *why)
{
    for (int64_t e = 0; f->index && e < f->entries; e++)
        if (f->index[e] < 0 || f->index[e] >= f->rows)
            return ag_fail(why, AG_EDATA, "%s: row_index[%lld] is %d, but rows are 0 to %d", name,
                           (long long)e, f->index[e], f->rows - 1);
    for (int64_t e = 0; f->times && e < f->entries; e++)
        if (!(f->times[e] >= 0 && f->times[e] < 1e30F))
            return ag_fail(why, AG_EDATA,
                           "%s: row_count[%lld] is %g, but must be at least 0 and below 1e30", name,
                           (long long)e, (double)f->times[e]);
    return AG_OK;
}

static ag_status check_items(const nests_rows_file *f, const char *name, ag_failure *why)
{
    for (int i = 1; f->group && i < f->items; i++)
        if (f->group[i] < f->group[i - 1])
            return ag_fail(why, AG_EDATA,
                           "%s: row_group[%d] is %lld after %lld, but the items of a group follow "
                           "each other, in the order of the groups' numbers",
                           name, i, (long long)f->group[i], (long long)f->group[i - 1]);
    for (int i = 0; f->runtime && i < f->items; i++)
        if (f->runtime[i] < 0)
            return ag_fail(why, AG_EDATA,
                           "%s: config_runtime[%d] is %lld, but must be at least 1 ns, or 0: not "
                           "known",
                           name, i, (long long)f->runtime[i]);
    return AG_OK;
}

ag_status nests_rows_file_read(nests_rows_file *f, int *columns, tpugraphs_raw *raw,
                               ag_failure *why)
{
    static const char read[] =
        "row_feature row_work row_offset row_index row_count row_group config_runtime";
    raw->npz = ag_npz_open(raw->path, SIZE_MAX / 2, why);
    if (!raw->npz || read_sizes(f, columns, raw, why)) return why->status;
    f->x = take(raw, "row_feature", AG_F32, (int64_t)f->rows * *columns, why);
    if (f->x) f->work = take(raw, "row_work", AG_F64, f->rows, why);
    if (why->status || read_entries(f, raw, why) || read_items(f, raw, why) ||
        check_rows(f, *columns, raw->name, why) || check_entries(f, raw->name, why) ||
        check_items(f, raw->name, why))
        return why->status;
    return tpugraphs_raw_verify(raw, read, why);
}

void nests_rows_file_free(nests_rows_file *f)
{
    void *const block[] = {f->x, f->work, f->first, f->index, f->times, f->group, f->runtime};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++) ag_free(block[k]);
    *f = (nests_rows_file){0};
}

static int row_at(const nests_rows_file *f, int64_t entry)
{
    return f->index ? f->index[entry] : (int)entry;
}

/* The range of the rows that items count, and how often they do. */
static int64_t find_range(int *low, int *end, const nests_rows_file *f, const int64_t *first,
                          const int *item, int n)
{
    int64_t entries = 0;
    *low = f->rows;
    *end = 0;
    for (int i = 0; i < n; i++) {
        const int64_t from = first[item[i]], to = first[item[i] + 1];
        entries += to - from;
        for (int64_t e = from; e < to; e++) {
            const int row = row_at(f, e);
            if (row < *low) *low = row;
            if (row >= *end) *end = row + 1;
        }
    }
    return entries;
}

static int copy_row(nests_rows *r, const nests_rows_file *f, int columns, int row)
{
    const float *x = f->x + (size_t)row * (size_t)columns;
    memcpy(stbds_arraddnptr(r->x, columns), x, (size_t)columns * sizeof *x);
    bag_add(r->work, f->work[row]);
    return ++r->rows;
}

static void drop(void *memory)
{
    int32_t *copy = memory;
    bag_free(copy);
}

ag_status nests_table_take(nests_rows *r, const nests_data *data, int group, const int *item, int n,
                           ag_failure *why)
{
    const nests_group *g = &data->group[group];
    const nests_rows_file *f = g->source;
    const int64_t *first = f->first + g->start;
    int low, end;
    const int64_t entries = find_range(&low, &end, f, first, item, n);
    if (entries > INT32_MAX / 2)
        return ag_fail(why, AG_EMEMORY, "%.160s: %lld counts of rows at once; take fewer items",
                       g->name, (long long)entries);
    nests_rows_clear(r);
    /* 1 + the number of a row that is copied, for as many as are between: a table has the rows of
       many groups */
    const int rows = end > low ? end - low : 0;
    int32_t *copy = r->memory;
    bag_resize(copy, rows);
    r->memory = copy;
    r->drop = drop;
    if (rows) memset(copy, 0, (size_t)rows * sizeof *copy);
    for (int i = 0; i < n; i++) {
        for (int64_t e = first[item[i]]; e < first[item[i] + 1]; e++) {
            int32_t *of = &copy[row_at(f, e) - low];
            if (!*of) *of = copy_row(r, f, data->columns, row_at(f, e));
            bag_add(r->row, *of - 1);
            bag_add(r->times, f->times ? f->times[e] : 1);
        }
        bag_add(r->first, bag_count(r->row));
    }
    r->items = n;
    return AG_OK;
}
