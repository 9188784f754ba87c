/* SPDX-License-Identifier: MIT */
/* Tables and JSON of a ranking model. */
#include "examples/harness/rank/rank_internal.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

int harness__sides(int side[2], const harness_rank *r)
{
    const char *name = harness__form(r)->against;
    side[0] = 0;
    side[1] = 1;
    for (int m = 1; name && m < r->methods; m++)
        if (strcmp(r->method[m], name) == 0) side[1] = m;
    return r->methods > 1 ? 2 : 1;
}

/* ---- a table of rows, and one of families ---- */

enum { NAME = 96, MOST = 4 + 2 * HARNESS_MEASURES };

/* The columns after the first `n`: a measure of the model, then of the method that it is compared
   with. */
static harness_table *new_table(const char *title, const char **column, int n,
                                const harness_rank *r)
{
    const harness_rank_form *form = harness__form(r);
    char text[MOST][NAME];
    int side[2], sides = harness__sides(side, r);
    for (int k = 0; k < harness__count(form, form->main); k++) {
        const char *name = harness_measure_name(form->measure[k]);
        for (int i = 0; i < sides; i++, n++) {
            snprintf(text[n], NAME, "%.60s %s", r->method[side[i]], name);
            column[n] = sides > 1 ? text[n] : name;
        }
    }
    return harness_table_new(title, column, n);
}

typedef enum mean_kind { ROW, MEAN, MEDIAN, GEOMETRIC, FAMILY, FAMILIES } mean_kind;

static double value_of(const harness_rank *r, int method, harness_measure measure, mean_kind mean,
                       int of)
{
    switch (mean) {
    case ROW: return harness_rank_at(r, method, of)->of[measure];
    case MEDIAN: return harness_rank_over(r, method, measure).median;
    case GEOMETRIC: return harness_rank_over(r, method, measure).geometric;
    case FAMILY: return harness__mean_of_family(r, method, measure, of);
    case FAMILIES: return harness__mean_over_families(r, method, measure);
    default: return harness_rank_mean(r, method, measure);
    }
}

static void add_numbers(harness_table *t, const harness_rank *r, mean_kind mean, int of)
{
    const harness_rank_form *form = harness__form(r);
    int side[2], sides = harness__sides(side, r);
    for (int k = 0; k < harness__count(form, form->main); k++)
        for (int i = 0; i < sides; i++)
            harness_table_number(t, value_of(r, side[i], form->measure[k], mean, of),
                                 harness_measure_digits(form->measure[k]));
}

/* Sums over the rows of a family, -1: all. */
typedef struct counts {
    int64_t rows, groups, items, counted;
} counts;

static counts count_row(const harness_rank *r, int row)
{
    return (counts){1, r->row[row].groups, r->row[row].items, harness_rank_at(r, 0, row)->counted};
}

static counts count_rows(const harness_rank *r, int family)
{
    counts sum = {0};
    for (int i = 0; i < r->rows; i++) {
        if (family >= 0 && r->row[i].family != family) continue;
        const counts c = count_row(r, i);
        sum.rows++;
        sum.groups += c.groups;
        sum.items += c.items;
        sum.counted += c.counted;
    }
    return sum;
}

static void add_row(harness_table *t, const harness_rank *r, const char *name, counts c,
                    mean_kind mean, int of)
{
    harness_table_text(t, name);
    if (harness__form(r)->groups) harness_table_count(t, c.groups);
    harness_table_count(t, c.items);
    if (r->least > 0) harness_table_count(t, c.counted);
    add_numbers(t, r, mean, of);
}

static harness_table *rows_table(const harness_rank *r, const char *title)
{
    const harness_rank_form *form = harness__form(r);
    const char *column[MOST] = {form->row};
    int n = 1;
    if (form->groups) column[n++] = form->groups;
    column[n++] = form->items;
    if (r->least > 0) column[n++] = "counted";
    harness_table *t = new_table(title, column, n, r);
    const counts all = count_rows(r, -1);
    for (int i = 0; i < r->rows; i++) add_row(t, r, r->row[i].name, count_row(r, i), ROW, i);
    if (r->rows < 2) return t;
    if (form->median) add_row(t, r, "median", all, MEDIAN, 0);
    if (form->median) add_row(t, r, "geometric mean", all, GEOMETRIC, 0);
    add_row(t, r, "mean", all, MEAN, 0);
    return t;
}

static harness_table *families_table(const harness_rank *r)
{
    const harness_rank_form *form = harness__form(r);
    const char *column[MOST] = {"family", form->rows, form->items};
    harness_table *t = new_table("By family", column, 3, r);
    for (int f = 0; f <= r->families; f++) {
        const counts c = count_rows(r, f < r->families ? f : -1);
        if (!c.rows) continue;
        harness_table_text(t, f < r->families ? r->family_name[f] : "mean");
        harness_table_count(t, c.rows);
        harness_table_count(t, c.items);
        add_numbers(t, r, f < r->families ? FAMILY : FAMILIES, f);
    }
    return t;
}

/* ---- a table of methods ---- */

static harness_table *methods_table(const harness_rank *r, const char *over, mean_kind mean)
{
    const harness_rank_form *form = harness__form(r);
    const harness_measure first = form->measure[0];
    const int shown = harness__count(form, form->shown);
    const char *column[3 + HARNESS_MEASURES] = {"method"};
    char *title = harness_text("Mean over the %s", over),
         *geometric = harness_text("%s geometric mean", harness_measure_name(first));
    int n = 1;
    if (form->median) column[n++] = form->median;
    if (form->median) column[n++] = geometric;
    for (int k = 0; k < shown; k++) column[n++] = harness_measure_name(form->measure[k]);
    harness_table *t = harness_table_new(title, column, n);
    for (int m = 0; m < r->methods; m++) {
        harness_table_text(t, r->method[m]);
        for (mean_kind k = MEDIAN; form->median && k <= GEOMETRIC; k++)
            harness_table_number(t, value_of(r, m, first, k, 0), harness_measure_digits(first));
        for (int k = 0; k < shown; k++)
            harness_table_number(t, value_of(r, m, form->measure[k], mean, 0),
                                 harness_measure_digits(form->measure[k]));
    }
    harness_free(title);
    harness_free(geometric);
    return t;
}

int harness_rank_tables(harness_table *table[HARNESS_TABLES], const void *rank, const char *title)
{
    const harness_rank *r = rank;
    const harness_rank_form *form = harness__form(r);
    int n = 0;
    char *counted =
        harness_text("%s; %s of at least %.10g us", title, form->items, (double)r->least / 1000);
    table[n++] = rows_table(r, r->least > 0 ? counted : title);
    if (r->families > 1) table[n++] = families_table(r);
    table[n++] = methods_table(r, form->rows, MEAN);
    if (r->families > 1) table[n++] = methods_table(r, "families", FAMILIES);
    harness_free(counted);
    return n;
}

/* ---- JSON ---- */

static void add_methods(json_t *j, const harness_rank *r, mean_kind mean, int of)
{
    const harness_measure *list = harness__form(r)->measure;
    for (int m = 0; m < r->methods; m++) {
        json_t *values = json_object();
        for (int k = 0; list[k] < HARNESS_MEASURES; k++) {
            const double value = value_of(r, m, list[k], mean, of);
            json_object_set_new(values, harness_measure_name(list[k]),
                                isfinite(value) ? json_real(value) : json_null());
        }
        json_object_set_new(j, r->method[m], values);
    }
}

static json_t *row_json(const harness_rank *r, int row)
{
    const counts c = count_row(r, row);
    json_t *j = json_object();
    json_object_set_new(j, "group", harness_json_name(r->row[row].name));
    if (r->families)
        json_object_set_new(j, "family", harness_json_name(r->family_name[r->row[row].family]));
    if (harness__form(r)->groups)
        json_object_set_new(j, harness__form(r)->groups, json_integer(c.groups));
    json_object_set_new(j, "items", json_integer(c.items));
    if (r->least > 0) json_object_set_new(j, "counted", json_integer(c.counted));
    add_methods(j, r, ROW, row);
    return j;
}

static json_t *families_json(const harness_rank *r)
{
    json_t *list = json_array();
    for (int f = 0; f < r->families; f++) {
        const counts c = count_rows(r, f);
        if (!c.rows) continue;
        json_t *j = json_object();
        json_object_set_new(j, "family", harness_json_name(r->family_name[f]));
        json_object_set_new(j, "groups", json_integer(c.rows));
        json_object_set_new(j, "items", json_integer(c.items));
        add_methods(j, r, FAMILY, f);
        json_array_append_new(list, j);
    }
    return list;
}

static void add_mean(json_t *j, const char *name, const harness_rank *r, mean_kind mean)
{
    json_t *methods = json_object();
    add_methods(methods, r, mean, 0);
    json_object_set_new(j, name, methods);
}

struct json_t *harness_rank_json(const void *rank)
{
    const harness_rank *r = rank;
    const harness_rank_form *form = harness__form(r);
    json_t *j = json_object(), *rows = json_array();
    if (form->kind) json_object_set_new(j, "kind", json_string(form->kind));
    for (int i = 0; i < r->rows; i++) json_array_append_new(rows, row_json(r, i));
    json_object_set_new(j, "groups", rows);
    if (r->families) json_object_set_new(j, "families", families_json(r));
    if (form->median) add_mean(j, "median", r, MEDIAN);
    if (form->median) add_mean(j, "geometric mean", r, GEOMETRIC);
    add_mean(j, "mean", r, MEAN);
    if (r->families) add_mean(j, "mean over families", r, FAMILIES);
    return j;
}
