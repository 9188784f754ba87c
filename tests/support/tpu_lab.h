/* SPDX-License-Identifier: MIT */
/* Kernels for the tests of the TPU model, from programs of the lab. */
#ifndef TPU_LAB_H
#define TPU_LAB_H

#include "examples/lab/program/program.h"
#include "examples/tpu/data/data.h"

/* The program's nodes and edges as a file of the lab has them, but neither dots nor reducers; one
   configuration, no run time. */
void tpu_lab_kernel(tpu_kernel *kernel, const lab_program *program);

#endif
