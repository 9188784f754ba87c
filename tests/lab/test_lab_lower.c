/* SPDX-License-Identifier: MIT */
/* The order of the loops of planned nests. The nests of every op: test_lab_run.c. */
#include "support/test.h"
#include "examples/lab/nest/nest.h"

static void expect_loops(const nest *n, int first, int inner, nest_body body)
{
    assert_int_equal(n->loop[0].size, first);
    assert_int_equal(n->n.size, inner);
    assert_ptr_equal(n->body, body);
}

/* Neighbouring loops become one, and windows that are never cut none. */
static void test_plan(void **state)
{
    nest n = {.kind = NEST_MAP, .op = LAB_ADD};
    nest_loop_add(&n, 3, 0, 20, 20, 20, 0);
    nest_loop_add(&n, 5, 0, 1, 1, 1, 0);
    nest_loop_add(&n, 4, 0, 5, 5, 5, 0);
    nest_plan(&n);
    assert_int_equal(n.depth, 0);
    assert_int_equal(n.n.size, 60);
    nest convolution = {.kind = NEST_DOT, .n_windows = 1, .window = {{{0, 1}, {1, 1}, 0, 8, 1, 1}}};
    nest_loop_add(&convolution, 6, 0, 1, 0, 0, 0);
    nest_loop_add(&convolution, 3, 1, 0, 0, 1, 0);
    nest_plan(&convolution);
    assert_int_equal(convolution.n_windows, 0);
    assert_int_equal(convolution.depth, 0);
}

/* A product of [6,3] and [3,5], whose output is column-major, its sum too short to run inside by
   its strides. */
static nest planned_product(tpugraphs_rule rule)
{
    nest n = {.kind = NEST_DOT, .rule = rule};
    nest_loop_add(&n, 6, 0, 1, 3, 0, 0);
    nest_loop_add(&n, 5, 0, 6, 0, 1, 0);
    nest_loop_add(&n, 3, 1, 0, 1, 5, 0);
    nest_plan(&n);
    assert_int_equal(n.depth, 1);
    assert_int_equal(n.r.size, 3);
    return n;
}

/* A sum of windows over an image whose axes 0 and 1 are in memory the other way around. */
static nest planned_windows(tpugraphs_rule rule)
{
    nest n = {.kind = NEST_SUM, .rule = rule};
    nest_loop_add(&n, 5, 1, 0, 1, 0, 0);
    const int y = nest_loop_add(&n, 7, 0, 1, 0, 0, 0);
    nest_loop_add(&n, 9, 0, 7, 35, 0, 0);
    const int k = nest_loop_add(&n, 3, 1, 0, 0, 0, 0);
    n.window[n.n_windows++] = (nest_window){{y, k}, {1, 1}, -1, 7, 1, 5};
    nest_plan(&n);
    assert_int_equal(n.n_windows, 1);
    return n;
}

/* The order of the loops that each rule promises. */
static void test_rules(void **state)
{
    nest n = planned_product(TPUGRAPHS_BY_STRIDES);
    expect_loops(&n, 5, 6, nest_dot_body(1));
    n = planned_product(TPUGRAPHS_SUM_INSIDE);
    expect_loops(&n, 5, 6, nest_dot_body(0));
    n = planned_product(TPUGRAPHS_AS_GIVEN);
    expect_loops(&n, 6, 5, nest_dot_body(1));
    n = planned_windows(TPUGRAPHS_BY_STRIDES);
    assert_int_equal(n.loop[0].size, 9);
    assert_int_equal(n.n.size, 7);
    n = planned_windows(TPUGRAPHS_SUM_INSIDE);
    assert_int_equal(n.n.size, 7);
    assert_int_equal(n.r.size, 5);
    assert_ptr_equal(n.body, nest_reduce_body(NEST_SUM, 0));
    n = planned_windows(TPUGRAPHS_AS_GIVEN);
    assert_int_equal(n.loop[0].size, 7);
    assert_int_equal(n.loop[1].size, 3); /* the window's, before the features that came first */
    assert_int_equal(n.n.size, 9);
    assert_int_equal(n.r.size, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plan), cmocka_unit_test(test_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
