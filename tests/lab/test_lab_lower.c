/* SPDX-License-Identifier: MIT */
/* The order of the loops of planned nests. The nests of every op: test_lab_run.c. */
#include "support/test.h"
#include "examples/lab/nest/nest.h"

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

/* Loops of these sizes outside, then the row and the reduction, in the order that a rule promises.
 */
static void expect_loops(const nest *n, const int *outside, int row, int sum, nest_body body)
{
    for (int i = 0; i < n->depth; i++) assert_int_equal(n->loop[i].size, outside[i]);
    assert_int_equal(n->n.size, row);
    assert_int_equal(n->r.size, sum);
    assert_ptr_equal(n->body, body);
}

/* A product of [6,3] and [3,5], whose output is column-major, its sum too short to run inside by
   its strides. */
static void test_product(void **state)
{
    const int first[] = {5, 5, 6}, row[] = {6, 6, 5}, rows[] = {1, 0, 1};
    for (int rule = 0; rule <= TPUGRAPHS_AS_GIVEN; rule++) {
        nest n = {.kind = NEST_DOT, .rule = (tpugraphs_rule)rule};
        nest_loop_add(&n, 6, 0, 1, 3, 0, 0);
        nest_loop_add(&n, 5, 0, 6, 0, 1, 0);
        nest_loop_add(&n, 3, 1, 0, 1, 5, 0);
        nest_plan(&n);
        assert_int_equal(n.depth, 1);
        expect_loops(&n, &first[rule], row[rule], 3, nest_dot_body(rows[rule]));
    }
}

/* A sum of windows over an image whose axes 0 and 1 are in memory the other way around; as given,
   the window's loop comes before the features that came first. */
static void test_windows(void **state)
{
    static const int outside[][2] = {{9, 3}, {9, 3}, {7, 3}}, row[] = {7, 7, 9}, rows[] = {1, 0, 1};
    for (int rule = 0; rule <= TPUGRAPHS_AS_GIVEN; rule++) {
        nest n = {.kind = NEST_SUM, .rule = (tpugraphs_rule)rule, .n_windows = 1};
        n.window[0] = (nest_window){{1, 3}, {1, 1}, -1, 7, 1, 5};
        nest_loop_add(&n, 5, 1, 0, 1, 0, 0);
        nest_loop_add(&n, 7, 0, 1, 0, 0, 0);
        nest_loop_add(&n, 9, 0, 7, 35, 0, 0);
        nest_loop_add(&n, 3, 1, 0, 0, 0, 0);
        nest_plan(&n);
        assert_int_equal(n.n_windows, 1);
        expect_loops(&n, outside[rule], row[rule], 5, nest_reduce_body(NEST_SUM, rows[rule]));
    }
}

int main(void) { return RUN_TESTS(test_plan, test_product, test_windows); }
