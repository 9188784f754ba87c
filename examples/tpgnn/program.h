/* SPDX-License-Identifier: MIT */
/* The program `tpgnn`: its options, and what its commands are. */
#ifndef TPGNN_PROGRAM_H
#define TPGNN_PROGRAM_H

#include "examples/harness/harness.h"

#define TPGNN_VERSION "0.1.0"

/* All options, by the names of options.c. */
typedef struct tpgnn_settings {
    harness_common common;
    /* logs */
    harness_paths logs;
    int bad;
    int64_t line_limit;
} tpgnn_settings;

extern const harness_program tpgnn_program_table;

/* The commands. */
ag_status tpgnn_logs_command(harness_call *call, ag_failure *why);
ag_status tpgnn_inspect_command(harness_call *call, ag_failure *why);

#endif
