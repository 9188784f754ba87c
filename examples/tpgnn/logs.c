/* SPDX-License-Identifier: MIT */
/* A log: its lines, one after the other, as records. */
#include "core/save.h"
#include "examples/tpgnn/logs_lines.h"
#include "examples/tpgnn/logs_parts.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_LIMIT = 16 << 20 };

struct tpgnn_log {
    char *name;
    tpgnn_log_options options;
    tpgnn_lines *lines;
    char **hash; /* bag: of the workloads; NULL: of a bad line */
    int has_hashes, told;
    int64_t skipped;
    json_t *json;
    tpgnn_parse parse;
    tpgnn_record record;
};

static void forget(tpgnn_log *log)
{
    tpgnn_parse *p = &log->parse;
    bag_free(p->seconds);
    bag_free(p->entity);
    harness_free(p->task);
    harness_free(p->target);
    json_decref(log->json);
    log->json = NULL;
    log->record = (tpgnn_record){.version = "", .task = "", .target = "", .mean = (double)NAN};
    *p = (tpgnn_parse){.name = log->name,
                       .record = &log->record,
                       .hash = log->hash,
                       .hashes = bag_count(log->hash),
                       .has_hashes = log->has_hashes};
}

static void finish(tpgnn_log *log)
{
    tpgnn_parse *p = &log->parse;
    tpgnn_record *r = &log->record;
    double sum = 0;
    r->line = p->number;
    r->json = log->json;
    r->entity = p->entity;
    r->entities = bag_count(p->entity);
    r->seconds = p->seconds;
    r->runs = bag_count(p->seconds);
    if (p->task) r->task = p->task;
    if (p->target) r->target = p->target;
    for (int i = 0; i < r->runs; i++) sum += r->seconds[i];
    if (r->runs) r->mean = sum / r->runs;
}

/* A line as JSON, or NULL with a sentence. */
static json_t *parse_line(const tpgnn_parse *p, const tpgnn_lines *l)
{
    json_error_t error;
    json_t *json = json_loadb(l->text, l->bytes, JSON_REJECT_DUPLICATES, &error);
    if (!json) tpgnn__bad(p, "no JSON at byte %d: %.160s", error.position, error.text);
    return json;
}

/* Reports a bad line (1: go on) or leaves it in `why`. */
static int pass_over(tpgnn_log *log, const ag_failure *bad, ag_failure *why)
{
    if (log->options.bad == TPGNN_BAD_REFUSE) {
        ag_fail(why, bad->status, "%s", bad->sentence);
        return 0;
    }
    if (log->options.report) log->options.report(log->options.context, bad->sentence);
    log->skipped++;
    return 1;
}

static int is_comment(const tpgnn_lines *l)
{
    if (l->bytes == 0 || l->text[0] == '#' || l->text[0] == ' ') return 1;
    return l->bytes == 1 && l->text[0] == '\r';
}

/* The next line that is JSON, after the bad ones before it; NULL: the end, or a failure. With
   `slot` a bad line leaves a NULL among the workloads. */
static json_t *next_json(tpgnn_log *log, tpgnn_lines *l, int slot, ag_failure *why)
{
    for (;;) {
        ag_failure bad = {0};
        tpgnn_line_is is = tpgnn_lines_next(l);
        log->parse.number = l->number;
        log->parse.why = &bad;
        if (is == TPGNN_LINE_UNREAD)
            ag_fail(why, AG_EFILE, "%s cannot be read behind line %lld: %s",
                    ag__path_tail(log->parse.name), (long long)l->number, strerror(errno));
        if (is == TPGNN_LINE_UNREAD || is == TPGNN_LINE_END) return NULL;
        if (is == TPGNN_LINE && is_comment(l)) continue;
        if (is == TPGNN_LINE_LONG)
            tpgnn__bad(&log->parse,
                       "the line has over %zu bytes; raise --line-limit if it is a record",
                       l->limit);
        json_t *json = is == TPGNN_LINE ? parse_line(&log->parse, l) : NULL;
        if (json) return json;
        if (!pass_over(log, &bad, why)) return NULL;
        if (slot) bag_add(log->hash, NULL);
    }
}

static ag_status read_workloads(tpgnn_log *log, FILE *file, const char *name, ag_failure *why)
{
    tpgnn_lines *l = tpgnn_lines_new(file, log->options.line_limit);
    json_t *json;
    forget(log);
    log->parse.name = name;
    log->has_hashes = 1;
    while (!why->status && (json = next_json(log, l, 1, why))) {
        ag_failure bad = {0};
        log->parse.why = &bad;
        const char *hash = tpgnn__workload(&log->parse, json);
        if (hash || pass_over(log, &bad, why)) bag_add(log->hash, hash ? harness_copy(hash) : NULL);
        json_decref(json);
    }
    tpgnn_lines_free(l);
    forget(log);
    return why->status;
}

static tpgnn_log *new_log(FILE *records, const char *name, tpgnn_log_options options)
{
    tpgnn_log *log = harness_alloc(sizeof *log);
    log->name = harness_copy(name);
    log->options = options;
    if (!options.line_limit) log->options.line_limit = LINE_LIMIT;
    log->lines = tpgnn_lines_new(records, log->options.line_limit);
    forget(log);
    return log;
}

/* Of the workloads beside it, if any. */
static tpgnn_log *with_workloads(tpgnn_log *log, FILE *workloads, const char *name, ag_failure *why)
{
    if (workloads && read_workloads(log, workloads, name, why)) {
        tpgnn_log_close(log);
        return NULL;
    }
    return log;
}

tpgnn_log *tpgnn_log_stream(FILE *records, FILE *workloads, const char *name,
                            tpgnn_log_options options, ag_failure *why)
{
    char *beside = harness_text("%s (workloads)", name);
    tpgnn_log *log = with_workloads(new_log(records, name, options), workloads, beside, why);
    harness_free(beside);
    return log;
}

/* The path of the workloads of a file of tuning records, or NULL when its name is not of the kind.
   The caller frees it. */
static char *workloads_path(const char *path)
{
    static const char part[] = "tuning_record";
    const char *base = strrchr(path, '/'), *at = strstr(base ? base : path, part);
    if (!at) return NULL;
    return harness_text("%.*sworkload%s", (int)(at - path), path, at + sizeof part - 1);
}

static FILE *open_file(const char *path, ag_failure *why)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        ag_fail(why, AG_EFILE, "%s cannot be read: %s", ag__path_tail(path), strerror(errno));
    return file;
}

tpgnn_log *tpgnn_log_open(const char *path, tpgnn_log_options options, ag_failure *why)
{
    struct stat about;
    const int folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    char *own = harness_text("%s%s", path, folder ? "/database_tuning_record.json" : "");
    char *beside = workloads_path(own);
    FILE *records = open_file(own, why), *workloads = NULL;
    tpgnn_log *log = NULL;
    if (records && beside && stat(beside, &about) == 0) workloads = open_file(beside, why);
    if (records && !why->status)
        log = with_workloads(new_log(records, own, options), workloads, beside, why);
    else if (records)
        fclose(records);
    harness_free(beside);
    harness_free(own);
    return log;
}

/* Says once that tasks have numbers for names. */
static void tell_of_numbers(tpgnn_log *log)
{
    char text[400];
    if (log->told || log->has_hashes || !log->options.report) return;
    log->told = 1;
    snprintf(text, sizeof text,
             "%s: there are no workloads beside these records, so their tasks are numbers",
             ag__path_tail(log->name));
    log->options.report(log->options.context, text);
}

const tpgnn_record *tpgnn_log_next(tpgnn_log *log, ag_failure *why)
{
    while (!why->status) {
        ag_failure bad = {0};
        forget(log);
        log->json = next_json(log, log->lines, 0, why);
        if (!log->json) return NULL;
        log->parse.why = &bad;
        if (!tpgnn__record(&log->parse, log->json)) {
            finish(log);
            if (log->record.kind == TPGNN_METASCHEDULE) tell_of_numbers(log);
            return &log->record;
        }
        pass_over(log, &bad, why);
    }
    return NULL;
}

int64_t tpgnn_log_skipped(const tpgnn_log *log) { return log->skipped; }

void tpgnn_log_close(tpgnn_log *log)
{
    if (!log) return;
    forget(log);
    for (int i = 0; i < bag_count(log->hash); i++) harness_free(log->hash[i]);
    bag_free(log->hash);
    tpgnn_lines_free(log->lines);
    harness_free(log->name);
    harness_free(log);
}
