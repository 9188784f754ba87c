/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "examples/harness/harness.h"

static void numbers_are_sorted(void **state)
{
    double x[] = {3, -1, (double)INFINITY, 0.5, -1, 0, -(double)INFINITY, 2};
    const double sorted[] = {-(double)INFINITY, -1, -1, 0, 0.5, 2, 3, (double)INFINITY};
    harness_sort(x, 8);
    assert_memory_equal(x, sorted, sizeof x);
    harness_sort(x, 0);
    harness_sort(x, 1);
    assert_memory_equal(x, sorted, sizeof x);
}

static void averages(void **state)
{
    const double none = (double)NAN, some[] = {none, 4, 1, none, 2, 8};
    harness_averages a = harness_average(some, 6);
    assert_true(a.count == 4 && a.mean == 3.75 && a.median == 3);
    assert_true(fabs(a.geometric - pow(64, 0.25)) < 1e-12);
    assert_true(harness_average((double[]){3, 0, 1}, 3).geometric == 0);
    assert_true(isnan(harness_average((double[]){3, -1, 1}, 3).geometric));
    a = harness_average(some, 1);
    assert_true(a.count == 0 && isnan(a.mean) && isnan(a.median) && isnan(a.geometric));
    /* The learned model's column of Table 2 of Kaufman et al., whose mean is the geometric one. */
    a = harness_average((double[]){9.7, 1.5, 3.1, 3.9, 8.0, 2.8, 2.7, 3.4}, 8);
    assert_true(fabs(a.geometric - 3.7) < 0.05);
    assert_true(fabs(a.median - 3.25) < 1e-12); /* printed as 3.3 */
}

static void mean_and_spread(void **state)
{
    double mean, spread;
    int64_t count;
    harness_mean_spread(&mean, &spread, &count, (double[]){1, (double)NAN, 2, 3}, 4);
    assert_true(mean == 2 && spread == 1 && count == 3);
    harness_mean_spread(&mean, &spread, &count, (double[]){7}, 1);
    assert_true(mean == 7 && isnan(spread) && count == 1);
    harness_mean_spread(&mean, &spread, &count, NULL, 0);
    assert_true(isnan(mean) && isnan(spread) && count == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_sorted),
        cmocka_unit_test(averages),
        cmocka_unit_test(mean_and_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
