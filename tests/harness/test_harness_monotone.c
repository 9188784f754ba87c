/* SPDX-License-Identifier: MIT */
/* Monotone regression: levels and ends worked out by hand, and where a t test joins two steps. */
#include "support/test.h"
#include "examples/harness/base/draws.h"
#include "examples/harness/harness.h"
#include "examples/harness/rank/monotone.h"

enum { EACH = 100, MOST = 6 * EACH };

static harness_monotone m; /* of the last fit */

static void fit_items(const double *x, const double *y, int count)
{
    expect_ok(harness_monotone_fit(&m, x, y, count, new_failure()));
}

/* EACH items at x = 1, 2, ..., in mixed order; half of them `level - 1`, half `level + 1`. */
static void fit(const double *level, int levels)
{
    double x[MOST], y[MOST];
    const int count = levels * EACH;
    int32_t order[MOST];
    harness_shuffle(order, count, harness_stream(HARNESS_STREAM_PERMUTATION, 5, 0));
    for (int i = 0; i < count; i++) {
        const int at = order[i];
        x[i] = 1 + at / EACH;
        y[i] = level[at / EACH] + (at % 2 ? 1 : -1);
    }
    fit_items(x, y, count);
}

static void violators_are_pooled(void **state)
{
    static const double level[] = {0, 20, 10, 40, 40, 60}, value[] = {0, 15, 40, 60},
                        end[] = {1.5, 3.5, 5.5, 6};
    fit(level, 6);
    assert_int_equal(m.steps, 4);
    for (int k = 0; k < 4; k++) {
        assert_true(fabs(m.value[k] - value[k]) < 1e-12);
        assert_true(m.end[k] == end[k]);
    }
    static const double at[] = {-9, 1, 1.5, 1.6, 3, 3.4, 3.6, 5, 5.6, 6, 99},
                        is[] = {0, 0, 0, 15, 15, 15, 40, 40, 60, 60, 60};
    for (int i = 0; i < 11; i++) assert_true(fabs(harness_monotone_at(&m, at[i]) - is[i]) < 1e-12);
}

/* Items of one x are averaged before they are compared with others: that some at x = 2 are below
   those at x = 1 does not pool them. */
static void equal_x_are_one(void **state)
{
    double x[200], y[200];
    for (int i = 0; i < 200; i++) {
        x[i] = i < 100 ? 1 : 2;
        y[i] = i < 100 ? 4 : i < 150 ? 1 : 100;
    }
    fit_items(x, y, 200);
    assert_int_equal(m.steps, 2);
    assert_true(fabs(m.value[0] - 4) < 1e-12 && fabs(m.value[1] - 50.5) < 1e-12);
}

/* Two levels of 100 items: t^2 / 198 is gap^2 / 4, and t is at the level of 0.1 % (3.340 with 198
   degrees of freedom) at a gap of 0.4748. */
static void steps_are_joined_above_a_tenth_of_a_percent(void **state)
{
    fit((double[]){0, 0.474}, 2);
    assert_int_equal(m.steps, 1);
    assert_true(fabs(m.value[0] - 0.237) < 1e-12 && m.end[0] == 2);
    fit((double[]){0, 0.476}, 2);
    assert_int_equal(m.steps, 2);
    /* the nearest two are joined first: then their mean differs from the third */
    fit((double[]){0, 0.5, 0.7}, 3);
    assert_int_equal(m.steps, 2);
    assert_true(fabs(m.value[0]) < 1e-12 && fabs(m.value[1] - 0.6) < 1e-12);
}

/* Of three items each, -1, 0 and 1 around their level: t is 8.61 with 4 degrees of freedom, at a
   gap of 7.03. */
static void few_items_need_a_wider_gap(void **state)
{
    static const double x[] = {1, 1, 1, 2, 2, 2};
    for (int wide = 0; wide < 2; wide++) {
        const double gap = wide ? 7.8 : 6.7;
        fit_items(x, (double[]){-1, 0, 1, gap - 1, gap, gap + 1}, 6);
        assert_int_equal(m.steps, 1 + wide);
    }
    /* only two items have no spread to test with */
    fit_items(x + 2, (double[]){1, 5}, 2);
    assert_true(m.steps == 1 && m.value[0] == 3);
}

/* The spread of other steps is not used: steps without any spread that differ by 0.01 are kept
   apart. */
static void each_pair_has_its_own_spread(void **state)
{
    double x[80], y[80];
    for (int i = 0; i < 80; i++) {
        x[i] = i / 20;
        y[i] = (double[]){0, 0.01, 30, 33}[i / 20];
        if (i >= 40) y[i] += i % 2 ? 10 : -10;
    }
    fit_items(x, y, 80);
    assert_int_equal(m.steps, 3);
    assert_true(m.value[0] == 0 && m.value[1] == 0.01);
    assert_true(fabs(m.value[2] - 31.5) < 1e-12);
}

/* Rounding makes no steps: values that are equal have a mean that is one of them. */
static void equal_values_stay_equal(void **state)
{
    static const int each[] = {7, 100, 1000};
    static double x[3000], y[3000];
    for (int k = 0; k < 3; k++)
        for (int levels = 1; levels <= 3; levels += 2) {
            const int count = 3 * each[k];
            for (int i = 0; i < count; i++) {
                x[i] = 0.37 * i;
                y[i] = 0.1 * (1 + i / each[k] % levels);
            }
            fit_items(x, y, count);
            assert_int_equal(m.steps, levels);
            for (int l = 0; l < levels; l++) assert_true(m.value[l] == 0.1 * (1 + l));
        }
}

static void falling_or_single_is_one_step(void **state)
{
    fit((double[]){5, 3, 1}, 3);
    assert_int_equal(m.steps, 1);
    assert_true(fabs(harness_monotone_at(&m, 2) - 3) < 1e-12);
    fit_items((double[]){7}, (double[]){-2}, 1);
    assert_true(m.steps == 1 && harness_monotone_at(&m, 0) == -2);
    assert_int_equal(
        harness_monotone_fit(&m, (double[]){1, (double)NAN}, (double[]){1, 2}, 2, new_failure()),
        AG_EFINITE);
    assert_int_equal(m.steps, 0);
}

int main(void)
{
    return RUN_TESTS(violators_are_pooled, equal_x_are_one,
                     steps_are_joined_above_a_tenth_of_a_percent, few_items_need_a_wider_gap,
                     each_pair_has_its_own_spread, equal_values_stay_equal,
                     falling_or_single_is_one_step);
}
