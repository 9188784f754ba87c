/* SPDX-License-Identifier: MIT */
/* Tables of a ranking model. */
#include "examples/harness/rank/rank_internal.h"

#include <jansson.h>
#include <string.h>

int harness__sides(int side[2], const harness_rank *r)
{
    const char *name = r->form.against;
    side[0] = 0;
    side[1] = 1;
    for (int m = 1; name && m < r->methods; m++)
        if (strcmp(r->method[m], name) == 0) side[1] = m;
    return (r->ceiling ? r->ceiling : r->methods) > 1 ? 2 : 1;
}

bool harness__is_own(const harness_rank *r, int m)
{
    return strncmp(r->method[m], r->method[0], strlen(r->method[0])) == 0;
}

const char *harness__winner(const harness_rank *r)
{
    const harness_measure first = r->form.measure[0];
    const int digits = harness_measures[first].digits,
              sign = harness_measures[first].smaller ? -1 : 1;
    const double model = harness_rank_mean(r, 0, first);
    double best = model;
    int winner = 0;
    for (int m = 1; m < (r->ceiling ? r->ceiling : r->methods); m++) {
        const double mean = harness_rank_mean(r, m, first);
        if (harness__is_own(r, m) || !(sign * mean > sign * best)) continue;
        best = mean;
        winner = m;
    }
    if (!winner) return NULL;
    return harness_format("On these %s the method \"%s\" (%s %.*f) is better than %s (%.*f).",
                          r->form.rows, r->method[winner], harness_measures[first].name, digits,
                          best, r->method[0], digits, model);
}

/* ---- a table of rows, and one of families ---- */

static void add_number(harness_table *t, const char *column, const harness_rank *r, int method,
                       harness_measure measure, harness_mean mean, int of)
{
    harness_table_number(t, column, harness__number(r, method, measure, mean, of),
                         harness_measures[measure].digits);
}

/* Each measure of the model, then of the method that it is compared with. */
static void add_numbers(harness_table *t, const harness_rank *r, harness_mean mean, int of)
{
    int side[2], sides = harness__sides(side, r);
    for (int k = 0; k < harness__count(r, r->form.main); k++)
        for (int i = 0; i < sides; i++) {
            const char *name = harness_measures[r->form.measure[k]].name;
            if (sides > 1) name = harness_format("%s %s", r->method[side[i]], name);
            add_number(t, name, r, side[i], r->form.measure[k], mean, of);
            if (sides > 1 && i == 0) harness_table_own_column(t);
        }
}

static void add_row(harness_table *t, const harness_rank *r, const char *name,
                    const harness_rank_row *c, harness_mean mean, int of)
{
    harness_table_text(t, r->form.row, name);
    if (r->form.groups) harness_table_count(t, r->form.groups, c->groups);
    harness_table_count(t, r->form.items, c->items);
    if (r->least > 0) harness_table_count(t, "counted", c->counted);
    add_numbers(t, r, mean, of);
}

static harness_table *rows_table(const harness_rank *r, const char *title)
{
    harness_table *t = harness_table_new(title);
    const harness_rank_row all = harness__sum_rows(r, -1);
    for (int i = 0; i < r->rows; i++) add_row(t, r, r->row[i].name, &r->row[i], HARNESS_ROW, i);
    if (r->rows < 2) return t;
    if (r->form.median) add_row(t, r, "median", &all, HARNESS_MEDIAN, 0);
    if (r->form.median) add_row(t, r, "geometric mean", &all, HARNESS_GEOMETRIC, 0);
    add_row(t, r, "mean", &all, HARNESS_MEAN, 0);
    return t;
}

static harness_table *families_table(const harness_rank *r)
{
    harness_table *t = harness_table_new("By family");
    for (int f = 0; f <= r->families; f++) {
        const bool all = f == r->families;
        const harness_rank_row c = harness__sum_rows(r, all ? -1 : f);
        if (!c.rows) continue;
        harness_table_text(t, "family", all ? "mean" : r->family_name[f]);
        harness_table_count(t, r->form.rows, c.rows);
        harness_table_count(t, r->form.items, c.items);
        add_numbers(t, r, all ? HARNESS_FAMILIES : HARNESS_FAMILY, f);
    }
    return t;
}

/* ---- the groups that means leave out, and the reasons ---- */

static const char *const reason[HARNESS_LEFTS] = {
    [HARNESS_NONE_COUNTS] = "no run time that counts",
    [HARNESS_ONE_COUNTS] = "only one run time that counts",
    [HARNESS_ALL_EQUAL] = "equal run times only",
    [HARNESS_ALL_NEAR] = "only run times that differ by 2 % or less",
};

/* The groups of a reason, over all rows. A group is left out for all methods alike. */
static int64_t count_left(const harness_rank *r, harness_left left)
{
    int64_t n = 0;
    for (int i = 0; i < r->rows; i++) n += harness_rank_at(r, 0, i)->left[left];
    return n;
}

/* The names of the first measures of the form, all of them for 0, that are left out. */
static const char *list_measures(const harness_rank *r, int shown, harness_left left)
{
    const char *all = "";
    for (int k = 0; k < harness__count(r, shown); k++)
        if (harness_measure_left(r->form.measure[k], left))
            all = harness_format("%s%s%s", all, *all ? ", " : "",
                                 harness_measures[r->form.measure[k]].name);
    return all;
}

/* Says under a table of means what they leave out. */
static void note_left(harness_table *t, const harness_rank *r)
{
    const char *groups = r->form.groups ? r->form.groups : r->form.rows;
    for (int k = 0; k < HARNESS_LEFTS; k++) {
        const long long n = count_left(r, (harness_left)k);
        const char *measures = list_measures(r, r->form.shown, (harness_left)k);
        if (n && *measures)
            harness_table_note(t, harness_format("%lld of %d %s left out of the means of %s: %s", n,
                                                 r->groups, groups, measures, reason[k]));
    }
    for (int m = 0; m < r->methods; m++) {
        const int n = harness__lacking(r, m);
        if (n)
            harness_table_note(t,
                               harness_format("%s has no means: it has no scores for %d of %d %s",
                                              r->method[m], n, r->groups, groups));
    }
}

json_t *harness__left_json(const harness_rank *r)
{
    json_t *list = json_array();
    for (int k = 0; k < HARNESS_LEFTS; k++) {
        const int64_t n = count_left(r, (harness_left)k);
        if (!n) continue;
        json_t *measures = json_array();
        for (int i = 0; i < harness__count(r, 0); i++)
            if (harness_measure_left(r->form.measure[i], (harness_left)k))
                json_array_append_new(measures,
                                      json_string(harness_measures[r->form.measure[i]].name));
        json_array_append_new(list, json_pack("{s:I, s:s, s:o}", "groups", (json_int_t)n, "because",
                                              reason[k], "measures", measures));
    }
    return list;
}

static harness_table *methods_table(const harness_rank *r, const char *over, harness_mean mean)
{
    const harness_measure first = r->form.measure[0];
    const char *geometric = harness_format("%s geometric mean", harness_measures[first].name);
    harness_table *t = harness_table_new(harness_format("Mean over the %s", over));
    for (int m = 0; m < r->methods; m++) {
        harness_table_text(t, "method", r->method[m]);
        if (harness__is_own(r, m)) harness_table_own_row(t);
        if (r->form.median) add_number(t, r->form.median, r, m, first, HARNESS_MEDIAN, 0);
        if (r->form.median) add_number(t, geometric, r, m, first, HARNESS_GEOMETRIC, 0);
        for (int k = 0; k < harness__count(r, r->form.shown); k++) {
            const harness_measure measure = r->form.measure[k];
            add_number(t, harness_measures[measure].name, r, m, measure, mean, 0);
        }
    }
    if (mean == HARNESS_MEAN) note_left(t, r);
    return t;
}

int harness_rank_tables(harness_table *table[HARNESS_TABLES], const harness_rank *r,
                        const char *title)
{
    int n = 0;
    if (r->least > 0)
        title = harness_format("%s; %s of at least %.10g us", title, r->form.items,
                               (double)r->least / 1000);
    table[n++] = rows_table(r, title);
    if (r->families > 1) table[n++] = families_table(r);
    table[n++] = methods_table(r, r->form.rows, HARNESS_MEAN);
    if (r->families > 1) table[n++] = methods_table(r, "families", HARNESS_FAMILIES);
    return n;
}

void harness_rank_print(const harness_rank *r, const char *title)
{
    harness_table *table[HARNESS_TABLES];
    const int tables = harness_rank_tables(table, r, title);
    for (int i = 0; i < tables; i++) {
        if (i) putchar('\n');
        harness_table_print(stdout, table[i]);
        harness_table_free(table[i]);
    }
    for (int m = 1; m < r->methods; m++) {
        printf("%s%s: ", m > 1 ? "" : "\n", r->method[m]);
        harness_show(stdout, r->note[m]);
        putchar('\n');
    }
}
