/* SPDX-License-Identifier: MIT */
/* `tpgnn logs`: what logs of TVM's tuners hold. */
#include "core/save.h"
#include "examples/tpgnn/logs_summary.h"
#include "examples/tpgnn/program.h"

#include <jansson.h>

enum { SAID = 5 }; /* bad lines of a file that are told in full */

typedef struct reader {
    const tpgnn_settings *s;
    tpgnn_log_summary summary;
    json_t *files;
    int64_t records, skipped;
    int said;
} reader;

static void say(void *context, const char *sentence)
{
    reader *r = context;
    if (r->said++ < SAID) harness_warn("%s", sentence);
}

static void end_file(reader *r, const char *path, int64_t records, int64_t skipped)
{
    json_t *j = json_object();
    json_object_set_new(j, "file", harness_json_name(path));
    json_object_set_new(j, "records", json_integer(records));
    json_object_set_new(j, "skipped", json_integer(skipped));
    json_array_append_new(r->files, j);
    r->records += records;
    r->skipped += skipped;
    if (skipped)
        harness_warn("%s: %lld bad lines were skipped, %lld records read", ag__path_tail(path),
                     (long long)skipped, (long long)records);
}

static ag_status read_file(reader *r, const char *path, ag_failure *why)
{
    const tpgnn_log_options options = {r->s->bad, (size_t)r->s->line_limit, say, r};
    r->said = 0;
    tpgnn_log *log = tpgnn_log_open(path, options, why);
    const tpgnn_record *record;
    int64_t records = 0;
    while (log && !harness_interrupted() && (record = tpgnn_log_next(log, why))) {
        tpgnn_log_summary_add(&r->summary, record);
        records++;
    }
    if (log && !why->status) end_file(r, path, records, tpgnn_log_skipped(log));
    tpgnn_log_close(log);
    return why->status;
}

static ag_status show(reader *r, ag_failure *why)
{
    const tpgnn_log_summary *s = &r->summary;
    if (r->s->common.json) {
        json_t *j = json_object();
        json_object_set(j, "files", r->files);
        json_object_set_new(j, "tasks", tpgnn_log_summary_json(s));
        return harness_json_print(j, why);
    }
    char *title =
        harness_text("Logs: %lld records of %d tasks in %d files, %lld bad lines",
                     (long long)r->records, s->tasks, r->s->logs.count, (long long)r->skipped);
    harness_table *table = tpgnn_log_summary_table(s, title);
    harness_table_print(stdout, table);
    harness_table_free(table);
    harness_free(title);
    return AG_OK;
}

ag_status tpgnn_logs_command(harness_call *call, ag_failure *why)
{
    reader r = {.s = call->values, .files = json_array()};
    const harness_paths *logs = &r.s->logs;
    for (int i = 0; i < logs->count && !why->status && !harness_interrupted(); i++)
        read_file(&r, logs->list[i], why);
    if (!why->status && !r.records && !harness_interrupted())
        ag_fail(why, AG_EDATA, "%s holds no record; are these logs of TVM's tuners?",
                ag__path_tail(logs->list[0]));
    tpgnn_log_summary_finish(&r.summary);
    if (!why->status && !harness_interrupted()) show(&r, why);
    tpgnn_log_summary_free(&r.summary);
    json_decref(r.files);
    return why->status;
}
