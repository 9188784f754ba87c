/* SPDX-License-Identifier: MIT */
/* Small kernels for tests of the TPU model, without files; features are in [0,1), and a scaler
   leaves them as they are. */
#ifndef TEST_TPU_KERNELS_H
#define TEST_TPU_KERNELS_H

#include "examples/tpu/program.h"

/* Room for so many nodes and edges, zeros, for tpu_kernel_free. configs 0: of a fusion file. */
tpu_kernel test_kernel_new(int nodes, int edges, int configs);

/* Random features, op codes and edges in topological order; run times 100, 101, ... in any order.
 */
tpu_kernel test_kernel_random(int nodes, int edges, int configs, uint64_t seed);

/* The same kernel with its nodes in another topological order, drawn at random. */
tpu_kernel test_kernel_renamed(const tpu_kernel *k, uint64_t seed);

/* Every configuration of each kernel; returns their number. */
int test_samples(tpu_sample *sample, const tpu_kernel *kernel, int kernels);

tpu_scaler test_unit_scaler(void);

/* The defaults of the program's options. */
tpu_options test_tpu_defaults(tpu_task task);

#endif
