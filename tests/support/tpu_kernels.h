/* SPDX-License-Identifier: MIT */
/* Small kernels for tests of the TPU model, without files. */
#ifndef TEST_TPU_KERNELS_H
#define TEST_TPU_KERNELS_H

#include "examples/tpu/program.h"

/* Room for so many nodes and edges, zeros, for tpu_kernel_free. configs 0: of a fusion file. */
tpu_kernel test_kernel_new(int nodes, int edges, int configs);

/* Random features, op codes and edges in topological order; run times 100, 101, ... in any order.
 */
tpu_kernel test_kernel_random(int nodes, int edges, int configs, uint64_t seed);

/* Kernel i belongs to program[i] of family[i]; it has 1 to 30 nodes, up to twice as many edges, and
   in the tile task 1 + (7 i) % 12 configurations. Run times are 1000 and more, some equal. */
void test_tpu_made(tpu_data *data, tpu_task task, int kernels, const int *program,
                   const int *family, uint64_t seed);
void test_tpu_made_free(tpu_data *data);

/* Every configuration of each kernel; returns their number. */
int test_samples(tpu_sample *sample, const tpu_kernel *kernel, int kernels);

/* Leaves features in [0,1) as they are. */
tpu_scaler test_unit_scaler(void);

/* The defaults of the program's options. */
tpu_options test_tpu_defaults(tpu_task task);

#endif
