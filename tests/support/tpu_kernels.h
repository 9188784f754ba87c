/* SPDX-License-Identifier: MIT */
/* Small kernels for tests of the TPU model, without files; features are in [0,1), and a scaler
   leaves them as they are. */
#ifndef TEST_TPU_KERNELS_H
#define TEST_TPU_KERNELS_H

#include "examples/tpu/data/scale.h"

/* Owns the arrays that the kernel points to. */
typedef struct test_kernel {
    tpu_kernel kernel;
    float *feature, *tile;
    int32_t *opcode, *edge;
    int64_t *runtime;
} test_kernel;

/* Room for so many nodes and edges, zeros. configs 0: of a fusion file. */
test_kernel test_kernel_new(int nodes, int edges, int configs);
void test_kernel_free(test_kernel *k);

/* Random features, op codes and edges in topological order; run times 100, 101, ... in any order.
 */
test_kernel test_kernel_random(int nodes, int edges, int configs, uint64_t seed);

/* The same kernel with its nodes in another topological order, drawn at random. */
test_kernel test_kernel_renamed(const test_kernel *k, uint64_t seed);

tpu_scaler test_unit_scaler(void);

#endif
