/* SPDX-License-Identifier: MIT */
/* The summary as a table and as JSON. */
#include "examples/tpgnn/logs_summary.h"

#include <jansson.h>
#include <math.h>

enum { SHOWN = 64 }; /* bytes of a task in the table */

/* The beginning of a text, without quotes, blanks behind commas and what would move a terminal's
   cursor; the caller frees it. */
static char *shortened(const char *text)
{
    char shown[SHOWN + 1];
    size_t n = 0;
    const char *c = text;
    for (; *c && n < SHOWN; c++) {
        if (*c == '"' || (*c == ' ' && c > text && c[-1] == ',')) continue;
        shown[n++] = (unsigned char)*c < 32 || *c == 127 ? '?' : *c;
    }
    while (*c && n > 0 && ((unsigned char)*c & 0xC0) == 0x80) c--, n--; /* no half of a letter */
    return harness_text("%.*s%s", (int)n, shown, *c ? "..." : "");
}

/* "647 run timeout, 3 runtime device"; the caller frees it. */
static char *errors_text(const int64_t failed[TPGNN_ERRORS])
{
    char *text = harness_copy("");
    for (int i = 1; i < TPGNN_ERRORS; i++) {
        if (!failed[i]) continue;
        char *longer = harness_text("%s%s%lld %s", text, *text ? ", " : "", (long long)failed[i],
                                    tpgnn_error_names[i]);
        harness_free(text);
        text = longer;
    }
    return text;
}

harness_table *tpgnn_log_summary_table(const tpgnn_log_summary *s, const char *title)
{
    static const char *const columns[] = {"log",     "task",      "records",  "valid",
                                          "best us", "median us", "worst us", "failed"};
    harness_table *table = harness_table_new(title, columns, 8);
    for (int i = 0; i < s->tasks; i++) {
        const tpgnn_log_task *t = &s->task[i];
        char *task = shortened(t->task), *errors = errors_text(t->failed);
        harness_table_text(table, tpgnn_log_kind_names[t->kind]);
        harness_table_text(table, task);
        harness_table_count(table, t->records);
        harness_table_count(table, t->valid);
        harness_table_number(table, 1e6 * t->best, 2);
        harness_table_number(table, 1e6 * t->median, 2);
        harness_table_number(table, 1e6 * t->worst, 2);
        harness_table_text(table, errors);
        harness_free(task);
        harness_free(errors);
    }
    return table;
}

static json_t *counts_json(const int64_t *count, const char *const *name, int n)
{
    json_t *j = json_object();
    for (int i = 0; i < n; i++)
        if (count[i]) json_object_set_new(j, name[i], json_integer(count[i]));
    return j;
}

static json_t *seconds_json(double x) { return isnan(x) ? json_null() : json_real(x); }

json_t *tpgnn_log_summary_json(const tpgnn_log_summary *s)
{
    json_t *list = json_array();
    for (int i = 0; i < s->tasks; i++) {
        const tpgnn_log_task *t = &s->task[i];
        json_t *j = json_object();
        json_object_set_new(j, "log", json_string(tpgnn_log_kind_names[t->kind]));
        json_object_set_new(j, "task", json_string(t->task));
        json_object_set_new(j, "target", json_string(t->target));
        json_object_set_new(j, "records", json_integer(t->records));
        json_object_set_new(j, "valid", json_integer(t->valid));
        json_object_set_new(j, "failed", counts_json(t->failed, tpgnn_error_names, TPGNN_ERRORS));
        json_object_set_new(j, "best_s", seconds_json(t->best));
        json_object_set_new(j, "median_s", seconds_json(t->median));
        json_object_set_new(j, "worst_s", seconds_json(t->worst));
        if (t->kind == TPGNN_ANSOR)
            json_object_set_new(j, "steps", counts_json(t->steps, tpgnn_step_names, TPGNN_STEPS));
        json_array_append_new(list, j);
    }
    return list;
}
