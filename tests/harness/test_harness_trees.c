/* SPDX-License-Identifier: MIT */
/* Boosted trees as arrays: the same predictions, trees by hand, and what is refused. */
#include "examples/harness/baseline/trees.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROWS = 300, COLUMNS = 3, TREES = 30 };

static void the_same_predictions(void **state)
{
    (void)state;
    static float x[ROWS * COLUMNS];
    static double y[ROWS], score[ROWS];
    ag_random random = {7, 1, 0};
    ag_failure why = {0};
    harness_trees t = {0};
    harness_boosting_options o = harness_boosting_defaults();
    if (!harness_boosting_built()) return print_message("skipped: built without libxgboost\n");
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)ag_random_uniform(&random);
    for (int i = 0; i < ROWS; i++)
        y[i] = sin(9 * (double)x[i * COLUMNS]) + (x[i * COLUMNS + 1] > 0.3F) * 2 +
               (i < 3 ? 50 : 0); /* rare ones make branches that end early */
    o.rounds = TREES;
    o.depth = 4;
    harness_boosting *b = harness_boosting_fit(x, y, ROWS, COLUMNS, &o, &why);
    assert_non_null(b);
    assert_int_equal(harness_boosting_predict(score, b, x, ROWS, &why), AG_OK);
    assert_int_equal(harness_trees_open(&t, TREES + 5, 5, &why), AG_OK);
    assert_int_equal(harness_trees_take(&t, 2, b, &why), AG_OK);
    assert_int_equal(harness_trees_check(&t, COLUMNS, &why), AG_OK);
    for (int i = 0; i < ROWS; i++) {
        const float *row = x + (size_t)i * COLUMNS;
        assert_true(fabs(harness_trees_sum(&t, 0, t.count, row) - score[i]) < 1e-4);
        assert_true(harness_trees_sum(&t, 0, 2, row) == 0); /* those before stay */
    }
    harness_trees_close(&t);
    /* fewer trees than there are; too small a depth */
    assert_int_equal(harness_trees_open(&t, 2, 4, &why), AG_OK);
    assert_int_equal(harness_trees_take(&t, 0, b, &why), AG_OK);
    harness_trees_close(&t);
    assert_int_equal(harness_trees_open(&t, TREES, 2, &why), AG_OK);
    assert_int_equal(harness_trees_take(&t, 0, b, &why), AG_EDATA);
    harness_trees_close(&t);
    harness_boosting_free(b);
}

/* Depth 2: x1 < 0.5 ? (x0 < 1 ? 1 : 2) : (x0 < 3 ? 4 : 8), and a tree of zeros. */
static void trees_by_hand(void **state)
{
    (void)state;
    ag_failure why = {0};
    harness_trees t;
    assert_int_equal(harness_trees_open(&t, 2, 2, &why), AG_OK);
    const int32_t column[] = {1, 0, 0};
    const float limit[] = {0.5F, 1, 3}, leaf[] = {1, 2, 4, 8};
    for (int i = 0; i < 3; i++) t.column[i] = column[i], t.limit[i] = limit[i];
    for (int i = 0; i < 4; i++) t.leaf[i] = leaf[i];
    static const float row[][2] = {{0, 0}, {1, 0}, {2, 0.5F}, {3, 1}};
    for (int i = 0; i < 4; i++) assert_true(harness_trees_sum(&t, 0, 2, row[i]) == (double)leaf[i]);
    assert_int_equal(harness_trees_check(&t, 2, &why), AG_OK);
    assert_int_equal(harness_trees_check(&t, 1, &why), AG_EDATA);
    t.leaf[3] = (float)NAN;
    why = (ag_failure){0};
    assert_int_equal(harness_trees_check(&t, 2, &why), AG_EDATA);
    t.leaf[3] = 0;
    t.limit[0] = (float)INFINITY;
    why = (ag_failure){0};
    assert_int_equal(harness_trees_check(&t, 2, &why), AG_EDATA);
    harness_trees_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_predictions),
        cmocka_unit_test(trees_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
