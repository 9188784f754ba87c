/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "tpu_npz.h"

void test_fusion_make(test_fusion *f)
{
    static const int64_t edge[FUSION_EDGES][2] = {{1, 0}, {2, 0}, {3, 1}, {3, 2}, {0, 2}, {2, 1}};
    static const int64_t node_offset[] = {0, 4, 5, 8}, edge_offset[] = {0, 4, 4, 6};
    static const int64_t runtime[] = {700, 30, 5000};
    memset(f, 0, sizeof *f);
    memcpy(f->edge, edge, sizeof edge);
    memcpy(f->node_offset, node_offset, sizeof node_offset);
    memcpy(f->edge_offset, edge_offset, sizeof edge_offset);
    memcpy(f->runtime, runtime, sizeof runtime);
    for (int v = 0; v < FUSION_NODES; v++) {
        for (int k = 0; k < 140; k++) f->node_feat[v][k] = k == 3 ? 5.0F : (float)(10 * v + k % 7);
        f->opcode[v] = (uint8_t)(20 + v);
    }
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {FUSION_NODES, 140}, f->node_feat},
        {"node_opcode", AG_U8, 1, {FUSION_NODES}, f->opcode},
        {"edge_index", AG_I64, 2, {FUSION_EDGES, 2}, f->edge},
        {"node_offset", AG_I64, 1, {FUSION_KERNELS + 1}, f->node_offset},
        {"edge_offset", AG_I64, 1, {FUSION_KERNELS + 1}, f->edge_offset},
        {"kernel_runtime", AG_I64, 1, {FUSION_KERNELS}, f->runtime},
        {"kernel_spread", AG_F32, 1, {FUSION_KERNELS}, f->spread},
    };
    memcpy(f->array, array, sizeof array);
    f->arrays = 7;
}

ag_status test_tpu_add(tpu_data *data, const char *path, ag_failure *why)
{
    harness_files paths = {0};
    if (!harness_files_add(&paths, path ? path : test_path, why)) tpu_data_add(data, &paths, why);
    harness_files_free(&paths);
    return why->status;
}

static void add(tpu_data *data, const char *name, const test_array *array, int arrays)
{
    const char *path = test_file(name);
    assert_true(test_arrays_write(path, array, arrays));
    expect_ok(test_tpu_add(data, path, new_failure()));
    remove(path);
}

void test_tpu_add_fusion(tpu_data *data, const char *name)
{
    test_fusion f;
    test_fusion_make(&f);
    add(data, name, f.array, f.arrays);
}

void test_tpu_add_tile(tpu_data *data, const char *name)
{
    test_tile t;
    test_tile_make(&t);
    add(data, name, t.array, t.arrays);
}
