/* SPDX-License-Identifier: MIT */
/* Files of each kind with one wrong array: a sentence each, and data that were read before stay.
   Cuts and flipped bits: test_program_damage.c. */
#include "support/test.h"
#include "examples/tgraph/data/data.h"
#include "support/spoiled.h"

/* ---- one array is spoiled ---- */

typedef struct spoil {
    test_kind kind;
    int array;
    test_what what;
    int at;
    double value;
    const char *sentence; /* after the path; NULL: the file is read */
} spoil;

static const spoil spoils[] = {
    {LAYOUT, EDGE_INDEX, ELEMENT, 6, 372, ": edge_index[3] = (372, 3), but nodes are 0 to 6"},
    {LAYOUT, EDGE_INDEX, ELEMENT, 1, -1, ": edge_index[0] = (1, -1)"},
    {LAYOUT, EDGE_INDEX, ELEMENT, 3, -0x1p63, ": edge_index[1] = (2, -9223372036854775808)"},
    {LAYOUT, EDGE_INDEX, SIZE, 1, 1,
     ": edge_index has shape [5,1], but must be [any,2]: one pair (consumer, producer) per edge"},
    {LAYOUT, EDGE_INDEX, TYPE, 0, AG_F64, ": member edge_index"},
    {LAYOUT, NODE_FEAT, SIZE, 1, 139,
     ": node_feat has shape [7,139], but must be [any,140]: one row of 140 features per node"},
    {LAYOUT, NODE_FEAT, RANK, 0, 1, ": node_feat has shape [7], but must be [any,140]"},
    {LAYOUT, NODE_FEAT, SIZE, 0, 0, ": node_feat has 0 nodes, but a graph has 1 to 15339168"},
    {LAYOUT, NODE_FEAT, ELEMENT, 6 * 140 + 133, NAN, /* of a node that pruning drops */
     ": node_feat[6,133] = nan, but features must be finite"},
    {LAYOUT, NODE_FEAT, ELEMENT, 2 * 140 + 134, -INFINITY, ": node_feat[2,134] = -inf"},
    {LAYOUT, NODE_OPCODE, SIZE, 0, 6,
     ": node_opcode has shape [6], but must be [7]: one code per row of node_feat"},
    {LAYOUT, NODE_OPCODE, ELEMENT, 4, 120, NULL},
    {LAYOUT, NODE_OPCODE, ELEMENT, 4, 121,
     ": node_opcode[4] = 121, but the model's op table has rows 0 to 120; leave the file out, or "
     "give newer op codes the code 0 (unknown)"},
    {LAYOUT, NODE_OPCODE, TYPE, 0, AG_I32, ", but op codes are 0 to 255"},
    {LAYOUT, NODE_CONFIG_IDS, ELEMENT, 1, 7, ": node_config_ids[1] = 7"},
    {LAYOUT, NODE_CONFIG_IDS, ELEMENT, 1, 2,
     ": node_config_ids[1] = 2 follows 2, but must be strictly ascending"},
    {LAYOUT, NODE_CONFIG_IDS, SIZE, 0, 0,
     ": node_config_ids has 0 entries, but a graph of 7 nodes has 1 to 7 configurable nodes"},
    {LAYOUT, NODE_CONFIG_IDS, SIZE, 0, 1,
     ": node_config_feat has shape [6,2,18], but must be [any,1,18]: 18 layout values per "
     "configuration and configurable node"},
    {LAYOUT, NODE_CONFIG_FEAT, SIZE, 0, 0,
     ": node_config_feat has 0 configurations, but a file needs at least 1; leave it out"},
    {LAYOUT, NODE_CONFIG_FEAT, SIZE, 2, 17,
     ": node_config_feat has shape [6,2,17], but must be [any,2,18]"},
    {LAYOUT, NODE_CONFIG_FEAT, ELEMENT, (3 * 2 + 1) * 18 + 17, 6,
     ": node_config_feat[3,1,17] = 6, but layout values are integers -1 to 5"},
    {LAYOUT, NODE_CONFIG_FEAT, ELEMENT, 5 * 2 * 18, 0.5, ": node_config_feat[5,0,0] = 0.5"},
    {LAYOUT, NODE_CONFIG_FEAT, ELEMENT, 3, NAN, ": node_config_feat[0,0,3] = nan"},
    {LAYOUT, CONFIG_RUNTIME, SIZE, 0, 5,
     ": config_runtime has shape [5], but must be [6]: one run time per configuration"},
    {LAYOUT, CONFIG_RUNTIME, TYPE, 0, AG_F64, ": member config_runtime"},
    {LAYOUT, CONFIG_RUNTIME, ELEMENT, 2, -5,
     ": config_runtime[2] = -5, but it must be at least 1 ns"},
    {LAYOUT, CONFIG_RUNTIME, ELEMENT, 5, 0, ": config_runtime[5] = 0"},
    {LAYOUT, NODE_SPLITS, ELEMENT, 0, 9, ": node_splits[0] = 9, but splits rise from 0 to 7"},

    {TILE, TILE_CONFIG_FEAT, ELEMENT, 2 * 24 + 3, INFINITY, ": config_feat[2,3] = inf"},
    {TILE, TILE_CONFIG_FEAT, SIZE, 1, 23,
     ": config_feat has shape [3,23], but must be [any,24]: 24 features per tile configuration"},
    {TILE, TILE_CONFIG_FEAT, SIZE, 0, 0,
     ": config_feat has 0 configurations, but a file needs 1 to 89478485"},
    {TILE, TILE_NORMALIZERS, ELEMENT, 1, 0, ": config_runtime_normalizers[1] = 0"},
    {TILE, TILE_NORMALIZERS, SIZE, 0, 2,
     ": config_runtime_normalizers has shape [2], but must be [3]: one run time of the default "
     "tile per configuration"},
    {TILE, TILE_RUNTIME, ELEMENT, 1, 0, ": config_runtime[1] = 0"},
    {TILE, NODE_FEAT, ELEMENT, 140 + 2, NAN, ": node_feat[1,2] = nan"},
    {TILE, EDGE_INDEX, ELEMENT, 1, 1,
     ": the edges form a circle through node 1, but no value of a kernel can depend on itself; "
     "leave the file out"},

    {FUSION, FUSION_NODE_OFFSET, ELEMENT, 0, 1,
     ": node_offset goes from 1 to 8, but must go from 0 to 8"},
    {FUSION, FUSION_NODE_OFFSET, ELEMENT, 1, 6,
     ": node_offset[2] = 5 follows 6, but it must be at least 1 more and at most 8"},
    {FUSION, FUSION_NODE_OFFSET, ELEMENT, 2, 4, ": node_offset[2] = 4 follows 4"},
    {FUSION, FUSION_NODE_OFFSET, ELEMENT, 1, 0x1p63,
     ": node_offset[1] = 9223372036854775807 follows 0"},
    {FUSION, FUSION_NODE_OFFSET, ELEMENT, 1, -0x1p63,
     ": node_offset[1] = -9223372036854775808 follows 0"},
    {FUSION, FUSION_EDGE_OFFSET, ELEMENT, 2, 3, ": edge_offset[2] = 3 follows 4"},
    {FUSION, FUSION_EDGE_OFFSET, ELEMENT, 3, 5,
     ": edge_offset goes from 0 to 5, but must go from 0 to 6"},
    {FUSION, FUSION_NODE_OFFSET, SIZE, 0, 3,
     ": node_offset has shape [3], but must be [4]: where each kernel begins, and the end of the "
     "last"},
    {FUSION, FUSION_NODE_OFFSET, TYPE, 0, AG_F64, ": member node_offset"},
    {FUSION, FUSION_RUNTIME, SIZE, 0, 0,
     ": kernel_runtime has 0 kernels, but a file of 8 nodes has 1 to 8"},
    {FUSION, FUSION_RUNTIME, SIZE, 0, 9,
     ": kernel_runtime has 9 kernels, but a file of 8 nodes has 1 to 8"},
    {FUSION, FUSION_RUNTIME, RANK, 0, 2, ": kernel_runtime has shape [3,0], but must be [any]"},
    {FUSION, FUSION_RUNTIME, ELEMENT, 1, 0, ": kernel_runtime[1] = 0"},
    {FUSION, FUSION_RUNTIME, TYPE, 0, AG_F64, ": member kernel_runtime"},
    {FUSION, EDGE_INDEX, ELEMENT, 10, 3,
     ": edge_index[5] = (3, 1), but the nodes of kernel 2 are 0 to 2; edges are counted from a "
     "kernel's first node"},
    {FUSION, NODE_OPCODE, ELEMENT, 1, 120, NULL},
    {FUSION, NODE_OPCODE, ELEMENT, 5, 121,
     ": node_opcode[5] = 121, but the model's op table has rows"},
    {FUSION, EDGE_INDEX, ELEMENT, 0, 0, ": kernel 0: the edges form a circle through node 0"},
    {FUSION, EDGE_INDEX, ELEMENT, 1, 3, ": kernel 0: the edges form a circle through node"},

    {SCHEDULES, TPGNN_NODE_KIND, ELEMENT, 3, 10,
     ": node_kind[3] = 10, but it must be 0 to 9: a line of kinds per node"},
    {SCHEDULES, TPGNN_NODE_CHILDREN, SIZE, 0, 22,
     ": node_children has shape [22], but must be [23]: the number of children of each node"},
    {SCHEDULES, TPGNN_NODE_CHILDREN, ELEMENT, 0, 1,
     ": node_children: the tree of schedule 0 is complete with 3 nodes, but node_offset gives it "
     "9"},
    {SCHEDULES, TPGNN_NODE_CHILDREN, ELEMENT, 8, 1,
     ": node_children: node 8 of schedule 0 should have 1 children, but the schedule ends with the "
     "9 nodes of node_offset behind 0 of them"},
    {SCHEDULES, TPGNN_NODE_CHILDREN, ELEMENT, 8, 24,
     ": node_children[8] = 24, but it must be 0 to 23"},
    {SCHEDULES, TPGNN_NODE_VALUE, ELEMENT, 4, NAN, ": node_value[4] = nan, but it must be finite"},
    {SCHEDULES, TPGNN_NODE_VALUE, ELEMENT, 22, -INFINITY, ": node_value[22] = -inf"},
    {SCHEDULES, TPGNN_NODE_REFERS, ELEMENT, 6, 3,
     ": node_refers: node 6 of schedule 0 refers to declaration 3, but there are 2 before it"},
    {SCHEDULES, TPGNN_NODE_REFERS, ELEMENT, 3, 2,
     ": node_refers: node 3 of schedule 0 refers to declaration 2, but there are 1 before it"},
    {SCHEDULES, TPGNN_NODE_REFERS, ELEMENT, 22, 24,
     ": node_refers[22] = 24, but it must be 0 to 23"},
    {SCHEDULES, TPGNN_NODE_OFFSET, ELEMENT, 1, 0,
     ": node_offset[1] = 0 follows 0, but it must be at least 1 more and at most 23"},
    {SCHEDULES, TPGNN_STORE_ROW, ELEMENT, 0, 3,
     ": store_row[0] = 3, but it must be 0 to 2: a row of feature_row per stored buffer"},
    {SCHEDULES, TPGNN_STORE_OFFSET, ELEMENT, 1, -1,
     ": store_offset[1] = -1 follows 0, but it must be at least 0 more and at most 3"},
    {SCHEDULES, TPGNN_FEATURE_ROW, ELEMENT, 171, NAN, ": feature_row[1,7] = nan"},
    {SCHEDULES, TPGNN_FEATURE_ROW, SIZE, 1, 163,
     ": feature_row has shape [3,163], but must be [any,164]: 164 features per row"},
    {SCHEDULES, TPGNN_FEATURE_ROW, SIZE, 0, 0,
     ": store_row has 3 entries for 0 rows of feature_row"},
    {SCHEDULES, TPGNN_RUNTIME, ELEMENT, 1, 0,
     ": schedule_runtime of schedule 1 is 0, but must be at least 1 ns"},
    {SCHEDULES, TPGNN_MEDIAN, ELEMENT, 0, -1, ": schedule_median of schedule 0 is -1"},
    {SCHEDULES, TPGNN_PASSES, ELEMENT, 3, 0, ": schedule_passes of schedule 1 is 0"},
    {SCHEDULES, TPGNN_PASSES, RANK, 0, 1,
     ": schedule_passes has shape [2], but must be [2,2]: two run times per schedule"},
    {SCHEDULES, TPGNN_SPREAD, ELEMENT, 0, -1,
     ": schedule_spread[0] = -1, but must be a finite number from 0 on"},
    {SCHEDULES, TPGNN_NOISY, ELEMENT, 1, 2,
     ": schedule_noisy of schedule 1 is 2, but must be 0 to 1"},
    {SCHEDULES, TPGNN_ORIGIN, ELEMENT, 0, 4,
     ": schedule_origin of schedule 0 is 4, but must be 0 to 3"},
    {SCHEDULES, TPGNN_RUNTIME, TYPE, 0, AG_F64, ": member schedule_runtime"},
    {SCHEDULES, TPGNN_RUNTIME, SIZE, 0, 24,
     ": there are 24 schedules of 23 nodes together, but a file has 1 to"},
};

/* The name of an array becomes another, or none: it is left out; of `kinds` the text. */
static const struct {
    test_kind kind;
    int array;
    const char *text, *sentence;
} texts[] = {
    {LAYOUT, EDGE_INDEX, NULL,
     ": there is no array edge_index, which must hold one pair (consumer, producer) per edge (the "
     "file has: node_feat, node_opcode, node_config_feat, node_config_ids, config_runtime, "
     "node_splits)"},
    {LAYOUT, NODE_CONFIG_IDS, "node_config_id",
     ": there is no array node_config_ids, which must hold one index per configurable node"},
    {FUSION, FUSION_EDGE_OFFSET, NULL, ": there is no array edge_offset"},
    {FUSION, FUSION_RUNTIME, "runtime",
     ": there is neither config_feat (a tile file) nor kernel_runtime (a fusion file) in it"},
    {FUSION, FUSION_RUNTIME, "node_config_feat",
     ": this is a layout file (it has node_config_feat), which only tgraph reads; name tile or "
     "fusion files"},
    {SCHEDULES, TPGNN_KINDS, "PrimFunc  - - 0",
     ": line 0 of kinds, counted from 0, must be five words with a blank between them: TYPE LOOP "
     "DTYPE SCOPE NAMED, the last 0 or 1"},
    {SCHEDULES, TPGNN_KINDS, "PrimFunc - - - 0\nFor serial - 0", ": line 1 of kinds"},
    {SCHEDULES, TPGNN_KINDS, "PrimFunc - - - 0 0", ": line 0 of kinds"},
    {SCHEDULES, TPGNN_KINDS, "PrimFunc - - - 2", ": line 0 of kinds"},
    {SCHEDULES, TPGNN_KINDS, "PrimFunc - - - 0\n", ": line 1 of kinds"},
    {SCHEDULES, TPGNN_KINDS, "", ": line 0 of kinds"},
    {SCHEDULES, TPGNN_KINDS, "Prim\xC3\xA4 - - - 0", ": line 0 of kinds"},
    {SCHEDULES, TPGNN_HASH, NULL,
     ": there is no array schedule_hash, which must hold one hash per schedule"},
    {SCHEDULES, TPGNN_WORKLOAD, NULL, ": there is no array workload"},
    {SCHEDULES, TPGNN_NODE_KIND, "node_feat",
     ": this is a file of TpuGraphs or the lab (it has node_feat), which tgraph and tpu read; name "
     "files of schedules"},
};

/* ---- the readers ---- */

static void read_layout(ag_failure *why)
{
    const tgraph_data_options options = tgraph_layout_defaults();
    tgraph_file *f = tgraph_file_open(test_path, &options, NULL, why);
    if (f) tgraph_file_close(f);
}

/* Kernels that were read before stay, and nothing of a bad file is left. */
static void read_kernels(ag_failure *why, test_kind kind)
{
    tpu_data d = {0};
    if (kind == TILE)
        test_tpu_add_tile(&d, "good_1_00000001.npz");
    else
        test_tpu_add_fusion(&d, "good_1.npz");
    const int kernels = d.kernels;
    const uint64_t hash = d.hash;
    if (test_tpu_add(&d, NULL, why))
        assert_true(d.kernels == kernels && d.files == 1 && d.hash == hash);
    tpu_data_free(&d);
    assert_int_equal(d.budget.used, 0);
}

/* The same of schedules. */
static void read_schedules(ag_failure *why)
{
    test_schedules s;
    tpgnn_data d = {0};
    char path[300];
    strcpy(path, test_path);
    test_schedules_make(&s);
    test_arrays_write(strcat(path, ".good.npz"), s.array, TPGNN_ARRAYS);
    if (test_schedules_add(&d, path, why)) fail_msg("%s", why->sentence);
    const uint64_t hash = d.hash;
    if (test_schedules_add(&d, NULL, why)) {
        assert_true(d.schedules == 2 && d.tasks == 1 && d.kinds == 10 && d.families == 1);
        assert_true(d.hash == hash && d.nodes == 23 && d.stores == 3);
    }
    tpgnn_data_free(&d);
    assert_int_equal(d.budget.used, 0);
}

static void read_spoiled(test_kind kind, ag_failure *why)
{
    if (kind == LAYOUT)
        read_layout(why);
    else if (kind == SCHEDULES)
        read_schedules(why);
    else
        read_kernels(why, kind);
}

static void expect(test_kind kind, const test_array *array, int arrays, const char *sentence)
{
    assert_true(test_arrays_write(test_path, array, arrays));
    read_spoiled(kind, new_failure());
    assert_int_equal(last_failure()->status, sentence ? AG_EDATA : AG_OK);
    if (!sentence) return;
    assert_non_null(strstr(last_failure()->sentence, test_path));
    if (!strstr(last_failure()->sentence, sentence))
        fail_msg("%s\n%s", last_failure()->sentence, sentence);
}

static void each_spoiled_array_gets_its_sentence(void **state)
{
    int arrays;
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        test_array *array = test_kind_make(spoils[i].kind, &arrays);
        test_spoil(&array[spoils[i].array], spoils[i].what, spoils[i].at, spoils[i].value);
        expect(spoils[i].kind, array, arrays, spoils[i].sentence);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        test_array *array = test_kind_make(texts[i].kind, &arrays), *a = &array[texts[i].array];
        if (a->name && strcmp(a->name, "kinds") == 0) {
            a->data = texts[i].text;
            a->size[0] = (int64_t)strlen(texts[i].text);
        } else {
            a->name = texts[i].text;
        }
        expect(texts[i].kind, array, arrays, texts[i].sentence);
    }
}

/* ---- the rest ---- */

/* The sentence names a node on the circle, not one that depends on it: 3 reads 2, 2 reads 1 and 1
   reads 2. */
static void a_circle_is_named_by_one_of_its_nodes(void **state)
{
    static const int64_t edge[4][2] = {{3, 2}, {2, 1}, {1, 2}, {3, 0}};
    test_fusion f;
    test_fusion_make(&f);
    memcpy(f.edge, edge, sizeof edge);
    assert_true(test_arrays_write(test_path, f.array, f.arrays));
    read_kernels(new_failure(), FUSION);
    assert_true(strstr(last_failure()->sentence, "through node 1,") ||
                strstr(last_failure()->sentence, "through node 2,"));
}

static void kinds_are_not_mixed(void **state)
{
    test_tile t;
    test_tile_make(&t);
    assert_true(test_arrays_write(test_path, t.array, t.arrays));
    read_kernels(new_failure(), FUSION);
    assert_int_equal(last_failure()->status, AG_EUSE);
    assert_string_equal(last_failure()->sentence + strlen(test_path),
                        " is a tile file, but good_1.npz is a fusion file; the two kinds are "
                        "different tasks: name files of one kind");
    read_layout(new_failure());
    assert_int_equal(last_failure()->status, AG_EDATA);
    assert_string_equal(last_failure()->sentence + strlen(test_path),
                        " is a tile file, but tgraph ranks layouts; \"tpu\" is the program for "
                        "tiles");
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove,
                          each_spoiled_array_gets_its_sentence,
                          a_circle_is_named_by_one_of_its_nodes, kinds_are_not_mixed);
}
