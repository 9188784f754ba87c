/* SPDX-License-Identifier: MIT */
/* Graphs and checkpoints for tests of the library for tuners. */
#ifndef TEST_TPGNN_LIBRARY_H
#define TEST_TPGNN_LIBRARY_H

#include "examples/tpgnn/tvm/library/augur_tpgnn.h"
#include "tpgnn_npz.h"

enum { TEST_COPIES = 12, TEST_GRAPHS = 2 * TEST_COPIES, TEST_MOST = TEST_GRAPHS * 16 };

/* The two schedules of tpgnn_npz.h again and again, graphs that differ in the extents of their
   loops; and the arrays of a call. */
typedef struct test_graphs {
    test_schedules file;
    int32_t kind[TEST_MOST], children[TEST_MOST], refers[TEST_MOST];
    float value[TEST_MOST];
    int64_t offset[TEST_GRAPHS + 1], runtime[TEST_GRAPHS];
    int32_t task[TEST_GRAPHS]; /* 0 and 1 in turns */
    augur_tpgnn_graphs call;
} test_graphs;

void test_graphs_make(test_graphs *g);

/* Group set-up: library.safetensors, paper.safetensors with the paper's network, rows.safetensors,
   which reads rows, all with random parameters, and huge.safetensors, with parameters so large that
   no cost is finite. */
int test_library_set_up(void **state);
augur_tpgnn *test_library_open(const char *name);
/* Fails the test unless a path is refused with this sentence. */
void test_library_refuses(const char *path, int threads, const char *sentence);
/* score [TEST_GRAPHS]; the test fails where one has none. */
void test_library_predict(augur_tpgnn *m, const test_graphs *g, double *score);

#endif
