/* SPDX-License-Identifier: MIT */
/* With `eval --part`, a call scores a share of the files and keeps the outputs of its networks in
   an npz file. A last call takes the outputs from these files, runs no network, and computes all
   else from all data. Its results have the same bytes as those of a single call. This code knows no
   model. Functions with `why` return its status. */
#ifndef HARNESS_OUTPUTS_H
#define HARNESS_OUTPUTS_H

#include "core/io/io.h"
#include "examples/harness/model/model.h"

enum { HARNESS_OUTPUTS_RUNS = 63 }; /* ag_npz_open reads 64 arrays at most; one is the share */

/* Start from {0}; open, then either keep or take, and free it. */
typedef struct harness_outputs {
    int64_t key;       /* hash of all that the values depend on */
    ag_npz_writer *to; /* NULL: values are taken */
    ag_real *value;    /* [count] of the run, or all that there are to take */
    int64_t count, room;
    int64_t taken;
    int spoiled; /* the first run, from 1, with a value that is not finite; 0: all values kept are
                    finite */
} harness_outputs;

/* Opens `outputs` for these networks, the options of scores, and all files of --data. Fails:
   AG_EFILE. */
ag_status harness_outputs_open(harness_outputs *outputs, const harness_runs *runs,
                               const harness_program *program, const harness_options *options,
                               const harness_files *all, ag_failure *why);
/* Keeps the values of a share, which harness_outputs_save writes. */
ag_status harness_outputs_keep(harness_outputs *outputs, const char *path, harness_part part,
                               ag_failure *why);
ag_status harness_outputs_end_run(harness_outputs *outputs, int run, ag_failure *why);
/* Writes the file. Fails: AG_EFINITE (outputs->spoiled), AG_EFILE. */
ag_status harness_outputs_save(harness_outputs *outputs, ag_failure *why);
/* Takes the values of the files of all shares, in any order. Fails: AG_EUSE (other runs, options or
   data than those of `open`; a share is missing or named twice), AG_EFILE, AG_EDATA, AG_EMEMORY. */
ag_status harness_outputs_take(harness_outputs *outputs, const harness_paths *given, int runs,
                               ag_failure *why);
/* Fails with AG_EDATA unless as many values were taken as there are. */
ag_status harness_outputs_check(const harness_outputs *outputs, ag_failure *why);
void harness_outputs_free(harness_outputs *outputs);

#endif
