/* SPDX-License-Identifier: MIT */
/* Ridge regression, rules of thumb and chance on schedules; checks of their arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "examples/tpgnn/baseline/baselines.h"

static const float row[3 * 2] = {1, 2, 3, 4, 5, 6};
static const int32_t store[5] = {0, 0, 2, 1, 2}, task[3] = {1, 0, 1};
static const int64_t offset[4] = {0, 3, 3, 5}, runtime[3] = {40, 7, 10};
static const tpgnn_stores fine = {row, store, offset, runtime, task, 3, 2, 3, 2};

static void labels(void **state)
{
    (void)state;
    double y[3];
    tpgnn_throughput(y, &fine);
    assert_true(fabs(y[0] - 0.25) < 1e-15 && fabs(y[1] - 1) < 1e-15 && fabs(y[2] - 1) < 1e-15);
}

static void rules(void **state)
{
    (void)state;
    const float extent[5] = {8, 16, 1, 4, 64};
    const uint8_t marked[5] = {1, 0, 1, 1, 1};
    double score[1000], again[1000], mean = 0;
    tpgnn_score_stores(score, &fine);
    assert_true(fabs(score[0] + 3) + fabs(score[1]) + fabs(score[2] + 2) < 1e-15);
    tpgnn_score_extents(score, extent, marked, offset, 3);
    assert_true(fabs(score[0] + 3) + fabs(score[1]) + fabs(score[2] + 8) < 1e-15);
    tpgnn_score_random(score, 1000, 1);
    tpgnn_score_random(again, 1000, 1);
    assert_memory_equal(score, again, sizeof score);
    tpgnn_score_random(again, 1000, 2);
    assert_memory_not_equal(score, again, sizeof score);
    for (int i = 0; i < 1000; i++) mean += score[i] / 1000;
    assert_true(fabs(mean + 0.5) < 0.05);
}

/* ---- ridge ---- */

/* ln(run time) is 8 + task (offset of its own) + 0.3 a - 0.2 b + 0.5 stores, a and b summed. */
enum { K = 200, TASKS = 10, MOST = 3 };
typedef struct made {
    float row[K * MOST * 2];
    int32_t store[K * MOST], task[K];
    int64_t offset[K + 1], runtime[K];
    double cost[K]; /* without the task's part */
} made;

static tpgnn_stores make(made *m, double of_task)
{
    ag_random random = {9, 2, 0};
    int n = 0;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < K; i++) {
        const int stores = 1 + i % MOST;
        m->task[i] = i % TASKS;
        for (int j = 0; j < stores; j++, n++) {
            m->row[2 * n] = (float)ag_random_uniform(&random);
            m->row[2 * n + 1] = (float)(ag_random_uniform(&random) + of_task * m->task[i]);
            m->store[n] = n;
            m->cost[i] += 0.3 * (double)m->row[2 * n] - 0.2 * (double)m->row[2 * n + 1] + 0.5;
        }
        m->offset[i + 1] = n;
        m->runtime[i] = (int64_t)exp(14 + m->cost[i] + of_task * m->task[i]);
    }
    return (tpgnn_stores){m->row, m->store, m->offset, m->runtime, m->task, n, 2, K, TASKS};
}

static void ridge_absolute(void **state)
{
    (void)state;
    static made m;
    double cost[K], again[K];
    ag_failure why = {0};
    const tpgnn_stores s = make(&m, 0);
    for (int run = 0; run < 2; run++) {
        tpgnn_ridge *r = tpgnn_ridge_fit(&s, TPGNN_RIDGE_ABSOLUTE, &why);
        if (!r) fail_msg("%s", why.sentence);
        assert_true(tpgnn_ridge_weight(r) < 1e-5);
        assert_int_equal(tpgnn_ridge_cost(run ? again : cost, r, &s, &why), AG_OK);
        tpgnn_ridge_free(r);
    }
    for (int i = 0; i < K; i++) assert_true(fabs(cost[i] - 14 - m.cost[i]) < 1e-4);
    assert_memory_equal(cost, again, sizeof cost);
}

/* Tasks differ by far more than their schedules, along a column that has the opposite effect within
   a task. */
static void ridge_within(void **state)
{
    (void)state;
    static made m;
    double cost[K];
    ag_failure why = {0};
    const tpgnn_stores s = make(&m, 0.8);
    tpgnn_ridge *r = tpgnn_ridge_fit(&s, TPGNN_RIDGE_WITHIN, &why);
    if (!r) fail_msg("%s", why.sentence);
    assert_int_equal(tpgnn_ridge_cost(cost, r, &s, &why), AG_OK);
    tpgnn_ridge_free(r);
    for (int i = TASKS; i < K; i++) { /* differences within a task */
        const int j = i % TASKS;
        assert_true(fabs((cost[i] - cost[j]) - (m.cost[i] - m.cost[j])) < 1e-3);
    }
}

/* A column that never varies, and a single schedule. */
static void ridge_of_little(void **state)
{
    (void)state;
    static const float flat[2] = {7, 7};
    static const int32_t each[2] = {0, 1}, zero[2];
    static const int64_t at[3] = {0, 1, 2}, t[2] = {100, 400};
    ag_failure why = {0};
    double cost[2];
    for (int n = 1; n <= 2; n++) {
        const tpgnn_stores s = {flat, each, at, t, zero, 2, 1, n, 1};
        tpgnn_ridge *r = tpgnn_ridge_fit(&s, TPGNN_RIDGE_ABSOLUTE, &why);
        if (!r) fail_msg("%s", why.sentence);
        assert_int_equal(tpgnn_ridge_cost(cost, r, &s, &why), AG_OK);
        assert_true(fabs(cost[0] - (n == 1 ? log(100) : log(200))) < 1e-12);
        tpgnn_ridge_free(r);
    }
}

/* ---- refusals ---- */

static void refused(const tpgnn_stores *s, int measured, ag_status status, const char *sentence)
{
    ag_failure why = {0};
    assert_int_equal(tpgnn_stores_check(s, measured, &why), status);
    assert_string_equal(why.sentence, sentence);
    why = (ag_failure){0};
    assert_null(tpgnn_ridge_fit(s, TPGNN_RIDGE_WITHIN, &why));
    assert_int_equal(why.status, status);
}

static void checks(void **state)
{
    (void)state;
    const float inf[6] = {1, 2, 3, (float)INFINITY, 5, 6};
    const int32_t late[3] = {1, 2, 1}, below[5] = {0, -1, 2, 1, 2};
    const int64_t zero[3] = {40, 0, 10}, falls[4] = {0, 3, 2, 5}, shifted[4] = {1, 3, 3, 5};
    ag_failure why = {0};
    tpgnn_stores s = fine;
    assert_int_equal(tpgnn_stores_check(&s, 1, &why), AG_OK);
    s.columns = 0;
    refused(&s, 0, AG_ESHAPE,
            "stored buffers: 3 rows, 0 columns, 3 schedules and 2 tasks; there must be a column, "
            "and none of the others may be below 0");
    s = fine;
    s.store_offset = shifted;
    refused(&s, 0, AG_EINDEX, "stored buffers: offset 0 is 1; it must be 0");
    s.store_offset = falls;
    refused(&s, 0, AG_EINDEX,
            "stored buffers: offset 2 is 2, below the 3 of the one before; offsets must not fall");
    s = fine;
    s.store_row = below;
    refused(&s, 0, AG_EINDEX, "stored buffers: number 1 has row -1, but there are rows 0 to 2");
    s = fine;
    s.feature_row = inf;
    refused(&s, 0, AG_EFINITE, "stored buffers: feature 1 of row 1 is inf; all must be finite");
    s = fine;
    s.task = late;
    assert_int_equal(tpgnn_stores_check(&s, 0, &why), AG_OK); /* not read */
    refused(&s, 1, AG_EINDEX,
            "stored buffers: schedule 1 is of task 2, but there are tasks 0 to 1");
    s = fine;
    s.runtime = zero;
    refused(&s, 1, AG_EDATA,
            "stored buffers: the run time of schedule 1 is 0 ns; it must be at least 1");
    s = fine;
    s.schedules = 0;
    assert_null(tpgnn_ridge_fit(&s, TPGNN_RIDGE_WITHIN, &why));
    assert_string_equal(why.sentence, "ridge regression: there are no schedules to learn from");
    why = (ag_failure){0};
    tpgnn_ridge *r = tpgnn_ridge_fit(&fine, TPGNN_RIDGE_WITHIN, &why);
    double cost[6];
    s = fine;
    s.columns = 1;
    assert_int_equal(tpgnn_ridge_cost(cost, r, &s, &why), AG_EUSE);
    assert_string_equal(why.sentence, "ridge regression: 1 columns, but it has learned from 2");
    tpgnn_ridge_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels),          cmocka_unit_test(rules),
        cmocka_unit_test(ridge_absolute),  cmocka_unit_test(ridge_within),
        cmocka_unit_test(ridge_of_little), cmocka_unit_test(checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
