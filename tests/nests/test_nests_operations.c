/* SPDX-License-Identifier: MIT */
/* The operations of a layout file: their operands, kinds and axes; and their loops. */
#include "support/test.h"
#include "support/tgraph_open.h"

enum { PARAMETER = 63, DOT = 34 };

/* A permutation of three axes that is not its own inverse: axis 1 of the operand becomes axis 0. */
static void a_transpose_turns_the_right_way(void **state)
{
    tpugraphs_operation o[2] = {{.kind = TPUGRAPHS_LEAF, .rank = 3, .size = {2, 3, 5}},
                                {.kind = TPUGRAPHS_TRANSPOSE,
                                 .rank = 3,
                                 .size = {3, 5, 2},
                                 .operands = 1,
                                 .dims = {1, 2, 0}}};
    const nests_layout p = {.count = 2, .operation = o};
    const nests_order of_operand[1] = {nests_row_major(3)};
    const nests_order order = nests_inherited_order(&p, 1, of_operand);
    const signed char want[3] = {1, 0, 2}; /* axis 2 of the operand is still the most minor */
    assert_memory_equal(order.axis, want, sizeof want);
    /* So the values lie as they did, and the nest runs through both from one to the next. */
    const nests_strides in[NESTS_INPUTS] = {nests_strides_of(of_operand, 3, o[0].size)};
    const nests_strides out = nests_strides_of(&order, 3, o[1].size);
    const nests_nest nest = nests_nest_of(&p, 1, &out, in);
    assert_int_equal(nest.loops, 1);
    assert_true(nest.loop[0].size == 30 && nest.loop[0].out == 1 && nest.loop[0].in[0] == 1);
}

static void set_node(test_layout *l, int node, int opcode, int rank, const int *size)
{
    l->opcode[node] = (uint8_t)opcode;
    for (int i = 0; i < 6; i++) l->node_feat[node][21 + i] = i < rank ? (float)size[i] : 0;
}

/* The batch axes of both operands are those of the product. */
static void a_dot_compares_the_batch_of_both(void **state)
{
    static const int64_t edge[TEST_EDGES][2] = {{2, 0}, {2, 1}, {3, 2}, {4, 3}, {6, 4}};
    for (int wrong = 0; wrong < 3; wrong++) {
        test_layout l;
        test_layout_make(&l);
        memcpy(l.edge, edge, sizeof edge);
        set_node(&l, 0, PARAMETER, 3, (int[]){wrong == 1 ? 3 : 2, 8, 4});
        set_node(&l, 1, PARAMETER, 3, (int[]){wrong == 2 ? 3 : 2, 4, 5});
        set_node(&l, 2, DOT, 3, (int[]){2, 8, 5});
        for (int named = 0; named < 2; named++) {
            const int64_t dot[1][4] = {{2, 1, 2, 1}};
            if (named) l.array[l.arrays++] = (test_array){"dot_axes", AG_I64, 2, {1, 4}, dot};
            tgraph_file *f = test_layout_open(&l, test_operations(), NULL);
            assert_int_equal(f->operations.operation[2].kind,
                             wrong ? TPUGRAPHS_MAP : TPUGRAPHS_DOT);
            tgraph_file_close(f);
        }
    }
}

/* Features fit either way; the window is as large as the kernel. */
static void a_convolution_tells_kernel_from_input(void **state)
{
    static const int64_t edge[TEST_EDGES][2] = {{2, 0}, {2, 1}, {3, 2}, {4, 3}, {6, 4}};
    static const float axes[] = {0, 2, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 2, 1};
    test_layout l;
    test_layout_make(&l);
    memcpy(l.edge, edge, sizeof edge);
    set_node(&l, 0, PARAMETER, 3, (int[]){3, 4, 4}); /* kernel: window, features in, out */
    set_node(&l, 1, PARAMETER, 3, (int[]){2, 4, 4}); /* input: batch, positions, features */
    set_node(&l, 2, TPUGRAPHS_CONVOLUTION, 3, (int[]){2, 2, 4});
    l.node_feat[2][TPUGRAPHS_WINDOW_SIZE] = 3;
    memcpy(&l.node_feat[2][TPUGRAPHS_IN_BATCH], axes, sizeof axes);
    tgraph_file *f = test_layout_open(&l, test_operations(), NULL);
    const tpugraphs_operation *o = &f->operations.operation[2];
    assert_int_equal(o->kind, TPUGRAPHS_CONVOLUTION);
    assert_int_equal(o->operand[0], 1);
    assert_int_equal(o->operand[1], 0);
    tgraph_file_close(f);
}

static void a_node_is_no_operand_of_its_own(void **state)
{
    test_layout l;
    test_layout_make(&l);
    l.edge[2][1] = 3; /* (3, 3) instead of (3, 2) */
    for (int ordered = 0; ordered < 2; ordered++) {
        if (ordered)
            l.array[l.arrays++] = (test_array){"operand_index", AG_I64, 2, {TEST_EDGES, 2}, l.edge};
        tgraph_file *f = test_layout_open(&l, test_operations(), NULL);
        assert_int_equal(f->operations.operation[2].operands, 1);
        assert_int_equal(f->operations.operation[3].operands, 0);
        assert_int_equal(f->operations.operation[3].kind, TPUGRAPHS_LEAF);
        tgraph_file_close(f);
    }
}

/* ---- arrays that TpuGraphs has not ---- */

static void wrong_operands_and_axes_are_refused(void **state)
{
    static const int64_t pair[][2] = {{1, 0}, {2, TEST_NODES}}, few[][2] = {{2, 1}, {1, 0}};
    static const int64_t dots[][4] = {{3, 0, 1, 0}, {3, 1, 0, 1}};
    static const int64_t falling[][4] = {{3, 0, 1, 0}, {2, 0, 1, 1}}, other[][4] = {{4, 0, 1, 0}};
    const test_array extra[] = {{"operand_index", AG_I64, 2, {2, 2}, pair},
                                {"operand_index", AG_I64, 2, {2, 2}, few},
                                {"dot_axes", AG_I64, 2, {2, 4}, dots},
                                {"dot_axes", AG_I64, 2, {2, 4}, falling},
                                {"dot_axes", AG_I64, 2, {1, 4}, other}};
    static const char *const says[] = {
        "operand_index[1] = (2, 7)",
        "edge_index has the pair (3, 2) of nodes and operand_index has not",
        "dot_axes[1] = (3, 1, 0, 1)",
        "dot_axes[1] is of node 2 and follows node 3",
        "dot_axes[0] is of node 4 with the op code 14, but only a dot (34)",
    };
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        test_layout l;
        test_layout_make(&l);
        l.opcode[2] = l.opcode[3] = DOT;
        l.array[l.arrays++] = extra[i];
        assert_true(test_arrays_write(test_path, l.array, l.arrays));
        /* Whoever asks for operations reads a file that was checked. */
        const tgraph_data_options all = tgraph_layout_defaults();
        expect_null(tgraph_file_open(test_path, &all, NULL, new_failure()), AG_EDATA, says[i]);
    }
}

/* ---- windows ---- */

/* A sum over windows of [5] in an input of [5], of which `low` are in front of it. */
static nests_nest window_nest(int low, int gap)
{
    tpugraphs_operation o[2] = {
        {.kind = TPUGRAPHS_LEAF, .rank = 1, .size = {5}, .config = -1},
        {.kind = TPUGRAPHS_REDUCE_WINDOW,
         .opcode = TPUGRAPHS_REDUCE_WINDOW,
         .rank = 1,
         .size = {5},
         .operands = 1,
         .window = {{.size = 3, .stride = 1, .low = low, .dilation = 1, .base_dilation = gap}}}};
    const nests_layout p = {.count = 2, .operation = o};
    const nests_strides one = {{1}}, in[NESTS_INPUTS] = {{{1}}};
    return nests_nest_of(&p, 1, &one, in);
}

static void windows_count_what_is_inside(void **state)
{
    const nests_nest padded = window_nest(1, 1);
    assert_true(padded.work == 2 + 3 + 3 + 3 + 2);
    /* Both loops are cut by the window, so no reduction runs next to the row. */
    assert_int_equal(padded.loops, 3);
    assert_true(padded.loop[0].size == 5 && !padded.loop[0].reduce);
    assert_true(padded.loop[1].size == 3 && padded.loop[1].reduce && padded.loop[1].window == 1);
    assert_true(padded.loop[2].size == 1 && padded.loop[2].reduce);
    /* Between elements of the input are gaps: half of the 15 taps meet one. */
    assert_true(window_nest(0, 2).work == 7.5);
    /* An input of 5 has 3 windows that are inside; the other two meet 2 and 1 of it. */
    assert_true(window_nest(0, 1).work == 12);
}

/* ---- plans ---- */

static void loops_are_planned(void **state)
{
    int folds;
    /* A window that is cut runs outside of other reductions, whatever its stride. */
    tpugraphs_loop sum[] = {{8, 1, {8, 0}, 0, 0}, {3, 0, {1, 1}, 1, 1}, {4, 0, {9, 9}, 1, 0}};
    assert_int_equal(tpugraphs_plan_loops(sum, 3, TPUGRAPHS_BY_STRIDES, &folds), 3);
    assert_true(sum[1].size == 3 && sum[2].size == 4 && !folds);
    assert_int_equal(tpugraphs_loop_jumps(&sum[2]), 2);
}

static void vectors_leave_over(void **state)
{
    assert_true(tpugraphs_left_over(20, 8) == 0.2F);
    assert_true(tpugraphs_left_over(16, 8) == 0);
    assert_true(tpugraphs_left_over(3, 8) == 1);
    assert_true(tpugraphs_left_over(0.5, 8) == 0);
    assert_true(tpugraphs_left_over(INFINITY, 8) == 0);
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, a_transpose_turns_the_right_way,
                          a_dot_compares_the_batch_of_both, a_convolution_tells_kernel_from_input,
                          a_node_is_no_operand_of_its_own, wrong_operands_and_axes_are_refused,
                          windows_count_what_is_inside, loops_are_planned, vectors_leave_over);
}
