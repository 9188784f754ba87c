/* SPDX-License-Identifier: MIT */
/* A small file of schedules for tests: a good one whose arrays a test may spoil before it is
   written. */
#ifndef TEST_TPGNN_NPZ_H
#define TEST_TPGNN_NPZ_H

#include "examples/tpgnn/model/model.h"
#include "tgraph_npz.h"

enum {
    TPGNN_TEST_SCHEDULES = 2,
    TPGNN_TEST_NODES = 23,
    TPGNN_TEST_ROWS = 3,
    TPGNN_TEST_STORES = 3
};
enum { TPGNN_TEST_TEXT = 400 };

/* The indices of the arrays; the order is that of the collector. */
enum { TPGNN_WORKLOAD, TPGNN_KINDS, TPGNN_NODE_KIND, TPGNN_NODE_CHILDREN, TPGNN_NODE_VALUE };
enum { TPGNN_NODE_REFERS = 5, TPGNN_NODE_OFFSET, TPGNN_FEATURE_ROW, TPGNN_STORE_ROW };
enum { TPGNN_STORE_OFFSET = 9, TPGNN_RUNTIME, TPGNN_MEDIAN, TPGNN_SPREAD, TPGNN_PASSES };
enum { TPGNN_NOISY = 14, TPGNN_ORIGIN, TPGNN_HASH, TPGNN_ARRAYS };

/* Schedule 0: a store of a constant in one loop. Schedule 1: a loop with an annotation and a
   minimum of 1 around one whose extent is a variable, and a store of a load. test_schedules_make
   lists the nodes. */
typedef struct test_schedules {
    char workload[8], kinds[TPGNN_TEST_TEXT];
    uint8_t kind[TPGNN_TEST_NODES], children[TPGNN_TEST_NODES], refers[TPGNN_TEST_NODES];
    float value[TPGNN_TEST_NODES];
    int64_t node_offset[TPGNN_TEST_SCHEDULES + 1], store_offset[TPGNN_TEST_SCHEDULES + 1];
    float feature[TPGNN_TEST_ROWS][TPGNN_FEATURES]; /* [r][c] = 100 r + c */
    uint8_t store[TPGNN_TEST_STORES];               /* 2 | 0, 2 */
    int64_t runtime[TPGNN_TEST_SCHEDULES];          /* 2000, 500 */
    int64_t median[TPGNN_TEST_SCHEDULES], hash[TPGNN_TEST_SCHEDULES];
    int64_t passes[TPGNN_TEST_SCHEDULES][2];
    float spread[TPGNN_TEST_SCHEDULES];
    uint8_t noisy[TPGNN_TEST_SCHEDULES], origin[TPGNN_TEST_SCHEDULES];
    test_array array[TPGNN_ARRAYS];
} test_schedules;

void test_schedules_make(test_schedules *s);
/* Another text of kinds; as many lines as before. */
void test_schedules_kinds(test_schedules *s, const char *text);
/* Another word in place of the first one of its text. */
void test_schedules_replace(test_schedules *s, const char *word, const char *other);

/* Reads test_path, or a path, and appends it to the data. */
ag_status test_schedules_add(tpgnn_data *data, const char *path, ag_failure *why);
/* Writes the file as NAME in test_folder; and reads it. The test fails where that does. */
void test_schedules_write(const test_schedules *s, const char *name);
void test_schedules_read(tpgnn_data *data, const test_schedules *s, const char *name);
/* Reads the good file under a name. */
void test_schedules_read_good(tpgnn_data *data, const char *name);
/* The number of nodes whose word in this field is not in the vocabulary. */
int64_t test_schedules_unknown(const tpgnn_data *data, tpgnn_field field);

/* The defaults of the program's options, or those of its preset "statements". The sizes of the
   vocabulary are 1, the smallest. */
tpgnn_options test_tpgnn_options(tpgnn_network network);

#endif
