/* SPDX-License-Identifier: MIT */
/* The run folder: config.json, metrics.jsonl, metrics.csv, timing.jsonl, checkpoints, plots/ and
   report.html. */
#ifndef HARNESS_RUN_H
#define HARNESS_RUN_H

#include "examples/harness/cli/options.h"

typedef enum harness_run_mode {
    HARNESS_NEW,    /* the folder must be new or empty */
    HARNESS_RESUME, /* the folder must hold config.json */
    HARNESS_FORCE   /* the files of a run that are in it are removed, others stay */
} harness_run_mode;

/* The mode of a run, from --resume and --force. */
harness_run_mode harness_mode(const harness_common *common);

/* A run that is begun or goes on; NULL in a rank other than 0 (mpi/ranks.h), for which the
   functions do nothing. */
typedef struct harness_run harness_run;

/* Makes the folder (and those above it) or opens it, at the beginning of a call, which may read and
   compute for long before the run begins. Until the run is closed, no other program gets the
   folder. A folder that was made here is removed if it is empty and no run began in it. Fails:
   AG_EUSE (not empty and neither resumed nor forced; in use by another program), AG_EFILE. */
harness_run *harness_run_open(const char *folder, harness_run_mode mode, ag_failure *why);
/* Makes plots/, removes unfinished files of a killed program and what --force replaces, and opens
   the metrics. columns: the names of their columns without "step", which must outlive the run.
   Fails: AG_EUSE, AG_EFILE. */
ag_status harness_run_begin(harness_run *run, const char *const *columns, int count,
                            ag_failure *why);
/* Removes the first files of a run if its config.json cannot be written (the disk is full): the run
   could neither go on nor begin a second time. */
void harness_run_undo(const harness_run *run);
ag_status harness_run_close(harness_run *run, ag_failure *why);
/* Fails with AG_EFILE if the folder was removed, moved or replaced since it was opened: then
   another run may be in it. Call it before something is written there by name, or read from there.
   */
ag_status harness_run_stays(const harness_run *run, ag_failure *why);

/* "FOLDER/name", which the caller does not free. */
const char *harness_run_path(const harness_run *run, const char *name);

/* Whether a file is one of those that the programs write into a run folder. */
struct stat;
bool harness_run_holds(const char *folder, const struct stat *file);

/* Refuses a file of results (of --OPTION; NULL: there is none) that cannot be written, or that is
   one of the files or runs that the call reads, by any name or link. Fails: AG_EUSE, AG_EFILE, and
   as above. */
ag_status harness_files_check_output(const char *option, const char *output,
                                     const harness_paths *data, const char *run,
                                     const harness_paths *more_runs, ag_failure *why);

/* Writes config.json atomically (temporary file, fsync, rename): program, version, command, device
   and options; for a run that goes on only the options change. */
ag_status harness_run_config(const harness_run *run, const harness_options *o, ag_failure *why);

/* Reads FOLDER/config.json into the options. Fails: AG_EFILE, AG_EDATA. */
ag_status harness_run_read_config(const char *folder, harness_options *o, int resume,
                                  ag_failure *why);

/* Drops every row of metrics and timing after `step`, so that a resumed run leaves the bytes of an
   uninterrupted one. */
ag_status harness_run_rewind(harness_run *run, int64_t step, ag_failure *why);

/* Appends a row to metrics.jsonl and metrics.csv and flushes both. values: one per column, NaN:
   left out. Wall-clock times go to timing.jsonl instead, since two equal runs differ in them. */
ag_status harness_run_metrics(harness_run *run, int64_t step, const double *values,
                              ag_failure *why);
ag_status harness_run_timing(harness_run *run, int64_t step, const char *name, double seconds,
                             ag_failure *why);

/* Flushes metrics and timing to the disk; call it before a checkpoint is saved. */
ag_status harness_run_sync(harness_run *run, ag_failure *why);

/* Fills n, x and y with the steps and values of all rows of a metrics.jsonl or timing.jsonl that
   have a value in this column. x and y are one block, which starts at x (harness_free). */
struct harness_curve;
ag_status harness_run_column(struct harness_curve *curve, const char *path, const char *column,
                             ag_failure *why);

#endif
