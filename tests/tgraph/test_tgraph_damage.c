/* SPDX-License-Identifier: MIT */
/* TpuGraphs files with wrong arrays: one sentence each. Cuts and flipped bits: programs/. */
#define _GNU_SOURCE
#include "core/internal.h"
#include "examples/tgraph/data/data.h"
#include "support/tgraph_npz.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static tgraph_file *open_path(ag_failure *why)
{
    tgraph_data_options options = tgraph_layout_defaults();
    options.dedup = TGRAPH_KEEP_FIRST;
    *why = (ag_failure){0};
    return tgraph_file_open(test_path, &options, NULL, why);
}

/* ---- one spoiled array each ---- */

static void bad_edge(test_layout *l) { l->edge[3][0] = 372; }
static void negative_edge(test_layout *l) { l->edge[0][1] = -1; }
static void huge_edge(test_layout *l) { l->edge[1][1] = INT64_MIN; }
static void edge_triples(test_layout *l)
{
    l->array[EDGE_INDEX].size[0] = 3, l->array[EDGE_INDEX].size[1] = 3;
}
static void no_edges(test_layout *l) { l->array[EDGE_INDEX].name = NULL; }
static void float_edges(test_layout *l) { l->array[EDGE_INDEX].dtype = AG_F64; }
static void few_features(test_layout *l) { l->array[NODE_FEAT].size[1] = 139; }
static void flat_features(test_layout *l)
{
    l->array[NODE_FEAT].rank = 1;
    l->array[NODE_FEAT].size[0] = 980;
}
static void no_nodes(test_layout *l) { l->array[NODE_FEAT].size[0] = 0; }
static void nan_feature(test_layout *l)
{
    l->node_feat[6][133] = NAN;
} /* of a node that pruning drops */
static void infinite_feature(test_layout *l) { l->node_feat[2][134] = -INFINITY; }
static void short_opcode(test_layout *l) { l->array[NODE_OPCODE].size[0] = 6; }
static void high_opcode(test_layout *l) { l->opcode[4] = 121; }
static int32_t wide_opcode[TEST_NODES] = {1, 2, 256};
static void opcode_256(test_layout *l)
{
    l->array[NODE_OPCODE].dtype = AG_I32;
    l->array[NODE_OPCODE].data = wide_opcode;
}
static void other_name(test_layout *l) { l->array[NODE_CONFIG_IDS].name = "node_config_id"; }
static void bad_id(test_layout *l) { l->config_node[1] = 7; }
static void equal_ids(test_layout *l) { l->config_node[1] = 2; }
static void no_ids(test_layout *l) { l->array[NODE_CONFIG_IDS].size[0] = 0; }
static void one_id(test_layout *l) { l->array[NODE_CONFIG_IDS].size[0] = 1; }
static void no_configs(test_layout *l)
{
    l->array[NODE_CONFIG_FEAT].size[0] = l->array[CONFIG_RUNTIME].size[0] = 0;
}
static void few_digits(test_layout *l) { l->array[NODE_CONFIG_FEAT].size[2] = 17; }
static void high_digit(test_layout *l) { l->config[3][1][17] = 6; }
static void half_digit(test_layout *l) { l->config[5][0][0] = 0.5F; }
static void nan_digit(test_layout *l) { l->config[0][0][3] = NAN; }
static void few_runtimes(test_layout *l) { l->array[CONFIG_RUNTIME].size[0] = 5; }
static void float_runtimes(test_layout *l) { l->array[CONFIG_RUNTIME].dtype = AG_F64; }
static void negative_runtime(test_layout *l) { l->runtime[2] = -5; }
static void zero_runtime(test_layout *l) { l->runtime[5] = 0; }
static void falling_splits(test_layout *l) { l->splits[0][0] = 9; }

static const struct {
    void (*spoil)(test_layout *);
    const char *sentence; /* after the path */
} spoiled[] = {
    {bad_edge, ": edge_index[3] = (372, 3), but nodes are 0 to 6"},
    {negative_edge, ": edge_index[0] = (1, -1), but nodes are 0 to 6"},
    {huge_edge, ": edge_index[1] = (2, -9223372036854775808), but nodes are 0 to 6"},
    {edge_triples,
     ": edge_index has shape [3,3], but must be [any,2]: one pair (consumer, producer) per edge"},
    {no_edges, ": there is no array edge_index, which must hold one pair (consumer, producer) per "
               "edge (the file "
               "has: node_feat, node_opcode, node_config_feat, node_config_ids, config_runtime, "
               "node_splits)"},
    {float_edges, "edge_index"},
    {few_features,
     ": node_feat has shape [7,139], but must be [any,140]: one row of 140 features per node"},
    {flat_features,
     ": node_feat has shape [980], but must be [any,140]: one row of 140 features per node"},
    {no_nodes, ": node_feat has 0 nodes, but a graph has 1 to 15339168"},
    {nan_feature, ": node_feat[6,133] = nan, but features must be finite"},
    {infinite_feature, ": node_feat[2,134] = -inf, but features must be finite"},
    {short_opcode, ": node_opcode has shape [6], but must be [7]: one code per row of node_feat"},
    {high_opcode, ": node_opcode[4] = 121, but the model's op table has rows 0 to 120; leave the "
                  "file out, or give newer op codes the code 0 (unknown)"},
    {opcode_256, ": node_opcode[2] = 256, but op codes are 0 to 255"},
    {other_name, ": there is no array node_config_ids, which must hold one index per configurable "
                 "node (the file has: "
                 "node_feat, node_opcode, edge_index, node_config_feat, node_config_id, "
                 "config_runtime, node_splits)"},
    {bad_id, ": node_config_ids[1] = 7, but nodes are 0 to 6"},
    {equal_ids, ": node_config_ids[1] = 2 follows 2, but must be strictly ascending"},
    {no_ids,
     ": node_config_ids has 0 entries, but a graph of 7 nodes has 1 to 7 configurable nodes"},
    {one_id, ": node_config_feat has shape [6,2,18], but must be [any,1,18]: 18 layout values per "
             "configuration and "
             "configurable node"},
    {no_configs,
     ": node_config_feat has 0 configurations, but a file needs at least 1; leave it out"},
    {few_digits, ": node_config_feat has shape [6,2,17], but must be [any,2,18]: 18 layout values "
                 "per configuration "
                 "and configurable node"},
    {high_digit, ": node_config_feat[3,1,17] = 6, but layout values are integers -1 to 5"},
    {half_digit, ": node_config_feat[5,0,0] = 0.5, but layout values are integers -1 to 5"},
    {nan_digit, ": node_config_feat[0,0,3] = nan, but layout values are integers -1 to 5"},
    {few_runtimes,
     ": config_runtime has shape [5], but must be [6]: one run time per configuration"},
    {float_runtimes, "config_runtime"},
    {negative_runtime, ": config_runtime[2] = -5, but it must be at least 1 ns"},
    {zero_runtime, ": config_runtime[5] = 0, but it must be at least 1 ns"},
    {falling_splits, ": node_splits[0] = 9, but splits rise from 0 to 7"},
};

static void each_spoiled_array_gets_its_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
        test_layout l;
        ag_failure why;
        test_layout_make(&l);
        spoiled[i].spoil(&l);
        assert_true(test_arrays_write(test_path, l.array, l.arrays));
        assert_null(open_path(&why));
        assert_int_equal(why.status, AG_EDATA);
        assert_non_null(strstr(why.sentence, test_path));
        if (spoiled[i].sentence[0] == ':')
            assert_string_equal(why.sentence + strlen(test_path), spoiled[i].sentence);
        else
            assert_non_null(strstr(why.sentence, spoiled[i].sentence));
    }
}

static void op_code_120_and_other_dtypes_are_read(void **state)
{
    (void)state;
    test_layout l;
    ag_failure why;
    int32_t opcode[TEST_NODES] = {0, 1, 120, 3, 4, 5, 6}, edge[TEST_EDGES][2];
    test_layout_make(&l);
    for (int e = 0; e < TEST_EDGES; e++)
        for (int k = 0; k < 2; k++) edge[e][k] = (int32_t)l.edge[e][k];
    l.array[NODE_OPCODE] = (test_array){"node_opcode", AG_I32, 1, {TEST_NODES}, opcode};
    l.array[EDGE_INDEX] = (test_array){"edge_index", AG_I32, 2, {TEST_EDGES, 2}, edge};
    assert_true(test_arrays_write(test_path, l.array, l.arrays));
    tgraph_file *f = open_path(&why);
    assert_non_null(f);
    assert_int_equal(f->graph.opcode[1], 120);
    tgraph_file_close(f);
}

static void spoiled_tiles_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        test_tile t;
        ag_failure why = {0};
        tgraph_data_options options = tgraph_tile_defaults();
        test_tile_make(&t);
        if (i == 0) t.config[2][3] = INFINITY;
        if (i == 1) t.normalizer[1] = 0;
        if (i == 2) t.array[TILE_NORMALIZERS].size[0] = 2;
        if (i == 3) t.array[TILE_CONFIG_FEAT].size[1] = 23;
        if (i == 4) t.array[TILE_CONFIG_FEAT].size[0] = t.array[TILE_RUNTIME].size[0] = 0;
        static const char *const sentence[] = {
            ": config_feat[2,3] = inf, but features must be finite",
            ": config_runtime_normalizers[1] = 0, but it must be at least 1 ns",
            (": config_runtime_normalizers has shape [2], but must be [3]: one run time of "
             "the default tile per configuration"),
            (": config_feat has shape [3,23], but must be [any,24]: 24 features per tile "
             "configuration"),
            ": config_feat has 0 configurations, but a file needs 1 to 89478485"};
        assert_true(test_arrays_write(test_path, t.array, t.arrays));
        assert_null(tgraph_tile_open(test_path, &options, NULL, &why));
        assert_int_equal(why.status, AG_EDATA);
        assert_string_equal(why.sentence + strlen(test_path), sentence[i]);
    }
}

static void neither_layout_nor_tile_is_said(void **state)
{
    (void)state;
    test_layout l;
    tgraph_summary s;
    ag_failure why = {0};
    test_layout_make(&l);
    assert_true(test_arrays_write(test_path, l.array, 2));
    assert_int_equal(tgraph_is_tile(test_path, &why), -1);
    assert_non_null(
        strstr(why.sentence, "neither node_config_feat (a layout file) nor config_feat"));
    why = (ag_failure){0};
    assert_int_equal(tgraph_summarise(&s, test_path, NULL, &why), AG_EDATA);
}

static void a_limit_below_the_graph_is_said(void **state)
{
    (void)state;
    test_layout l;
    ag_failure why = {0};
    tpugraphs_budget budget = {3000, 0, 0};
    tgraph_data_options options = tgraph_layout_defaults();
    test_layout_make(&l);
    assert_true(test_arrays_write(test_path, l.array, l.arrays));
    assert_null(tgraph_file_open(test_path, &options, &budget, &why));
    assert_int_equal(why.status, AG_EMEMORY);
    assert_non_null(strstr(why.sentence, "raise --ram-limit or use fewer files"));
    assert_int_equal(budget.used + budget.on_disk, 0);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_layout l;
    ag_failure why;
    tgraph_file *f = NULL;
    test_layout_make(&l);
    assert_true(test_arrays_write(test_path, l.array, l.arrays));
    long n = 1;
    for (; n < 500 && !f; n++) {
        ag__fail_allocation(n, 0);
        f = open_path(&why);
        ag__fail_allocation(0, 0);
        if (!f) assert_int_equal(why.status, AG_EMEMORY);
    }
    assert_true(n > 15 && n < 500);
    tgraph_file_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_spoiled_array_gets_its_sentence),
        cmocka_unit_test(op_code_120_and_other_dtypes_are_read),
        cmocka_unit_test(spoiled_tiles_are_refused),
        cmocka_unit_test(neither_layout_nor_tile_is_said),
        cmocka_unit_test(a_limit_below_the_graph_is_said),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
