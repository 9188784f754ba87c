/* SPDX-License-Identifier: MIT */
/* The frame of the example programs. A program is a table of options, a table of commands, and
   harness_main; docs/adding-a-model.md builds one.

   Every function that takes `why` needs one (never NULL), empty when the call begins.
   Unlike the library, the harness ends the program when there is no memory: one sentence on stderr
   and exit 5, except in a call of harness_guest. */
#ifndef HARNESS_H
#define HARNESS_H

#include "examples/harness/base/base.h"
#include "examples/harness/cli/program.h"
#include "examples/harness/run/run.h"
#include "examples/harness/rank/measures.h"
#include "examples/harness/report/report.h"
#include "examples/harness/study/study.h"

#ifdef __cplusplus
# error "the harness is C"
#endif

/* Reads the command line, runs the command, prints its error sentence and returns the exit code.
   --run and --resume read the run's config.json first, so that only differences need be typed. */
int harness_main(const harness_program *program, int argc, char **argv);

int harness_exit_code(ag_status status);

#endif
