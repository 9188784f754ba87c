/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the run folder share. */
#ifndef HARNESS_RUN_INTERNAL_H
#define HARNESS_RUN_INTERNAL_H

#include "examples/harness/base/bag.h"
#include "examples/harness/run/run.h"

enum { HARNESS_JSONL, HARNESS_CSV, HARNESS_TIMING, HARNESS_ROWS };

struct harness_run {
    const char *folder;
    harness_run_mode mode;
    const char **columns;     /* stb_ds array */
    FILE *rows[HARNESS_ROWS]; /* metrics.jsonl, metrics.csv, timing.jsonl */
    int lock;                 /* of the folder */
    bool made;                /* the folder was not there */
};

ag_status harness__open_metrics(harness_run *run, ag_failure *why);
ag_status harness__close_metrics(harness_run *run, ag_failure *why);

#endif
