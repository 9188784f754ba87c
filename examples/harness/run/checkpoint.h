/* SPDX-License-Identifier: MIT */
/* The contents, besides parameters, of the checkpoints of all programs (docs/formats.md). */
#ifndef HARNESS_CHECKPOINT_H
#define HARNESS_CHECKPOINT_H

#include "examples/harness/run/trainer.h"

/* Writes parameters, the program's own tensors and the state of the run. resume 1: with both
   moments and the step of the optimizer. Fails: as ag_params_save. */
ag_status harness_checkpoint_save(const char *path, ag_params *params, const harness_state *state,
                                  const ag_checkpoint_item *extra, int extras,
                                  const ag_checkpoint_pair *pair, int pairs, int resume,
                                  ag_failure *why);

/* Reads the state of the run. resume 1: all of it, and the step must be the optimizer's. Fails:
   AG_EDATA, AG_ESHAPE. */
ag_status harness_checkpoint_state(harness_state *state, const ag_params *params, const char *path,
                                   const ag_checkpoint *file, int resume, ag_failure *why);

/* A text of the metadata, "" without one; the caller frees it (harness_free). */
char *harness_checkpoint_text(const ag_checkpoint *file, const char *key);

/* The options of the run, from its metadata "configuration", into `values`; free them in any case
   (harness_options_free). Fails: AG_EDATA. */
harness_options *harness_checkpoint_options(const harness_program *program, void *values,
                                            const char *path, const char *configuration,
                                            ag_failure *why);

/* Compares the shapes of parameters, which need not be built, with those in the file. Fails:
   AG_EDATA. */
ag_status harness_checkpoint_shapes(const ag_checkpoint *file, const ag_params *params,
                                    ag_failure *why);

/* Closes a file after reading. Tensors whose shapes contradict the file's own metadata are bad
   data, so AG_ESHAPE in `why`, which would be a defect of the program, becomes AG_EDATA. */
void harness_checkpoint_close(ag_checkpoint *file, ag_failure *why);

/* The path of a run's best (or last) checkpoint. A run that was interrupted early has no best one;
   its last one is used. The caller frees it (harness_free). */
char *harness_checkpoint_choose(const char *folder, int last);

#endif
