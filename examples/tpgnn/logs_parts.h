/* SPDX-License-Identifier: MIT */
/* What the three formats share. */
#ifndef TPGNN_LOGS_PARTS_H
#define TPGNN_LOGS_PARTS_H

#include "examples/harness/bag.h"
#include "examples/tpgnn/logs.h"

#include <jansson.h>

/* What TVM writes for "no run time" is this (AutoTVM) or more (the others), in seconds. */
#define TPGNN_NO_TIME 1e9

/* One line on its way to a record. The record's texts are owned here or by `json`. */
typedef struct tpgnn_parse {
    const char *name; /* of the log */
    int64_t number;
    ag_failure *why;
    tpgnn_record *record;
    double *seconds;      /* bag */
    tpgnn_entity *entity; /* bag */
    char *task, *target;
    char *const *hash; /* [hashes] of the workloads; NULL: of a bad line */
    int hashes;
    int has_hashes; /* 0: there are no workloads to look at */
} tpgnn_parse;

/* "NAME line 3: ..."; returns AG_EDATA. */
ag_status tpgnn__bad(const tpgnn_parse *p, const char *format, ...) AG_PRINTF(2, 3);

/* The beginning of a value, for a sentence. */
const char *tpgnn__shown(char text[48], const json_t *value);

/* [[seconds, ...], error number, seconds in all, time]: Ansor's "r" and AutoTVM's "result". */
ag_status tpgnn__result(tpgnn_parse *p, const char *name, const json_t *result);

/* Each fills the record from a line of its format. */
ag_status tpgnn__ansor(tpgnn_parse *p, const json_t *line);
ag_status tpgnn__autotvm(tpgnn_parse *p, const json_t *line);
ag_status tpgnn__metaschedule(tpgnn_parse *p, const json_t *line);

/* The structural hash of a line of a database's workloads, or NULL with a sentence. */
const char *tpgnn__workload(const tpgnn_parse *p, const json_t *line);

/* Which format a line has. */
ag_status tpgnn__record(tpgnn_parse *p, const json_t *line);

#endif
