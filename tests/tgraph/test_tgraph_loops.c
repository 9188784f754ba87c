/* SPDX-License-Identifier: MIT */
/* Plans of loops, and windows that leave the tensor. test_tgraph_physical compares with the lab. */
#include "examples/tgraph/physical/physical.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>

/* ---- windows ---- */

/* A sum over windows of [5] in an input of [5], of which `low` are in front of it. */
static tgraph_nest window_nest(int low, int gap)
{
    tgraph_operation o[2] = {{.kind = TGRAPH_LEAF, .rank = 1, .size = {5}, .config = -1},
                             {.kind = TGRAPH_WINDOW,
                              .rank = 1,
                              .size = {5},
                              .operands = 1,
                              .window = {3},
                              .step = {1},
                              .low = {low},
                              .tap = {1},
                              .gap = {gap}}};
    const tgraph_physical p = {.count = 2, .operation = o};
    const tgraph_strides one = {{1}}, in[TGRAPH_INPUTS] = {{{1}}};
    return tgraph_nest_of(&p, 1, &one, in);
}

static void windows_count_what_is_inside(void **state)
{
    (void)state;
    const tgraph_nest padded = window_nest(1, 1);
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
    (void)state;
    int folds;
    /* Two loops that run through memory like one, given in the wrong order. */
    tpugraphs_loop map[] = {{8, 1, {1, 0}, 0, 0}, {4, 8, {8, 0}, 0, 0}};
    assert_int_equal(tpugraphs_plan_loops(map, 2, &folds), 1);
    assert_true(map[0].size == 32 && map[0].out == 1 && !folds);
    /* Inputs are contiguous along the reduction alone: it runs inside, unless it is short. */
    tpugraphs_loop dot[] = {{16, 1, {0, 64}, 0, 0}, {64, 0, {1, 1}, 1, 0}};
    assert_int_equal(tpugraphs_plan_loops(dot, 2, &folds), 2);
    assert_true(dot[0].size == 16 && dot[1].size == 64 && folds);
    dot[1].size = 7;
    tpugraphs_plan_loops(dot, 2, &folds);
    assert_false(folds);
    /* A window that is cut runs outside of other reductions, whatever its stride. */
    tpugraphs_loop sum[] = {{8, 1, {8, 0}, 0, 0}, {3, 0, {1, 1}, 1, 1}, {4, 0, {9, 9}, 1, 0}};
    assert_int_equal(tpugraphs_plan_loops(sum, 3, &folds), 3);
    assert_true(sum[1].size == 3 && sum[2].size == 4 && !folds);
    assert_int_equal(tpugraphs_loop_jumps(&sum[2]), 2);
}

static void vectors_leave_over(void **state)
{
    (void)state;
    assert_true(tpugraphs_left_over(20, 8) == 0.2F);
    assert_true(tpugraphs_left_over(16, 8) == 0);
    assert_true(tpugraphs_left_over(3, 8) == 1);
    assert_true(tpugraphs_left_over(0.5, 8) == 0);
    assert_true(tpugraphs_left_over(INFINITY, 8) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_count_what_is_inside),
        cmocka_unit_test(loops_are_planned),
        cmocka_unit_test(vectors_leave_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
