/* SPDX-License-Identifier: MIT */
/* The results of a ranking model as JSON. */
#include "examples/harness/rank/rank_internal.h"

#include <jansson.h>

static void put(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, harness_json_number(value));
}

static void add_methods(json_t *j, const harness_rank *r, harness_mean mean, int of)
{
    const harness_measure *list = r->form.measure;
    for (int m = 0; m < r->methods; m++) {
        json_t *values = json_object();
        for (int k = 0; list[k] < HARNESS_MEASURES; k++) {
            put(values, harness_measures[list[k]].name, harness__number(r, m, list[k], mean, of));
        }
        json_object_set_new(j, r->method[m], values);
    }
}

static json_t *row_json(const harness_rank *r, int row)
{
    const harness_rank_row *c = &r->row[row];
    json_t *j = json_pack("{s:o}", "group", harness_json_name(c->name));
    if (r->families) json_object_set_new(j, "family", harness_json_name(r->family_name[c->family]));
    if (r->form.groups) json_object_set_new(j, r->form.groups, json_integer(c->groups));
    json_object_set_new(j, "items", json_integer(c->items));
    if (r->least > 0) json_object_set_new(j, "counted", json_integer(c->counted));
    add_methods(j, r, HARNESS_ROW, row);
    return j;
}

static json_t *families_json(const harness_rank *r)
{
    json_t *list = json_array();
    for (int f = 0; f < r->families; f++) {
        const harness_rank_row c = harness__sum_rows(r, f);
        if (!c.rows) continue;
        json_t *j = json_pack("{s:o, s:I, s:I}", "family", harness_json_name(r->family_name[f]),
                              "groups", (json_int_t)c.rows, "items", (json_int_t)c.items);
        add_methods(j, r, HARNESS_FAMILY, f);
        json_array_append_new(list, j);
    }
    return list;
}

static void add_mean(json_t *j, const char *name, const harness_rank *r, harness_mean mean)
{
    json_t *methods = json_object();
    add_methods(methods, r, mean, 0);
    json_object_set_new(j, name, methods);
}

struct json_t *harness_rank_json(const harness_rank *r)
{
    json_t *j = json_object(), *rows = json_array();
    if (r->form.kind) json_object_set_new(j, "kind", json_string(r->form.kind));
    for (int i = 0; i < r->rows; i++) json_array_append_new(rows, row_json(r, i));
    json_object_set_new(j, "groups", rows);
    if (r->families) json_object_set_new(j, "families", families_json(r));
    if (r->form.median) add_mean(j, "median", r, HARNESS_MEDIAN);
    if (r->form.median) add_mean(j, "geometric mean", r, HARNESS_GEOMETRIC);
    add_mean(j, "mean", r, HARNESS_MEAN);
    if (r->families) add_mean(j, "mean over families", r, HARNESS_FAMILIES);
    json_t *left = harness__left_json(r);
    if (json_array_size(left)) json_object_set(j, "left_out", left);
    json_decref(left);
    return j;
}

void harness_rank_result(struct json_t *result, const harness_rank *r)
{
    json_t *scores = json_object(), *groups = json_array();
    for (int i = 0; i < r->rows; i++)
        json_array_append_new(groups,
                              json_pack("{s:o}", "group", harness_json_name(r->row[i].name)));
    for (int k = 0; k < harness__count(r, r->form.studied); k++) {
        const harness_measure measure = r->form.measure[k];
        put(scores, harness_measures[measure].name, harness_rank_mean(r, 0, measure));
        if (!k && r->form.median)
            put(scores, r->form.median, harness__number(r, 0, measure, HARNESS_MEDIAN, 0));
        for (int i = 0; i < r->rows; i++)
            put(json_array_get(groups, (size_t)i), harness_measures[measure].name,
                harness_rank_at(r, 0, i)->of[measure]);
    }
    json_object_set_new(result, "scores", scores);
    json_object_set_new(result, "groups", groups);
}
