/* SPDX-License-Identifier: MIT */
/* The contents of a TPU model's checkpoint besides its parameters (docs/formats.md). */
#ifndef TPU_CHECKPOINT_H
#define TPU_CHECKPOINT_H

#include "examples/tpu/program.h"

typedef struct tpu_checkpoint {
    tpu_options model;
    tpu_scaler scaler;
    double
        offset; /* mean of ln(ns) of the training kernels; 0 for losses that do not depend on it */
    harness_state progress;
    char *configuration, *data; /* JSON: all options; task, kernels and hash of the training data */
} tpu_checkpoint;

void tpu_checkpoint_free(tpu_checkpoint *c);

/* JSON, owned by the caller (harness_free). */
char *tpu_data_json(const tpu_data *data);

/* resume 1: with both moments and the step of the optimizer. Fails: as ag_params_save. */
ag_status tpu_checkpoint_save(const char *path, const tpu_model *model, const tpu_checkpoint *c,
                              int resume, ag_failure *why);

/* Reads a checkpoint, makes the model that it describes and loads it. Start from {0}; free both in
   any case. Fails: AG_EFILE, AG_EDATA, AG_ESHAPE, AG_EFINITE, AG_EMEMORY. */
ag_status tpu_checkpoint_load(const char *path, tpu_model *model, tpu_checkpoint *c,
                              ag_failure *why);

/* Loads parameters, moments and progress into a model that is there, for --resume. `c` holds what
   the run would store now: other options or data are refused. */
ag_status tpu_checkpoint_resume(const char *path, tpu_model *model, tpu_checkpoint *c,
                                ag_failure *why);

#endif
