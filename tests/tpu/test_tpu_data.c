/* SPDX-License-Identifier: MIT */
/* The TPU model's kernels: which are read, their names, their order, their memory. */
#include "support/test.h"
#include "core/random.h"
#include "support/tpu_npz.h"

#include <sys/stat.h>

static void a_fusion_file_is_cut_into_its_kernels(void **state)
{
    static const int nodes[] = {4, 1, 3}, edges[] = {4, 0, 2};
    static const int64_t runtime[] = {700, 30, 5000};
    tpu_data d = {0};
    test_tpu_add_fusion(&d, "train_mlp_12.npz");
    assert_int_equal(d.task, TPU_FUSION);
    assert_int_equal(d.files, 1);
    assert_int_equal(d.kernels, 3);
    for (int i = 0; i < 3; i++) {
        const tpu_kernel *k = &d.kernel[i];
        assert_int_equal(k->number, i);
        assert_int_equal(k->nodes, nodes[i]);
        assert_int_equal(k->edges, edges[i]);
        assert_int_equal(k->configs, 1);
        assert_int_equal(k->runtime[0], runtime[i]);
        assert_null(k->tile);
        assert_null(k->reducer); /* files need not say */
        assert_string_equal(k->name, "train_mlp_12");
    }
    assert_string_equal(d.program[0], "train_mlp_12");
    assert_string_equal(d.family[0], "train_mlp");
    const tpu_kernel *k = &d.kernel[0];
    assert_memory_equal(k->edge, ((int32_t[]){1, 0, 2, 0, 3, 1, 3, 2}), 32);
    assert_int_equal(k->opcode[3], 23);
    assert_true(k->feature[3 * 140 + 8] == 31.0F);
    tpu_data_free(&d);
    assert_int_equal(d.budget.used, 0);
}

/* Random kernels, renamed at random: the order is topological, and among ready nodes the smallest
   number of the file comes first (found here by looking at all). */
static void any_order_of_nodes_is_put_right(void **state)
{
    enum { N = 40, M = 70 };
    static float feature[N][140];
    static uint8_t opcode[N];
    static int64_t edge[M][2];
    int64_t node_offset[] = {0, N}, edge_offset[] = {0, M}, runtime[] = {9};
    const test_array array[] = {
        {"node_feat", AG_F32, 2, {N, 140}, feature},  {"node_opcode", AG_U8, 1, {N}, opcode},
        {"edge_index", AG_I64, 2, {M, 2}, edge},      {"node_offset", AG_I64, 1, {2}, node_offset},
        {"edge_offset", AG_I64, 1, {2}, edge_offset}, {"kernel_runtime", AG_I64, 1, {1}, runtime}};
    for (int round = 0; round < 20; round++) {
        ag_random random = {(uint64_t)round, 0, 0};
        int32_t name[N], place[N];
        int placed = 0;
        for (int v = 0; v < N; v++) {
            name[v] = v;
            place[v] = -1;
            feature[v][0] = (float)(100 + v);
            opcode[v] = (uint8_t)v;
        }
        ag_random_shuffle(&random, name, N);
        for (int e = 0; e < M; e++) {
            const int u = 1 + (int)ag_random_below(&random, N - 1);
            edge[e][0] = name[u];
            edge[e][1] = name[ag_random_below(&random, (uint32_t)u)];
        }
        while (placed < N)
            for (int v = 0; v < N; v++) {
                int waits = place[v] >= 0;
                for (int e = 0; e < M; e++) waits += edge[e][0] == v && place[edge[e][1]] < 0;
                if (waits) continue;
                place[v] = placed++;
                break;
            }
        tpu_data d = {0};
        assert_true(test_arrays_write(test_path, array, 6));
        expect_ok(test_tpu_add(&d, NULL, new_failure()));
        const tpu_kernel *k = &d.kernel[0];
        for (int v = 0; v < N; v++) {
            assert_int_equal(k->opcode[place[v]], v);
            assert_true(k->feature[place[v] * 140] == (float)(100 + v));
        }
        for (int e = 0; e < M; e++) {
            assert_int_equal(k->edge[2 * e], place[edge[e][0]]);
            assert_int_equal(k->edge[2 * e + 1], place[edge[e][1]]);
            assert_true(k->edge[2 * e] > k->edge[2 * e + 1]);
        }
        tpu_data_free(&d);
    }
}

static void a_tile_file_is_one_kernel(void **state)
{
    tpu_data d = {0};
    test_tile t;
    test_tile_make(&t);
    test_tpu_add_tile(&d, "alexnet_0_2155ec5a01335009.npz");
    assert_int_equal(d.task, TPU_TILE);
    assert_int_equal(d.kernels, 1);
    const tpu_kernel *k = &d.kernel[0];
    assert_string_equal(k->name, "alexnet_0_2155ec5a01335009");
    assert_int_equal(k->nodes, 2);
    assert_int_equal(k->configs, 3);
    assert_memory_equal(k->tile, t.config, sizeof t.config);
    assert_memory_equal(k->runtime, t.runtime, sizeof t.runtime);
    assert_memory_equal(k->feature, t.node_feat, sizeof t.node_feat);
    tpu_data_free(&d);
}

static void names_tell_program_and_family(void **state)
{
    static const char *const name[][3] = {
        {"alexnet_0_2155ec5a01335009", "alexnet_0", "alexnet"},
        {"alexnet_1_70b50a3bd2852fcb", "alexnet_1", "alexnet"},
        {"alexnet_0_abf0792bfc905f22", "alexnet_0", "alexnet"},
        {"retinanet.2x2.fp32_-342c949e14733d96", "retinanet.2x2.fp32", "retinanet.2x2.fp32"},
        {"resnet_v1_50_official_batch_128_bf16_0123456789abcdef",
         "resnet_v1_50_official_batch_128_bf16", "resnet_v1"},
        {"0a1c5dcfa9f1f4ebcc1282a1d1ca8ecb", "0a1c5dcfa9f1f4ebcc1282a1d1ca8ecb",
         "0a1c5dcfa9f1f4ebcc1282a1d1ca8ecb"},
        {"train_mlp_7", "train_mlp_7", "train_mlp"}, /* 7 is not a hash */
        {"bert_4x4_12345678", "bert_4x4", "bert_4x4"},
        {"_12345678", "_12345678", "_12345678"},
        {"mlp_3x", "mlp_3x", "mlp_3x"}};
    enum { NAMES = sizeof name / sizeof *name };
    tpu_data d = {0};
    for (int i = 0; i < NAMES; i++) test_tpu_add_tile(&d, formatted("%s.npz", name[i][0]));
    for (int i = 0; i < NAMES; i++) {
        assert_string_equal(d.kernel[i].name, name[i][0]);
        assert_string_equal(d.program[d.kernel[i].program], name[i][1]);
        assert_string_equal(d.family[d.kernel[i].family], name[i][2]);
    }
    assert_int_equal(d.kernel[0].program, d.kernel[2].program);
    assert_int_equal(d.kernel[0].family, d.kernel[1].family);
    assert_int_equal(d.programs, NAMES - 1);
    assert_int_equal(d.families, NAMES - 2);
    tpu_data_free(&d);
}

static uint64_t hash_of(const test_array *array, int arrays, const char *name)
{
    tpu_data d = {0};
    const char *path = test_file(name);
    assert_true(test_arrays_write(path, array, arrays));
    expect_ok(test_tpu_add(&d, path, new_failure()));
    remove(path);
    const uint64_t hash = d.hash;
    tpu_data_free(&d);
    return hash;
}

static void the_hash_knows_all_that_was_read(void **state)
{
    test_fusion f;
    test_fusion_make(&f);
    const uint64_t hash = hash_of(f.array, f.arrays, "a_1.npz");
    assert_true(hash_of(f.array, f.arrays, "a_1.npz") == hash);
    assert_true(hash_of(f.array, f.arrays, "a_2.npz") != hash);
    f.spread[0] = 3; /* not read */
    assert_true(hash_of(f.array, f.arrays, "a_1.npz") == hash);
    for (int i = 0; i < 4; i++) {
        test_fusion_make(&f);
        if (i == 0) f.node_feat[7][139]++;
        if (i == 1) f.opcode[7]++;
        if (i == 2) f.edge[5][1] = 0, f.edge[4][1] = 1;
        if (i == 3) f.runtime[2]++;
        assert_true(hash_of(f.array, f.arrays, "a_1.npz") != hash);
    }
    test_tile t;
    test_tile_make(&t);
    const uint64_t of_tile = hash_of(t.array, t.arrays, "a_1.npz");
    t.normalizer[2]++;
    assert_true(hash_of(t.array, t.arrays, "a_1.npz") != of_tile);
}

/* Each array is held once: the budget counts the arrays and little more. */
static void memory_is_counted_and_limited(void **state)
{
    tpu_data d = {0};
    test_tpu_add_fusion(&d, "a_1.npz");
    const size_t arrays = 8 * 140 * 4 + 8 * 4 + 6 * 8 + 3 * 8, used = d.budget.used;
    assert_true(used >= arrays + 3 * sizeof *d.kernel && used < arrays + 1024);
    for (size_t limit = 64; limit < used; limit += 64) {
        tpu_data tight = {.budget.limit = limit};
        test_fusion f;
        test_fusion_make(&f);
        assert_true(test_arrays_write(test_path, f.array, f.arrays));
        expect_status(test_tpu_add(&tight, NULL, new_failure()), AG_EMEMORY,
                      "raise --ram-limit or use fewer files");
        assert_int_equal(tight.kernels, 0);
        tpu_data_free(&tight);
        assert_int_equal(tight.budget.used, 0);
    }
    tpu_data_free(&d);
}

/* The measured data of the examples: counts as in their README, in order. */
static void the_measured_folders_are_read(void **state)
{
    static const char *const folder[] = {AG_SOURCE_DIR "/examples/data/tile",
                                         AG_SOURCE_DIR "/examples/data/fusion"};
    static const int files[] = {413, 117}, kernels[] = {413, 11327}, families[] = {18, 18};
    for (int i = 0; i < 2; i++) {
        tpu_data d = {0};
        struct stat info;
        int64_t configs = 0;
        if (stat(folder[i], &info)) skip();
        expect_ok(test_tpu_add(&d, folder[i], new_failure()));
        assert_int_equal(d.files, files[i]);
        assert_int_equal(d.kernels, kernels[i]);
        assert_int_equal(d.families, families[i]);
        for (int k = 0; k < d.kernels; k++) {
            configs += d.kernel[k].configs;
            assert_non_null(d.kernel[k].runtime);
            for (int e = 0; e < d.kernel[k].edges; e++)
                assert_true(d.kernel[k].edge[2 * e] > d.kernel[k].edge[2 * e + 1]);
        }
        assert_int_equal(configs, i ? 11327 : 19457);
        tpu_data_free(&d);
    }
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove,
                          a_fusion_file_is_cut_into_its_kernels, any_order_of_nodes_is_put_right,
                          a_tile_file_is_one_kernel, names_tell_program_and_family,
                          the_hash_knows_all_that_was_read, memory_is_counted_and_limited,
                          the_measured_folders_are_read);
}
