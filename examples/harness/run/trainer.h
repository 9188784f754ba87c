/* SPDX-License-Identifier: MIT */
/* The steps of a training run, for the files of the session. */
#ifndef HARNESS_TRAINER_H
#define HARNESS_TRAINER_H

#include "examples/harness/run/model.h"

/* Makes the run folder, or continues from its last checkpoint; the parameters move to the tape's
   device. A finished run goes on to a larger number of steps: its schedule begins anew, over the
   steps that are added, from the rate of the last step or from another --learning-rate. */
ag_status harness__trainer_open(harness_session *s, harness_run_mode mode, ag_failure *why);

/* Runs all remaining steps. Fails: AG_ESTOPPED (interrupted; it has saved), and as
   harness_session_step. */
ag_status harness__trainer_run(harness_session *s, ag_failure *why);

/* Whether patience is at its end, before all steps are done; and a sentence about it. */
bool harness__trainer_stopped(const harness_session *s);
void harness__trainer_say_stopped(const harness_session *s);

/* Saves HARNESS_LAST (everything for --resume) or HARNESS_BEST. */
ag_status harness__trainer_save(harness_session *s, const char *name, ag_failure *why);

/* The schedule of the steps from state->begun on, which is its step 0. */
ag_schedule harness__trainer_schedule(const harness_training *how, const harness_state *state);

/* Continues from the last checkpoint. */
ag_status harness__trainer_resume(harness_session *s, ag_failure *why);

#endif
