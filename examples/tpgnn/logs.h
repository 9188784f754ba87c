/* SPDX-License-Identifier: MIT */
/* Logs of TVM's tuners, read a line at a time: what was measured, of which task, and how fast it
   ran. Three formats, told apart by the line (docs/formats.md):

       Ansor          {"i": [[task, target, ...], [[], [step, ...]]], "r": [...], "v": "v0.6"}
       AutoTVM        {"input": [target, template, arguments, {}], "config": {...}, "result": [...]}
       MetaSchedule   [workload, [trace, seconds, target, arguments]]

   A bad line never stops the program: it is reported with its number and skipped or refused. */
#ifndef TPGNN_LOGS_H
#define TPGNN_LOGS_H

#include "core/core.h"

struct json_t;

typedef enum tpgnn_log_kind {
    TPGNN_ANSOR,
    TPGNN_AUTOTVM,
    TPGNN_METASCHEDULE,
    TPGNN_LOG_KINDS
} tpgnn_log_kind;

enum {
    TPGNN_ERRORS = 10, /* 0 to 8 as TVM numbers them, and: was not measured */
    TPGNN_STEPS = 14   /* kinds of steps of Ansor */
};

extern const char *const tpgnn_log_kind_names[TPGNN_LOG_KINDS];
extern const char *const tpgnn_error_names[TPGNN_ERRORS];
extern const char *const tpgnn_step_names[TPGNN_STEPS]; /* "AN", "FU", ... */

/* A knob of AutoTVM's configuration. */
typedef struct tpgnn_entity {
    const char *name;
    const char *kind; /* "sp" split: list of ints; "re" reorder: list of ints; "an" annotate: list
                         of words; "ot" other: any value */
    const struct json_t *value;
} tpgnn_entity;

/* One record; it and all that it points to live until the next call for the same log. */
typedef struct tpgnn_record {
    tpgnn_log_kind kind;
    int64_t line;           /* from 1 */
    const char *version;    /* "v0.2" to "v0.6", "0.2"; MetaSchedule writes none: "" */
    const char *task;       /* Ansor: workload key; AutoTVM: template and arguments; MetaSchedule:
                               structural hash of the module, or "workload N" where there is none */
    const char *target;     /* "": not said */
    int error;              /* index into tpgnn_error_names; 0: none */
    int runs;               /* 0 when there was an error */
    const double *seconds;  /* [runs], each above 0 */
    double mean;            /* of the seconds; NaN without */
    int steps[TPGNN_STEPS]; /* Ansor: how many of each kind */
    int instructions;       /* MetaSchedule: of the trace */
    const tpgnn_entity *entity; /* AutoTVM: [entities] */
    int entities;
    const struct json_t *json; /* the whole line */
} tpgnn_record;

/* What happens with a line that is no good record. */
enum { TPGNN_BAD_SKIP, TPGNN_BAD_REFUSE };

typedef struct tpgnn_log_options {
    int bad;
    size_t line_limit;                                   /* bytes of the longest line; 0: 16 MB */
    void (*report)(void *context, const char *sentence); /* of what is skipped; may be NULL */
    void *context;
} tpgnn_log_options;

typedef struct tpgnn_log tpgnn_log;

/* Opens a log. A folder is a database of MetaSchedule; of NAMEtuning_recordNAME the workloads are
   read from NAMEworkloadNAME beside it, when that is there. NULL with `why` filled: AG_EFILE (no
   such file), AG_EDATA (refused workloads). */
tpgnn_log *tpgnn_log_open(const char *path, tpgnn_log_options options, ag_failure *why);

/* The same of open streams, which are closed with the log (and when this fails). workloads may be
   NULL; `name` is what sentences call the log. */
tpgnn_log *tpgnn_log_stream(FILE *records, FILE *workloads, const char *name,
                            tpgnn_log_options options, ag_failure *why);

/* The next good record, or NULL: at the end, or with `why` filled: AG_EFILE (the file cannot be
   read), AG_EDATA (a bad line is refused). Lines that are empty or begin with '#' or a blank are no
   records and are passed over, as TVM does. */
const tpgnn_record *tpgnn_log_next(tpgnn_log *log, ag_failure *why);

int64_t tpgnn_log_skipped(const tpgnn_log *log); /* bad lines so far */
void tpgnn_log_close(tpgnn_log *log);            /* NULL is allowed */

#endif
