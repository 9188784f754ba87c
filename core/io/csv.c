/* SPDX-License-Identifier: MIT */
/* Tables of numbers in text: a line of names, then a row per line, fields between commas. */
#define _GNU_SOURCE /* newlocale, strtod_l */
#include "core/float_mode.h"
#include "core/error.h"
#include "core/io/npz_internal.h"
#include "core/memory.h"

#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Where a reader is; `at` goes on to the end. */
typedef struct text {
    const char *path;
    char *at, *end;
    int line;
    locale_t plain; /* numbers have a point in it, whatever the process has chosen */
} text;

/* The next field of a line, without its quotes and the space around it, as a string of its own;
 *last: 1 if the line ends after it. NULL: its quote is not closed. */
static char *next_field(text *t, int *last)
{
    char *from, *to;
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t')) t->at++;
    from = to = t->at;
    if (*t->at == '"') {
        for (t->at++; *t->at && (*t->at != '"' || t->at[1] == '"'); *to++ = *t->at++)
            if (*t->at == '"') t->at++;
        if (!*t->at) return NULL;
        t->at++;
        while (*t->at && *t->at != ',' && *t->at != '\n') t->at++;
    } else {
        while (*t->at && *t->at != ',' && *t->at != '\n') t->at++;
        to = t->at;
        while (to > from && strchr(" \t\r", to[-1])) to--;
    }
    *last = *t->at != ',';
    t->line += *t->at == '\n';
    if (t->at < t->end) t->at++;
    *to = 0;
    return from;
}

static int skip_empty_lines(text *t) /* 1: there is a line left */
{
    for (; t->at < t->end && strchr("\r\n", *t->at); t->at++) t->line += *t->at == '\n';
    return t->at < t->end;
}

/* Fields of the line that begins here, and lines from here on, at most. */
static void count(const text *t, int64_t *fields, int64_t *lines)
{
    *fields = *lines = 1;
    for (const char *c = t->at; c < t->end && *c != '\n'; c++) *fields += *c == ',';
    for (const char *c = t->at; c < t->end; c++) *lines += *c == '\n';
}

static ag_status read_names(ag_csv *csv, text *t, int64_t most, ag_failure *why)
{
    for (int last = 0; !last; csv->columns++) {
        if (csv->columns == most)
            return ag_fail(why, AG_EDATA,
                           "%s: a name goes over the end of the first line; give every column a "
                           "name without line breaks",
                           t->path);
        if (!(csv->name[csv->columns] = next_field(t, &last)))
            return ag_fail(why, AG_EDATA, "%s, line %d: a quote is not closed", t->path, t->line);
    }
    return AG_OK;
}

static ag_status read_row(ag_csv *csv, text *t, ag_failure *why)
{
    const int line = t->line;
    int column = 0;
    for (int last = 0; !last; column++) {
        char *end, *field = next_field(t, &last);
        if (!field)
            return ag_fail(why, AG_EDATA, "%s, line %d: a quote is not closed", t->path, line);
        if (column == csv->columns) {
            while (!last && next_field(t, &last)) column++;
            column++;
            break;
        }
        const double value = strtod_l(field, &end, t->plain);
        if (end == field || *end)
            return ag_fail(why, AG_EDATA,
                           "%s, line %d, column \"%s\": \"%s\" is not a number; give every text a "
                           "number of its own, and drop the lines where one is missing",
                           t->path, line, csv->name[column], field);
        csv->value[(int64_t)csv->rows * csv->columns + column] = (ag_real)value;
    }
    if (column != csv->columns)
        return ag_fail(why, AG_EDATA,
                       "%s, line %d has %d fields, but the first line names %d columns", t->path,
                       line, column, csv->columns);
    csv->rows++;
    return AG_OK;
}

/* The table of a text, which stays with it for the names. */
static ag_csv *read_table(text *t, ag_failure *why)
{
    int64_t fields, lines;
    ag_status status = AG_OK;
    skip_empty_lines(t);
    count(t, &fields, &lines);
    ag_csv *csv = ag_alloc(sizeof *csv);
    if (csv) *csv = (ag_csv){0};
    if (csv) csv->name = ag_alloc(ag_size_mul((size_t)fields, sizeof *csv->name));
    if (!csv || !csv->name) {
        ag_free(csv);
        ag_fail(why, AG_EMEMORY, "no memory for the table of %s", t->path);
        return NULL;
    }
    status = read_names(csv, t, fields, why);
    const size_t values = ag_size_mul((size_t)csv->columns, (size_t)lines);
    csv->value = ag_alloc(ag_size_mul(values, sizeof *csv->value));
    if (!csv->value)
        status = ag_fail(why, AG_EMEMORY, "no memory for the %zu numbers of %s", values, t->path);
    while (status == AG_OK && skip_empty_lines(t)) status = read_row(csv, t, why);
    if (status == AG_OK) return csv;
    ag_csv_free(csv);
    return NULL;
}

ag_csv *ag_csv_load(const char *path, ag_failure *why)
{
    ag_failure here = {0};
    ag_csv *csv = NULL;
    int64_t bytes;
    if (!path) {
        ag__refuse_null(why, "ag_csv_load", "path");
        return NULL;
    }
    FILE *file = ag__open_regular(path, &bytes, &here);
    text t = {.path = ag_path_tail(path), .line = 1};
    char *all = file ? ag_alloc(ag_size_add((size_t)bytes, 1)) : NULL;
    if (file && !all)
        ag_fail(&here, AG_EMEMORY, "no memory for the %lld bytes of %s", (long long)bytes, t.path);
    if (file && bytes > INT_MAX)
        ag_fail(&here, AG_ESHAPE,
                "%s has %lld bytes; of a text at most 2^31 - 1 are read, so store the "
                "numbers as .npz",
                t.path, (long long)bytes);
    if (!here.status && fread(all, 1, (size_t)bytes, file) != (size_t)bytes)
        ag_fail(&here, AG_EFILE, "cannot read %s to its end", t.path);
    if (file) fclose(file);
    const char *other = here.status ? NULL : ag_file_mistaken(path);
    if (other) ag_fail(&here, AG_EDATA, "%s %s", t.path, other);
    if (!here.status && memchr(all, 0, (size_t)bytes))
        ag_fail(&here, AG_EDATA, "%s is not text: it has bytes of 0", t.path);
    t.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!t.plain) ag_fail(&here, AG_EMEMORY, "no memory for the numbers of %s", t.path);
    if (!here.status) {
        const uint64_t mode = ag__float_mode_enter();
        t.at = all + (bytes > 2 && !memcmp(all, "\xef\xbb\xbf", 3) ? 3 : 0);
        t.end = all + bytes;
        *t.end = 0;
        csv = read_table(&t, &here);
        ag__float_mode_set(mode);
    }
    if (csv)
        csv->text = all;
    else
        ag_free(all);
    if (t.plain) freelocale(t.plain);
    if (here.status) ag_fail(why, here.status, "%s", here.sentence);
    return csv;
}

int ag_csv_column(const ag_csv *csv, const char *name)
{
    for (int i = 0; csv && name && i < csv->columns; i++)
        if (!strcmp(csv->name[i], name)) return i;
    return -1;
}

void ag_csv_free(ag_csv *csv)
{
    if (!csv) return;
    ag_free(csv->name);
    ag_free(csv->value);
    ag_free(csv->text);
    ag_free(csv);
}
