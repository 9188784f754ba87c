/* SPDX-License-Identifier: MIT */
/* Small TpuGraphs files for tests: a good one whose arrays a test may spoil before it is
   written. */
#ifndef TEST_TGRAPH_NPZ_H
#define TEST_TGRAPH_NPZ_H

#include "core/io/io.h"

enum { TEST_NODES = 7, TEST_EDGES = 5, TEST_CONFIGURABLE = 2, TEST_CONFIGS = 6 };
enum { TEST_MOST_ARRAYS = 10 };

/* One member; rank 0 with an empty name: left out. */
typedef struct test_array {
    const char *name;
    ag_dtype dtype;
    int rank;
    int64_t size[AG_MAX_AXES];
    const void *data;
} test_array;

/* A layout file. Nodes 2 and 5 are configurable; edges (consumer, producer) are 1-0, 2-1, 3-2,
   4-3, 6-4; node 5 has none. Configurations 0, 2 and 5 are equal, and so are 1 and 4. */
typedef struct test_layout {
    float node_feat[TEST_NODES][140];
    uint8_t opcode[TEST_NODES];
    int64_t edge[TEST_EDGES][2];
    float config[TEST_CONFIGS][TEST_CONFIGURABLE][18];
    int64_t config_node[TEST_CONFIGURABLE], runtime[TEST_CONFIGS], splits[1][2];
    test_array array[TEST_MOST_ARRAYS]; /* in the order of real files */
    int arrays;
} test_layout;

enum { NODE_FEAT, NODE_OPCODE, EDGE_INDEX, NODE_CONFIG_FEAT, NODE_CONFIG_IDS };
enum { CONFIG_RUNTIME = NODE_CONFIG_IDS + 1, NODE_SPLITS };

void test_layout_make(test_layout *layout);

/* A tile file: two nodes, an edge, three configurations. */
typedef struct test_tile {
    float node_feat[2][140];
    uint8_t opcode[2];
    int64_t edge[1][2], runtime[3], normalizer[3];
    float config[3][24];
    test_array array[TEST_MOST_ARRAYS];
    int arrays;
} test_tile;

enum { TILE_CONFIG_FEAT = 3, TILE_RUNTIME, TILE_NORMALIZERS };

void test_tile_make(test_tile *tile);

/* Group set-up and tear-down: a fresh folder, test_folder, and the name of a file in it,
   test_path. */
extern const char *const test_folder;
extern char test_path[300];
int test_folder_make(void **state);
int test_folder_remove(void **state);
/* NAME in test_folder, in one of four buffers that take turns. */
const char *test_file(const char *name);

/* The features of a node; its rank is node % 4. */
void test_fill_features(float row[140], int node);

/* Returns 1 when the file was written. */
int test_arrays_write(const char *path, const test_array *array, int count);

#endif
