/* SPDX-License-Identifier: MIT */
/* Predictions of trained models for the lab's kernels. */
#ifndef TPU_TUNE_MODEL_H
#define TPU_TUNE_MODEL_H

#include "examples/tpu/shell.h"
#include "examples/lab/fusion/fusion.h"

/* A loaded model; without a run it has none (runs.count 0). */
typedef struct tune_model {
    const tpu_settings *settings;
    harness_runs runs;
} tune_model;

/* The run's model must be of the task. `option` names the run in sentences. Fails: as
   harness_runs_open; AG_EUSE (a model of the other task). */
ag_status tune_model_open(tune_model *model, const tpu_settings *s, const char *run, tpu_task task,
                          const char *option, ag_failure *why);
void tune_model_close(tune_model *model);

/* Makes the arrays of a kernel as they would be read from a file. name is borrowed. */
void tune_kernel_open(tpu_kernel *kernel, const lab_program *from);
void tune_kernel_tiles(tpu_kernel *kernel, int (*tile)[24], int count); /* its configurations */

/* Predicted run times, ns: finite and above 0. */
ag_status tune_model_times(tune_model *model, double *ns, const lab_fusion *kernels,
                           ag_failure *why);

/* Scores of the tiles of a kernel: small is fast. */
ag_status tune_model_tiles(tune_model *model, double *score, const lab_program *kernel,
                           int (*tile)[24], int count, ag_failure *why);

#endif
