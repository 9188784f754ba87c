/* SPDX-License-Identifier: MIT */
/* Predictions of trained models for the lab's kernels. */
#ifndef TPU_TUNE_MODEL_H
#define TPU_TUNE_MODEL_H

#include "examples/lab/collect/configs.h"
#include "examples/tpu/shell.h"

/* Makes the arrays of a kernel as they would be read from a file. name is borrowed. */
void tune_kernel_open(tpu_kernel *kernel, const lab_program *from);
void tune_kernel_tiles(tpu_kernel *kernel, int (*tile)[24], int count); /* its configurations */

/* Run times of the kernels which[0..count-1] of a fusion, ns: finite and above 0; or scores of the
   first `count` tiles of a kernel: small is fast. */
ag_status tune_model_predict(const harness_runs *model, const tpu_settings *s, double *score,
                             const lab_configs *configs, const int *which, int count,
                             ag_failure *why);

#endif
