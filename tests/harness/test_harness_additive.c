/* SPDX-License-Identifier: MIT */
/* Additive trees learn what one row costs from run times of sums over rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "examples/harness/baseline/additive.h"
#include "examples/harness/rank/scores.h"

static int skipped(void)
{
    if (harness_boosting_built()) return 0;
    print_message("skipped: built without libxgboost\n");
    return 1;
}

/* Made groups. A row costs its work, eight times as much when exactly one of its two features is
   above a half; a group has a speed of its own, which is not to be learned. Row 0 is counted by all
   items. */
enum { GROUPS = 200, LEARN = 160, ROWS = 12, ITEMS = 30, COLUMNS = 2, PICKS = 3 };
typedef struct made {
    float x[ROWS * COLUMNS], always[ROWS], times[ITEMS * PICKS];
    double work[ROWS], y[ITEMS];
    int first[ITEMS + 1], row[ITEMS * PICKS];
} made;

static double cost_of(const made *m, int r)
{
    const float *x = m->x + (size_t)r * COLUMNS;
    return m->work[r] * ((x[0] > 0.5F) != (x[1] > 0.5F) ? 8 : 1);
}

static harness_additive_group make(made *m, int index)
{
    ag_random random = {7, (uint64_t)index, 0};
    memset(m, 0, sizeof *m);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) m->x[r * COLUMNS + c] = (float)ag_random_uniform(&random);
        m->work[r] = exp(3 * ag_random_uniform(&random));
    }
    m->always[0] = 2;
    for (int i = 0; i < ITEMS; i++) {
        double time = 2 * cost_of(m, 0);
        for (int k = 0; k < PICKS; k++) {
            const int e = i * PICKS + k;
            m->row[e] = (int)(ROWS * ag_random_uniform(&random)) % ROWS;
            m->times[e] = (float)(1 + k);
            time += (1 + k) * cost_of(m, m->row[e]);
        }
        m->first[i + 1] = (i + 1) * PICKS;
        m->y[i] = log(time) + index;
    }
    return (harness_additive_group){.rows = ROWS,
                                    .items = ITEMS,
                                    .x = m->x,
                                    .work = m->work,
                                    .always = m->always,
                                    .first = m->first,
                                    .row = m->row,
                                    .times = m->times,
                                    .y = m->y};
}

static made store[GROUPS];

static void groups_of(harness_additive_group *group)
{
    for (int i = 0; i < GROUPS; i++) group[i] = make(&store[i], i);
}

static double tau_of(const double *score, const harness_additive_group *g)
{
    harness_pairs pairs;
    ag_failure why = {0};
    if (harness_pairs_count(&pairs, score, g->y, g->items, &why)) fail_msg("%s", why.sentence);
    return harness_tau_b(&pairs);
}

/* The mean tau-b over the groups that were not learned from. */
static double held_out(const harness_additive_group *group, int rounds)
{
    ag_failure why = {0};
    harness_boosting_options o = harness_boosting_defaults();
    double score[ITEMS], sum = 0;
    o.rounds = rounds;
    o.rate = 0.3;
    harness_boosting *a = harness_additive_fit(group, LEARN, COLUMNS, &o, &why);
    if (!a) fail_msg("%s", why.sentence);
    assert_int_equal(harness_boosting_trees(a), rounds);
    for (int i = LEARN; i < GROUPS; i++) {
        if (harness_additive_score(score, a, &group[i], &why)) fail_msg("%s", why.sentence);
        sum += tau_of(score, &group[i]);
    }
    harness_boosting_free(a);
    return sum / (GROUPS - LEARN);
}

static void test_costs_of_rows_are_learned(void **state)
{
    (void)state;
    harness_additive_group group[GROUPS];
    if (skipped()) return;
    groups_of(group);
    const double one = held_out(group, 1), many = held_out(group, 100);
    print_message("tau-b after one tree %.3f, after a hundred %.3f\n", one, many);
    assert_true(many > 0.93);
    assert_true(one < many - 0.1);
}

/* Rows that all items count, and how often an item counts one, are part of its time. */
static void test_counts_matter(void **state)
{
    (void)state;
    harness_additive_group group[GROUPS];
    if (skipped()) return;
    groups_of(group);
    const double all = held_out(group, 60);
    for (int i = 0; i < GROUPS; i++) group[i].always = NULL;
    const double no_always = held_out(group, 60);
    groups_of(group);
    for (int i = 0; i < GROUPS; i++) group[i].times = NULL;
    const double once = held_out(group, 60);
    assert_true(once < all - 0.05);
    assert_true(no_always < all);
}

/* A group whose run times are equal, or not known, has nothing to teach and does no harm. */
static void test_groups_without_order_are_left_out(void **state)
{
    (void)state;
    harness_additive_group group[GROUPS];
    static double equal[ITEMS];
    ag_failure why = {0};
    harness_boosting_options o = harness_boosting_defaults();
    double score[ITEMS], again[ITEMS];
    if (skipped()) return;
    groups_of(group);
    o.rounds = 5;
    harness_boosting *a = harness_additive_fit(group + 2, 10, COLUMNS, &o, &why);
    group[0].y = NULL;
    group[1].y = equal;
    harness_boosting *b = harness_additive_fit(group, 12, COLUMNS, &o, &why);
    assert_non_null(a);
    assert_non_null(b);
    if (harness_additive_score(score, a, &group[20], &why)) fail_msg("%s", why.sentence);
    if (harness_additive_score(again, b, &group[20], &why)) fail_msg("%s", why.sentence);
    assert_memory_equal(score, again, sizeof score);
    harness_boosting_free(a);
    harness_boosting_free(b);
    assert_null(harness_additive_fit(group, 2, COLUMNS, &o, &why));
    assert_int_equal(why.status, AG_EDATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs_of_rows_are_learned),
        cmocka_unit_test(test_counts_matter),
        cmocka_unit_test(test_groups_without_order_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
