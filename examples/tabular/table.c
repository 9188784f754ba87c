/* SPDX-License-Identifier: MIT */
/* Reads tables of CSV files, and ranks the items of each. */
#include "examples/tabular/table.h"

#include "core/error.h"
#include "examples/harness/harness.h"
#include "examples/harness/base/draws.h"
#include "core/io/io.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

/* The names of all columns but `ns`, between commas; to be freed. */
static char *join_names(const ag_csv *csv, int ns)
{
    size_t room = 1;
    for (int c = 0; c < csv->columns; c++) room += strlen(csv->name[c]) + 1;
    char *names = harness_alloc(room);
    for (int c = 0; c < csv->columns; c++)
        if (c != ns) strcat(strcat(names, *names ? "," : ""), csv->name[c]);
    return names;
}

/* All files have the same features. */
static ag_status check_names(tabular_tables *t, const char *path, const ag_csv *csv, int ns,
                             ag_failure *why)
{
    char *names = join_names(csv, ns);
    t->features = csv->columns - (ns >= 0);
    if (!t->features)
        ag_fail(why, AG_EDATA, "%.200s names no feature; name at least one column", path);
    else if (t->names && strcmp(t->names, names) != 0)
        ag_fail(why, AG_EDATA,
                "%.160s has the features \"%.100s\", but %.160s has \"%.100s\"; name files with "
                "the same ones",
                path, names, t->paths.path[0], t->names);
    else if (!csv->rows)
        ag_fail(why, AG_EDATA, "%.200s has no items; it needs a line of numbers", path);
    if (t->names)
        harness_free(names);
    else
        t->names = names;
    return why->status;
}

static ag_status take_numbers(tabular_table *g, const char *path, const ag_csv *csv, int ns,
                              ag_failure *why)
{
    const size_t rows = (size_t)csv->rows, columns = (size_t)csv->columns;
    float *x = g->feature = HARNESS_NEW(x, rows * columns);
    if (ns >= 0) g->ns = HARNESS_NEW(g->ns, rows);
    g->items = csv->rows;
    for (size_t i = 0; i < rows * columns; i++) {
        const double value = (double)csv->value[i];
        const int is_ns = (int)(i % columns) == ns;
        if (!isfinite(value) || (is_ns && (value < 1 || value >= 9e15 || value != floor(value))))
            return ag_fail(why, AG_EDATA,
                           "%.200s: \"%.100s\" of item %zu is %g; all numbers are finite, and ns a "
                           "whole one above 0",
                           path, csv->name[i % columns], i / columns + 1, value);
        if (is_ns)
            g->ns[i / columns] = (int64_t)value;
        else
            *x++ = (float)copysign(log1p(fabs(value)), value);
    }
    return AG_OK;
}

static void make_ranks(tabular_table *g)
{
    if (!g->ns) return;
    harness_timed *order = HARNESS_NEW(order, g->items);
    g->rank = HARNESS_NEW(g->rank, g->items);
    harness_ranks(g->rank, g->ns, g->items, order);
    harness_free(order);
}

static ag_status read_table(tabular_tables *t, const char *path, ag_failure *why)
{
    tabular_table *g = &t->table[t->count++];
    g->name = harness_copy(harness_files_base(path));
    char *ending = strstr(g->name, ".csv");
    if (ending && !ending[4]) *ending = 0;
    ag_csv *csv = ag_csv_load(path, why);
    if (!csv) return why->status;
    const int ns = ag_csv_column(csv, "ns");
    const size_t numbers = (size_t)csv->rows * (size_t)csv->columns;
    t->hash = XXH3_64bits_withSeed(csv->value, numbers * sizeof *csv->value, t->hash);
    if (!check_names(t, path, csv, ns, why) && !take_numbers(g, path, csv, ns, why)) make_ranks(g);
    ag_csv_free(csv);
    return why->status;
}

ag_status tabular_read(tabular_tables *t, const harness_paths *given, const char *option,
                       ag_failure *why)
{
    if (harness_files_read(&t->paths, given, option, why)) return why->status;
    t->table = HARNESS_NEW(t->table, t->paths.count);
    for (int i = 0; i < t->paths.count && harness_go_on(why); i++)
        read_table(t, t->paths.path[i], why);
    return why->status;
}

void tabular_free(tabular_tables *t)
{
    for (int i = 0; i < t->count; i++) {
        harness_free(t->table[i].name);
        harness_free(t->table[i].feature);
        harness_free(t->table[i].ns);
        harness_free(t->table[i].rank);
    }
    harness_free(t->table);
    harness_free(t->names);
    harness_files_free(&t->paths);
    *t = (tabular_tables){0};
}

char *tabular_json(const tabular_tables *t)
{
    return harness_json_text(json_pack("{so si so}", "features", harness_json_name(t->names),
                                       "groups", t->count, "xxh3", harness_json_hash(t->hash)));
}
