/* SPDX-License-Identifier: MIT */
/* Small files for the TPU model's tests: good ones whose arrays a test may spoil before they are
   written. Tile files: test_tile of support/tgraph_npz.h. */
#ifndef TEST_TPU_NPZ_H
#define TEST_TPU_NPZ_H

#include "examples/tpu/data/data.h"
#include "tgraph_npz.h"

enum { FUSION_KERNELS = 3, FUSION_NODES = 8, FUSION_EDGES = 6 };

/* Three kernels. 0: nodes 0-3, edges 1-0, 2-0, 3-1, 3-2. 1: one node. 2: nodes 0-2, edges 0-2 and
   2-1: in topological order they are 1, 2, 0. */
typedef struct test_fusion {
    float node_feat[FUSION_NODES][140]; /* [v][k] = 10 v + k % 7, column 3: 5 */
    uint8_t opcode[FUSION_NODES];       /* 20 + v */
    int64_t edge[FUSION_EDGES][2];
    int64_t node_offset[FUSION_KERNELS + 1], edge_offset[FUSION_KERNELS + 1];
    int64_t runtime[FUSION_KERNELS]; /* 700, 30, 5000 */
    float spread[FUSION_KERNELS];    /* is not read */
    test_array array[TEST_MOST_ARRAYS];
    int arrays;
} test_fusion;

enum { FUSION_NODE_OFFSET = 3, FUSION_EDGE_OFFSET, FUSION_RUNTIME, FUSION_SPREAD };

void test_fusion_make(test_fusion *fusion);

/* Reads test_path, or a path, and appends it to the data. */
ag_status test_tpu_add(tpu_data *data, const char *path, ag_failure *why);
/* Writes the good file as NAME in test_folder and reads it; the test fails where that does. */
void test_tpu_add_fusion(tpu_data *data, const char *name);
void test_tpu_add_tile(tpu_data *data, const char *name);

#endif
