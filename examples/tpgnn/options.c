/* SPDX-License-Identifier: MIT */
/* The option table. */
#include "examples/tpgnn/program.h"

/* Names without "tpgnn_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(tpgnn_settings, M)
#define WORD(M)  HARNESS_WORD(tpgnn_settings, M)
#define BYTES(M) HARNESS_BYTES(tpgnn_settings, M)

static const harness_option table[] = {
    HARNESS_COMMON_OPTIONS(tpgnn_settings, common),

    {"log", FIELD(logs), .commands = HARNESS_LOGS, .needed = HARNESS_LOGS, .flags = HARNESS_LOCAL,
     .meta = "FILE...", .group = "Logs",
     .help =
         "logs of Ansor or AutoTVM, tuning records of MetaSchedule or folders of its databases"},
    {"bad", WORD(bad), "skip", .choices = "skip|refuse", .commands = HARNESS_LOGS,
     .flags = HARNESS_LOCAL, .group = "Logs",
     .help = "a line that is no good record: say so and go on, or stop"},
    {"line-limit", BYTES(line_limit), "16M", 1024, 1 << 30, HARNESS_LOGS, .flags = HARNESS_LOCAL,
     .group = "Logs", .help = "longest line; reading it may take 20 times as much memory"},
};

static const harness_command commands[] = {
    {"logs", HARNESS_LOGS, "say what logs of TVM's tuners hold", "log", tpgnn_logs_command},
    {"inspect", HARNESS_INSPECT, "say what files of schedules hold", "data", tpgnn_inspect_command},
};

const harness_program tpgnn_program_table = {
    "tpgnn",
    TPGNN_VERSION,
    "TPGNN, a cost model for the schedules of tensor programs in TVM",
    table,
    (int)(sizeof table / sizeof *table),
    commands,
    (int)(sizeof commands / sizeof *commands),
    sizeof(tpgnn_settings)};
