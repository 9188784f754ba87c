/* SPDX-License-Identifier: MIT */
/* Tile and fusion files with wrong arrays: one sentence each. Cuts and flipped bits: programs/. */
#define _GNU_SOURCE
#include "core/internal.h"
#include "examples/harness/harness.h"
#include "support/tpu_npz.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

/* ---- one spoiled array each ---- */

static void starts_late(test_fusion *f) { f->node_offset[0] = 1; }
static void ends_early(test_fusion *f) { f->node_offset[3] = 7; }
static void falls(test_fusion *f) { f->node_offset[1] = 6; }
static void empty_kernel(test_fusion *f) { f->node_offset[2] = 4; }
static void beyond(test_fusion *f) { f->node_offset[1] = INT64_MAX; }
static void lowest(test_fusion *f) { f->node_offset[1] = INT64_MIN; }
static void edge_falls(test_fusion *f) { f->edge_offset[2] = 3; }
static void edge_end(test_fusion *f) { f->edge_offset[3] = 5; }
static void edge_over(test_fusion *f) { f->edge_offset[1] = 5; }
static void few_offsets(test_fusion *f) { f->array[FUSION_NODE_OFFSET].size[0] = 3; }
static void no_offsets(test_fusion *f) { f->array[FUSION_EDGE_OFFSET].name = NULL; }
static void float_offsets(test_fusion *f) { f->array[FUSION_NODE_OFFSET].dtype = AG_F64; }
static void no_kernels(test_fusion *f) { f->array[FUSION_RUNTIME].size[0] = 0; }
static int64_t many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
static void many_kernels(test_fusion *f)
{
    f->array[FUSION_RUNTIME].size[0] = 9;
    f->array[FUSION_RUNTIME].data = many;
}
static void table_of_times(test_fusion *f)
{
    f->array[FUSION_RUNTIME].rank = 2;
    f->array[FUSION_RUNTIME].size[1] = 1;
}
static void zero_time(test_fusion *f) { f->runtime[1] = 0; }
static void negative_time(test_fusion *f) { f->runtime[2] = -1; }
static void float_time(test_fusion *f) { f->array[FUSION_RUNTIME].dtype = AG_F64; }
static void foreign_edge(test_fusion *f) { f->edge[5][0] = 3; }
static void global_edge(test_fusion *f) { f->edge[4][0] = 5, f->edge[4][1] = 7; }
static void wide_edge(test_fusion *f) { f->edge[0][0] = 8; }
static void nan_feature(test_fusion *f) { f->node_feat[7][139] = NAN; }
static void infinite_feature(test_fusion *f) { f->node_feat[4][0] = INFINITY; }
static void high_opcode(test_fusion *f) { f->opcode[5] = 121; }
static void own_operand(test_fusion *f) { f->edge[0][0] = 0; }
static void circle(test_fusion *f) { f->edge[2][0] = 0, f->edge[2][1] = 3; }
static void behind_circle(test_fusion *f)
{
    static const int64_t edge[4][2] = {{3, 2}, {2, 1}, {1, 2}, {3, 0}};
    memcpy(f->edge, edge, sizeof edge);
}
static void nameless(test_fusion *f) { f->array[FUSION_RUNTIME].name = "runtime"; }
static void layout(test_fusion *f) { f->array[FUSION_RUNTIME].name = "node_config_feat"; }

static const struct {
    void (*spoil)(test_fusion *);
    const char *sentence; /* after the path; without ':' a part of it */
} spoiled[] = {
    {starts_late, ": node_offset goes from 1 to 8, but must go from 0 to 8"},
    {ends_early, ": node_offset goes from 0 to 7, but must go from 0 to 8"},
    {falls, ": node_offset[2] = 5 follows 6, but it must be at least 1 more and at most 8"},
    {empty_kernel, ": node_offset[2] = 4 follows 4, but it must be at least 1 more and at most 8"},
    {beyond, ": node_offset[1] = 9223372036854775807 follows 0, but it must be at least 1 more and "
             "at most 8"},
    {lowest, ": node_offset[1] = -9223372036854775808 follows 0, but it must be at least 1 more "
             "and at most 8"},
    {edge_falls, ": edge_offset[2] = 3 follows 4, but it must be at least 0 more and at most 6"},
    {edge_end, ": edge_offset goes from 0 to 5, but must go from 0 to 6"},
    {edge_over, ": edge_offset[2] = 4 follows 5, but it must be at least 0 more and at most 6"},
    {few_offsets, ": node_offset has shape [3], but must be [4]: where each kernel begins, and the "
                  "end of the last"},
    {no_offsets, "there is no array edge_offset"},
    {float_offsets, "node_offset"},
    {no_kernels, ": kernel_runtime has 0 kernels, but a file of 8 nodes has 1 to 8"},
    {many_kernels, ": kernel_runtime has 9 kernels, but a file of 8 nodes has 1 to 8"},
    {table_of_times,
     ": kernel_runtime has shape [3,1], but must be [any]: one run time per kernel"},
    {zero_time, ": kernel_runtime[1] = 0, but it must be at least 1 ns"},
    {negative_time, ": kernel_runtime[2] = -1, but it must be at least 1 ns"},
    {float_time, "kernel_runtime"},
    {foreign_edge, ": edge_index[5] = (3, 1), but the nodes of kernel 2 are 0 to 2; edges are "
                   "counted from a kernel's first node"},
    {global_edge, ": edge_index[4] = (5, 7), but the nodes of kernel 2 are 0 to 2; edges are "
                  "counted from a kernel's first node"},
    {wide_edge, ": edge_index[0] = (8, 0), but nodes are 0 to 7"},
    {nan_feature, ": node_feat[7,139] = nan, but features must be finite"},
    {infinite_feature, ": node_feat[4,0] = inf, but features must be finite"},
    {high_opcode, ": node_opcode[5] = 121, but the model's op table has rows 0 to 120; leave the "
                  "file out, or give newer op codes the code 0 (unknown)"},
    {own_operand, ": kernel 0: the edges form a circle through node 0, but no value of a kernel "
                  "can depend on itself; leave the file out"},
    {circle, ": kernel 0: the edges form a circle through node"},
    {behind_circle, ": kernel 0: the edges form a circle through node"},
    {nameless, ": there is neither config_feat (a tile file) nor kernel_runtime (a fusion file) in "
               "it"},
    {layout, ": this is a layout file (it has node_config_feat), which only tgraph reads; name "
             "tile or fusion files"},
};

/* Data read before stay, and nothing of the bad file is left. */
static void each_spoiled_array_gets_its_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
        test_fusion f;
        tpu_data d = {0};
        ag_failure why = {0};
        test_tpu_add_fusion(&d, "good_1.npz");
        const uint64_t hash = d.hash;
        test_fusion_make(&f);
        spoiled[i].spoil(&f);
        assert_true(test_arrays_write(test_path, f.array, f.arrays));
        assert_int_equal(test_tpu_add(&d, NULL, &why), AG_EDATA);
        assert_non_null(strstr(why.sentence, test_path));
        if (!strstr(why.sentence, spoiled[i].sentence))
            fail_msg("%s\n%s", why.sentence, spoiled[i].sentence);
        assert_int_equal(d.kernels, 3);
        assert_int_equal(d.files, 1);
        assert_true(d.hash == hash);
        tpu_data_free(&d);
        assert_int_equal(d.budget.used, 0);
    }
}

/* The sentence names a node on the circle, not one that depends on it: 3 reads 2, 2 reads 1 and 1
   reads 2. */
static void a_circle_is_named_by_one_of_its_nodes(void **state)
{
    (void)state;
    test_fusion f;
    tpu_data d = {0};
    ag_failure why = {0};
    test_fusion_make(&f);
    behind_circle(&f);
    assert_true(test_arrays_write(test_path, f.array, f.arrays));
    assert_int_equal(test_tpu_add(&d, NULL, &why), AG_EDATA);
    assert_true(strstr(why.sentence, "through node 1,") || strstr(why.sentence, "through node 2,"));
    tpu_data_free(&d);
}

static void spoiled_tiles_are_refused(void **state)
{
    (void)state;
    static const char *const sentence[] = {
        ": config_feat[2,3] = inf, but features must be finite",
        ": config_runtime_normalizers[1] = 0, but it must be at least 1 ns",
        (": config_runtime_normalizers has shape [2], but must be [3]: one run time of the default "
         "tile per configuration"),
        ": config_feat has shape [3,23], but must be [any,24]: 24 features per tile configuration",
        ": config_feat has 0 configurations, but a file needs 1 to 89478485",
        ": config_runtime[1] = 0, but it must be at least 1 ns",
        (": the edges form a circle through node 1, but no value of a kernel can depend on itself; "
         "leave the file out"),
        ": node_feat[1,2] = nan, but features must be finite"};
    for (int i = 0; i < 8; i++) {
        test_tile t;
        tpu_data d = {0};
        ag_failure why = {0};
        test_tile_make(&t);
        if (i == 0) t.config[2][3] = INFINITY;
        if (i == 1) t.normalizer[1] = 0;
        if (i == 2) t.array[TILE_NORMALIZERS].size[0] = 2;
        if (i == 3) t.array[TILE_CONFIG_FEAT].size[1] = 23;
        if (i == 4) t.array[TILE_CONFIG_FEAT].size[0] = t.array[TILE_RUNTIME].size[0] = 0;
        if (i == 5) t.runtime[1] = 0;
        if (i == 6) t.edge[0][0] = t.edge[0][1] = 1;
        if (i == 7) t.node_feat[1][2] = NAN;
        assert_true(test_arrays_write(test_path, t.array, t.arrays));
        assert_int_equal(test_tpu_add(&d, NULL, &why), AG_EDATA);
        assert_string_equal(why.sentence + strlen(test_path), sentence[i]);
        tpu_data_free(&d);
        assert_int_equal(d.budget.used, 0);
    }
}

static void the_two_kinds_are_not_mixed(void **state)
{
    (void)state;
    test_tile t;
    tpu_data d = {0};
    ag_failure why = {0};
    test_tile_make(&t);
    test_tpu_add_fusion(&d, "good_1.npz");
    assert_true(test_arrays_write(test_path, t.array, t.arrays));
    assert_int_equal(test_tpu_add(&d, NULL, &why), AG_EUSE);
    assert_string_equal(why.sentence + strlen(test_path),
                        " is a tile file, but good_1.npz is a fusion file; the two kinds are "
                        "different tasks: name files of one kind");
    tpu_data_free(&d);
}

static void other_dtypes_are_read(void **state)
{
    (void)state;
    test_fusion f;
    tpu_data d = {0};
    ag_failure why = {0};
    int32_t offset[4] = {0, 4, 5, 8}, opcode[FUSION_NODES] = {0, 120};
    uint8_t runtime[3] = {1, 2, 255};
    test_fusion_make(&f);
    f.array[FUSION_NODE_OFFSET] = (test_array){"node_offset", AG_I32, 1, {4}, offset};
    f.array[NODE_OPCODE] = (test_array){"node_opcode", AG_I32, 1, {FUSION_NODES}, opcode};
    f.array[FUSION_RUNTIME] = (test_array){"kernel_runtime", AG_U8, 1, {3}, runtime};
    assert_true(test_arrays_write(test_path, f.array, f.arrays));
    assert_int_equal(test_tpu_add(&d, NULL, &why), AG_OK);
    assert_int_equal(d.kernel[0].opcode[1], 120);
    assert_int_equal(d.kernel[2].runtime[0], 255);
    tpu_data_free(&d);
}

/* In a process of its own, because the harness ends the program where its own allocations fail. */
static int exit_code_without_allocation(long n)
{
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        tpu_data d = {0};
        ag_failure why = {0};
        if (!freopen("/dev/null", "w", stderr)) _exit(99);
        ag__fail_allocation(n, 0);
        test_tpu_add(&d, NULL, &why);
        ag__fail_allocation(0, 0);
        tpu_data_free(&d);
        _exit(d.budget.used || (why.status && why.status != AG_EMEMORY)
                  ? 99
                  : harness_exit_code(why.status));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_tile t;
    test_fusion f;
    test_tile_make(&t);
    test_fusion_make(&f);
    for (int tile = 0; tile < 2; tile++) {
        long n = 0;
        int code = HARNESS_EXIT_MEMORY;
        assert_true(tile ? test_arrays_write(test_path, t.array, t.arrays)
                         : test_arrays_write(test_path, f.array, f.arrays));
        while (code == HARNESS_EXIT_MEMORY && n < 500) code = exit_code_without_allocation(++n);
        assert_int_equal(code, HARNESS_EXIT_OK);
        assert_true(n > 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_spoiled_array_gets_its_sentence),
        cmocka_unit_test(a_circle_is_named_by_one_of_its_nodes),
        cmocka_unit_test(spoiled_tiles_are_refused),
        cmocka_unit_test(the_two_kinds_are_not_mixed),
        cmocka_unit_test(other_dtypes_are_read),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
