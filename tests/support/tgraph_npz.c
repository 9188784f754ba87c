/* SPDX-License-Identifier: MIT */
#include "tgraph_npz.h"

#include "files.h"

const char *const test_folder = files_folder;
char test_path[300];

int test_folder_make(void **state)
{
    const int status = files_make(state);
    strcpy(test_path, files_path("x.npz"));
    return status;
}

int test_folder_remove(void **state) { return files_remove(state); }

const char *test_file(const char *name) { return files_path(name); }

void test_fill_features(float row[140], int node)
{
    for (int k = 0; k < 134; k++) row[k] = (float)((node * 31 + k * 7) % 23);
    for (int k = 0; k < 6; k++) {
        row[21 + k] = k < node % 4 ? (float)(k + 2) : 0.0F;
        row[134 + k] = k < node % 4 ? (float)(node % 4 - 1 - k) : 0.0F;
    }
}

void test_layout_make(test_layout *l)
{
    static const int64_t edge[TEST_EDGES][2] = {{1, 0}, {2, 1}, {3, 2}, {4, 3}, {6, 4}};
    static const int kind[TEST_CONFIGS] = {0, 1, 0, 2, 1, 0};
    static const int64_t runtime[TEST_CONFIGS] = {500, 300, 400, 700, 303, 450};
    memset(l, 0, sizeof *l);
    memcpy(l->edge, edge, sizeof edge);
    memcpy(l->runtime, runtime, sizeof runtime);
    for (int v = 0; v < TEST_NODES; v++) {
        test_fill_features(l->node_feat[v], v);
        l->opcode[v] = (uint8_t)(10 + v);
    }
    for (int c = 0; c < TEST_CONFIGS; c++)
        for (int v = 0; v < TEST_CONFIGURABLE; v++)
            for (int k = 0; k < 18; k++)
                l->config[c][v][k] = (float)((kind[c] * 5 + v * 3 + k) % 7 - 1);
    l->config_node[0] = 2;
    l->config_node[1] = 5;
    l->splits[0][1] = TEST_NODES;
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {TEST_NODES, 140}, l->node_feat},
        {"node_opcode", AG_U8, 1, {TEST_NODES}, l->opcode},
        {"edge_index", AG_I64, 2, {TEST_EDGES, 2}, l->edge},
        {"node_config_feat", AG_F32, 3, {TEST_CONFIGS, TEST_CONFIGURABLE, 18}, l->config},
        {"node_config_ids", AG_I64, 1, {TEST_CONFIGURABLE}, l->config_node},
        {"config_runtime", AG_I64, 1, {TEST_CONFIGS}, l->runtime},
        {"node_splits", AG_I64, 2, {1, 2}, l->splits},
    };
    memcpy(l->array, array, sizeof array);
    l->arrays = 7;
}

void test_tile_make(test_tile *t)
{
    memset(t, 0, sizeof *t);
    for (int v = 0; v < 2; v++) {
        test_fill_features(t->node_feat[v], v + 2);
        t->opcode[v] = (uint8_t)(63 + v);
    }
    t->edge[0][0] = 1;
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 24; k++) t->config[c][k] = (float)(c * k);
        t->runtime[c] = 1000 * (3 - c);
        t->normalizer[c] = 2000;
    }
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {2, 140}, t->node_feat},
        {"node_opcode", AG_U8, 1, {2}, t->opcode},
        {"edge_index", AG_I64, 2, {1, 2}, t->edge},
        {"config_feat", AG_F32, 2, {3, 24}, t->config},
        {"config_runtime", AG_I64, 1, {3}, t->runtime},
        {"config_runtime_normalizers", AG_I64, 1, {3}, t->normalizer},
    };
    memcpy(t->array, array, sizeof array);
    t->arrays = 6;
}

int test_arrays_write(const char *path, const test_array *array, int count)
{
    ag_failure why = {0};
    ag_npz_writer *writer = ag_npz_create(path, &why);
    if (writer) ag_npz_level(writer, 1, &why); /* a third of the time of large files */
    for (int i = 0; writer && i < count && !why.status; i++)
        if (array[i].name)
            ag_npz_add(writer, array[i].name, array[i].dtype, array[i].rank, array[i].size,
                       array[i].data, &why);
    if (writer && why.status)
        ag_npz_cancel(writer);
    else if (writer)
        ag_npz_finish(writer, &why);
    if (why.status) fprintf(stderr, "%s: %s\n", path, why.sentence);
    return !why.status;
}
