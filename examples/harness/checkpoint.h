/* SPDX-License-Identifier: MIT */
/* What the checkpoints of all programs hold beside parameters (docs/formats.md). */
#ifndef HARNESS_CHECKPOINT_H
#define HARNESS_CHECKPOINT_H

#include "examples/harness/trainer.h"

/* Writes parameters, the program's own tensors and where the run stands. resume 1: with both
   moments and the step of the optimizer. Fails: as ag_params_save. */
ag_status harness_checkpoint_save(const char *path, ag_params *params, const harness_state *state,
                                  const ag_checkpoint_item *extra, int extras,
                                  const ag_checkpoint_pair *pair, int pairs, int resume,
                                  ag_failure *why);

/* Reads where the run stands. resume 1: all of it, and the step must be the optimizer's. Fails:
   AG_EDATA, AG_ESHAPE. */
ag_status harness_checkpoint_state(harness_state *state, const ag_params *params, const char *path,
                                   const ag_checkpoint *file, int resume, ag_failure *why);

/* A text of the metadata, "" without one; the caller frees it (harness_free). */
char *harness_checkpoint_text(const ag_checkpoint *file, const char *key);

/* Fails with AG_EUSE unless a text of the metadata is what this call would write. */
ag_status harness_checkpoint_same(const char *path, const ag_checkpoint *file, const char *key,
                                  const char *now, const char *advice, ag_failure *why);

/* The path of a run's best (or last) checkpoint; without a best one (a run that was interrupted
   early) the last one serves. The caller frees it (harness_free). */
char *harness_checkpoint_choose(const char *folder, int last);

#endif
