/* SPDX-License-Identifier: MIT */
/* Any bytes as a log of a tuner. The first byte says whether bad lines are skipped, and whether the
   part before the first line "=" is a database's workloads. */
#define _GNU_SOURCE /* fmemopen, memmem */
#include "examples/tpgnn/logs_summary.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int64_t said;

static void count(void *context, const char *sentence)
{
    (void)context;
    if (strncmp(sentence, "fuzz", 4) != 0) abort();
    said++;
}

/* What a record promises. */
static void check(const tpgnn_record *r)
{
    int64_t steps = 0;
    if (!r->task || !r->target || !r->version || !r->json || r->line < 1) abort();
    if (r->error < 0 || r->error >= TPGNN_ERRORS || (r->error == 0) != (r->runs > 0)) abort();
    for (int i = 0; i < r->runs; i++)
        if (!(r->seconds[i] > 0 && r->seconds[i] < 1e9)) abort();
    for (int i = 0; i < r->entities; i++)
        if (!r->entity[i].name || !r->entity[i].kind || !r->entity[i].value) abort();
    for (int i = 0; i < TPGNN_STEPS; i++) steps += r->steps[i];
    if (steps && r->kind != TPGNN_ANSOR) abort();
}

static void print(tpgnn_log_summary *s)
{
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    tpgnn_log_summary_finish(s);
    harness_table *table = tpgnn_log_summary_table(s, "fuzz");
    harness_table_print(to, table);
    harness_table_free(table);
    json_decref(tpgnn_log_summary_json(s));
    fclose(to);
    free(text);
}

static FILE *stream(const char *text, size_t n) { return fmemopen((void *)text, n ? n : 1, "r"); }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n < 2) return 0;
    const char *text = (const char *)bytes + 1, *mark = NULL;
    ag_failure why = {0};
    const tpgnn_log_options options = {bytes[0] & 1, bytes[0] & 4 ? 100 : 0, count, NULL};
    tpgnn_log_summary s = {0};
    const tpgnn_record *r;
    said = 0;
    n--;
    if (bytes[0] & 2) mark = memmem(text, n, "=\n", 2);
    FILE *workloads = mark && mark > text ? stream(text, (size_t)(mark - text)) : NULL;
    const char *from = mark ? mark + 2 : text;
    if (from == text + n) from = text;
    tpgnn_log *log =
        tpgnn_log_stream(stream(from, (size_t)(text + n - from)), workloads, "fuzz", options, &why);
    while (log && (r = tpgnn_log_next(log, &why))) {
        check(r);
        tpgnn_log_summary_add(&s, r);
    }
    if ((why.status == AG_OK) != (why.sentence[0] == 0)) abort();
    if (log && tpgnn_log_skipped(log) > said) abort();
    if (why.status && !(options.bad == TPGNN_BAD_REFUSE && why.status == AG_EDATA)) abort();
    tpgnn_log_close(log);
    print(&s);
    tpgnn_log_summary_free(&s);
    return 0;
}
