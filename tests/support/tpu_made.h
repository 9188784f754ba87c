/* SPDX-License-Identifier: MIT */
/* Kernels made at random, without files. */
#ifndef TEST_TPU_MADE_H
#define TEST_TPU_MADE_H

#include "examples/tpu/data/data.h"

/* Kernel i belongs to program[i] of family[i]; it has 1 to 30 nodes (the first has 60, and its node
   59 has 30 operands and its node 0 as many users), up to twice as many edges, and in the tile task
   1 + (7 i) % 12 configurations. Run times are 1000 and more, some of them equal. */
void test_tpu_made(tpu_data *data, tpu_task task, int kernels, const int *program,
                   const int *family, uint64_t seed);
void test_tpu_made_free(tpu_data *data);

#endif
