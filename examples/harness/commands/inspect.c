/* SPDX-License-Identifier: MIT */
/* The command `inspect`: what files hold. */
#include "examples/harness/commands/inspect.h"
#include "core/error.h"
#include "examples/harness/files/files.h"
#include "examples/harness/rank/rank.h"

#include <jansson.h>
#include <math.h>

void harness_inspect_row(harness_inspection *to)
{
    to->row = json_object();
    json_array_append_new(to->json, to->row);
    if (to->title && !to->table) to->table = harness_table_new(to->title);
}

/* Takes the value. */
static void set(harness_inspection *to, const char *key, json_t *value)
{
    if (key)
        json_object_set_new(to->row, key, value);
    else
        json_decref(value);
}

void harness_inspect_text(harness_inspection *to, const char *key, const char *column,
                          const char *text)
{
    set(to, key, harness_json_name(text));
    if (column) harness_table_text(to->table, column, text);
}

void harness_inspect_count(harness_inspection *to, const char *key, const char *column, int64_t n)
{
    set(to, key, json_integer(n));
    if (column) harness_table_count(to->table, column, n);
}

void harness_inspect_number(harness_inspection *to, const char *key, const char *column, double x,
                            int digits)
{
    set(to, key, json_real(x));
    if (column) harness_table_number(to->table, column, x, digits);
}

void harness_inspect_ns(harness_inspection *to, const char *key, const char *column, int64_t ns,
                        int digits)
{
    set(to, key, json_integer(ns));
    if (column)
        harness_table_number(to->table, column, ns ? (double)ns * 1e-3 : (double)NAN, digits);
}

static void print_text(harness_inspection *to)
{
    if (to->text && !to->settings->common.json) fputs(to->text, stdout);
    harness_free(to->text);
    to->text = NULL;
}

static void print(harness_inspection *to, ag_failure *why)
{
    if (to->settings->common.json)
        harness_json_print(json_incref(to->json), why);
    else if (to->table)
        harness_table_print(stdout, to->table);
    print_text(to);
}

static void add_group(harness_inspection *to, const harness_ranked *g)
{
    int64_t fastest = 0, slowest = 0;
    for (int i = 0; g->actual && i < g->items; i++) {
        const int64_t ns = g->actual[i];
        if (ns && (!fastest || ns < fastest)) fastest = ns;
        if (ns > slowest) slowest = ns;
    }
    harness_inspect_row(to);
    harness_inspect_text(to, "group", "group", g->name);
    harness_inspect_count(to, "items", "items", g->items);
    harness_inspect_ns(to, "fastest_ns", "fastest us", fastest, 3);
    harness_inspect_ns(to, "slowest_ns", "slowest us", slowest, 3);
}

/* For a model that has nothing of its own to say. */
static void add_groups(harness_inspection *to, const harness_model *m, void *data)
{
    void *results = harness_alloc(m->results_bytes);
    m->open(results, data, to->settings);
    to->title = harness_text("%d groups", harness_rank_groups(results));
    for (int i = 0; i < harness_rank_groups(results); i++) {
        const harness_ranked g = harness_rank_group_at(results, i);
        add_group(to, &g);
    }
    harness_rank_close(results);
    harness_free(results);
}

static void inspect_all(harness_inspection *to, const harness_model *m, ag_failure *why)
{
    const harness_runs none = {.model = m};
    void *data = harness_alloc(m->data_bytes);
    if (!m->read_scored(data, &none, to->settings, false, why)) {
        if (m->inspect)
            m->inspect(to, data);
        else
            add_groups(to, m, data);
        print(to, why);
    }
    m->close(data);
    harness_free(data);
}

/* ---- one file at a time ---- */

/* A file that cannot be read is reported, and the inspection continues with the next one. */
static void inspect_each(harness_inspection *to, const harness_model *m, ag_failure *why)
{
    harness_files files = {0};
    int bad = 0;
    harness_files_read(&files, &to->settings->common.data, "data", why);
    for (int i = 0; i < files.count && harness_go_on(why); i++) {
        ag_failure mine = {0};
        m->inspect_file(to, files.path[i], &mine);
        print_text(to);
        if (mine.status && (files.count == 1 || mine.status == AG_EMEMORY))
            ag_fail(why, mine.status, "%s", mine.sentence);
        else if (mine.status) {
            harness_error(mine.sentence);
            bad++;
        }
    }
    if (!why->status) print(to, why);
    if (!why->status && bad)
        ag_fail(why, AG_EDATA, "%d of %d files cannot be read; see above", bad, files.count);
    harness_files_free(&files);
}

ag_status harness_inspect_command(harness_call *call, ag_failure *why)
{
    const harness_model *m = call->program->model;
    harness_inspection to = {.settings = call->values, .json = json_array()};
    if (m->inspect_file)
        inspect_each(&to, m, why);
    else
        inspect_all(&to, m, why);
    harness_table_free(to.table);
    harness_free(to.title);
    json_decref(to.json);
    return why->status;
}
