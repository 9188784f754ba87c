/* SPDX-License-Identifier: MIT */
/* Too little memory, for every model: files that do not fit into --ram-limit end with 5 and a
   sentence that names it, and leave nothing. Failing allocations: test_program_memory_full.c. */
#include "support/test.h"
#include "examples/tgraph/program.h"
#include "support/program_models.h"
#include "support/spoiled.h"

#include <unistd.h>

enum { NODES = 4000 };

/* Both begin with the features of nodes and their codes. */
static void write_nodes(const char *name, test_array *array, int count)
{
    static float node[NODES][140];
    static uint8_t opcode[NODES];
    array[NODE_FEAT].data = node;
    array[NODE_OPCODE].data = opcode;
    array[NODE_FEAT].size[0] = array[NODE_OPCODE].size[0] = NODES;
    assert_true(test_arrays_write(test_file(name), array, count));
}

static void write_schedules(const char *name)
{
    static float row[NODES][TPGNN_FEATURES];
    test_schedules s;
    test_schedules_make(&s);
    s.array[TPGNN_FEATURE_ROW].data = row;
    s.array[TPGNN_FEATURE_ROW].size[0] = NODES;
    test_schedules_write(&s, name);
}

static void write_rows(const char *name)
{
    static float row[NODES][140];
    static double work[NODES];
    const int64_t offset[] = {0, 1, NODES}, runtime[] = {1, 2};
    for (int i = 0; i < NODES; i++) work[i] = 1;
    const test_array array[] = {{"row_feature", AG_F32, 2, {NODES, 140}, row},
                                {"row_work", AG_F64, 1, {NODES}, work},
                                {"row_offset", AG_I64, 1, {3}, offset},
                                {"config_runtime", AG_I64, 1, {2}, runtime}};
    assert_true(test_arrays_write(test_file(name), array, 4));
}

/* Files that take from 2 to 5 MiB, with the names that programs of their own would have. */
static int make_files(void **state)
{
    int arrays;
    if (program_models_make(state)) return -1;
    test_array *array = test_kind_make(LAYOUT, &arrays);
    array[NODE_SPLITS].name = NULL;
    write_nodes("layout.npz", array, arrays);
    array = test_kind_make(TILE, &arrays);
    write_nodes("tile_0_00000001.npz", array, arrays);
    array = test_kind_make(FUSION, &arrays);
    test_set_element(&array[FUSION_NODE_OFFSET], FUSION_KERNELS, NODES);
    write_nodes("fusion_0.npz", array, arrays);
    write_schedules("tasks_0.npz");
    write_rows("rows.npz");
    return 0;
}

static const char *const big[PROGRAM_MODELS] = {
    "layout.npz",          "layout.npz",   "tile_0_00000001.npz",
    "tile_0_00000001.npz", "fusion_0.npz", "tasks_0.npz",
    "tasks_0.npz",         "rows.npz",     "rows.npz"};

/* Training files and those that validate share the limit. */
static void the_limit(void **state)
{
    static const char *const commands[] = {"predict --run %s --data", "eval --run %s --data",
                                           "inspect"};
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        const char *const program = m->program->name, *options = program_model_sizes(m);
        const int tgraph = m->program == &tgraph_program_table;
        const char *const most = tgraph ? "7M" : "3M";
        const char *const limits[] = {"1M", most, most};
        for (int k = 0; k < 3; k++) {
            program_expect_line(k == 1 ? 0 : 5, "", k == 1 ? "" : "; raise --ram-limit",
                                "%s train --out %s --steps 1 --data %s%s%s%s%s --ram-limit %s"
                                " --force" PROGRAM_QUIET,
                                program, m->name, big[i], k == 2 ? " --valid " : "",
                                k == 2 ? big[i] : "", options, tgraph ? " --no-prune" : "",
                                limits[k]);
            if (!k) assert_int_not_equal(access(test_file(m->name), F_OK), 0); /* nothing is made */
        }
        for (int k = 0; k < (tgraph ? 2 : 3); k++) { /* tgraph inspect reads a file in parts */
            const char *command = formatted(commands[k], m->name);
            const program_outcome o = program_expect_line(
                5, "", "; raise --ram-limit", "%s %s %s --ram-limit 1M", program, command, big[i]);
            assert_non_null(strstr(o.err, big[i]));
        }
    }
}

int main(void) { return RUN_TESTS_WITH(make_files, test_folder_remove, the_limit); }
