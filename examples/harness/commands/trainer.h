/* SPDX-License-Identifier: MIT */
/* The steps of a training run. */
#ifndef HARNESS_TRAINER_H
#define HARNESS_TRAINER_H

#include "examples/harness/model/trained.h"

/* Begins the run in its folder, or continues from its last checkpoint; the parameters move to the
   tape's device. A finished run goes on to a larger number of steps: its schedule starts again,
   over the steps that are added, from the rate of the last step or from another --learning-rate. */
ag_status harness__trainer_open(harness_session *s, ag_failure *why);

/* Runs all remaining steps. Fails: AG_ESTOPPED (interrupted; it has saved), and as
   harness_session_step. */
ag_status harness__trainer_run(harness_session *s, ag_failure *why);

/* Saves HARNESS_LAST (everything for --resume) or HARNESS_BEST. */
ag_status harness__trainer_save(harness_session *s, const char *name, ag_failure *why);

/* ---- several ranks (trainer_ranks.c); with one, nothing is done ---- */

/* Makes the processes that a launcher of MPI started one run; those of other commands are calls of
   their own. Fails: AG_EUSE. */
ag_status harness__trainer_join(harness_call *call, ag_failure *why);
/* Fails: AG_EUSE (a rank differs in build, processor, options, data or weights), AG_EDEVICE. */
ag_status harness__trainer_compare(const harness_session *s, ag_failure *why);
/* On CUDA: links the GPUs by NCCL if possible; prints a line that says so or why not. */
ag_status harness__trainer_link(harness_session *s, ag_failure *why);
/* After a step: *sum gets the losses of all shards. Fails: AG_EDATA (other weights), AG_EDEVICE. */
ag_status harness__trainer_meet(harness_session *s, double *sum, ag_failure *why);
/* harness_go_on, on which all ranks agree. */
bool harness__trainer_goes_on(const harness_session *s, ag_failure *why);

#endif
