/* SPDX-License-Identifier: MIT */
/* What a log holds, task by task. */
#ifndef TPGNN_LOGS_SUMMARY_H
#define TPGNN_LOGS_SUMMARY_H

#include "examples/harness/harness.h"
#include "examples/tpgnn/logs.h"

/* One task: the same kind of log, task and target. Run times are means of a record's, in s. */
typedef struct tpgnn_log_task {
    tpgnn_log_kind kind;
    char *task, *target;
    int64_t records, valid, failed[TPGNN_ERRORS];
    int64_t steps[TPGNN_STEPS]; /* Ansor: of all records */
    double best, median, worst; /* NaN when no record is valid */
    double *mean;               /* [valid] */
} tpgnn_log_task;

typedef struct tpgnn_log_summary {
    tpgnn_log_task *task; /* [tasks], in the order of their first records */
    int tasks;
    void *index;
} tpgnn_log_summary;

/* Adds a record; start from {0}. Keeps 8 bytes of each. */
void tpgnn_log_summary_add(tpgnn_log_summary *s, const tpgnn_record *r);
/* Computes best, median and worst of all that was added so far. */
void tpgnn_log_summary_finish(tpgnn_log_summary *s);
void tpgnn_log_summary_free(tpgnn_log_summary *s);

/* A row per task, and a list of objects with all there is; the caller frees. */
harness_table *tpgnn_log_summary_table(const tpgnn_log_summary *s, const char *title);
struct json_t *tpgnn_log_summary_json(const tpgnn_log_summary *s);

#endif
