/* SPDX-License-Identifier: MIT */
/* Boosting whose loss is over schedules while its trees see stored buffers; and the baselines that
   need no fit. */
#include "support/test.h"
#include "examples/harness/baseline/boosting.h"
#include "examples/harness/rank/scores.h"
#include "examples/tpgnn/baseline/baselines.h"

static int skipped(void)
{
    if (harness_boosting_built()) return 0;
    print_message("skipped: built without libxgboost\n");
    return 1;
}

/* Made-up schedules of one to four stores with two features. A store adds much speed when exactly
   one of its features is above a half, which sums of features cannot express. */
enum { SCHEDULES = 600, LEARN = 400, MOST = 4, COLUMNS = 2, TASKS = 3 };
typedef struct made {
    float row[SCHEDULES * MOST * COLUMNS], sum[SCHEDULES * (COLUMNS + 1)];
    int32_t store[SCHEDULES * MOST], task[SCHEDULES];
    int64_t offset[SCHEDULES + 1], runtime[SCHEDULES];
    double speed[SCHEDULES];
    int rows;
} made;

static void make(made *m)
{
    ag_random random = {5, 1, 0};
    memset(m, 0, sizeof *m);
    for (int i = 0; i < SCHEDULES; i++) {
        const int stores = 1 + (int)(4 * ag_random_uniform(&random)) % MOST;
        float *sum = m->sum + (size_t)i * (COLUMNS + 1);
        for (int j = 0; j < stores; j++, m->rows++) {
            float *x = m->row + (size_t)m->rows * COLUMNS;
            for (int c = 0; c < COLUMNS; c++) {
                x[c] = (float)ag_random_uniform(&random);
                sum[c] += x[c];
            }
            sum[COLUMNS]++;
            m->store[m->rows] = m->rows;
            m->speed[i] += (x[0] > 0.5F) != (x[1] > 0.5F) ? 0.25 : 0.02;
        }
        m->offset[i + 1] = m->rows;
        m->task[i] = i % TASKS;
        m->runtime[i] = (int64_t)(1e6 * (1 + m->task[i]) / m->speed[i]);
    }
}

static tpgnn_stores first_of(const made *m, int count)
{
    return (tpgnn_stores){m->row,  m->store, m->offset, m->runtime, m->task,
                          m->rows, COLUMNS,  count,     TASKS};
}

static double tau_of(const double *score, const double *speed, int n)
{
    harness_pairs pairs;
    ag_failure why = {0};
    if (harness_pairs_count(&pairs, score, speed, n, &why)) fail_msg("%s", why.sentence);
    return harness_tau_b(&pairs);
}

static void fit(double *score, int *trees, const tpgnn_stores *train, const tpgnn_stores *all,
                const tpgnn_boosting_options *o)
{
    ag_failure why = {0};
    harness_boosting *b = tpgnn_boosting_fit(train, o, &why);
    if (!b) fail_msg("%s", why.sentence);
    if (tpgnn_boosting_score(score, b, all, &why)) fail_msg("%s", why.sentence);
    *trees = harness_boosting_trees(b);
    harness_boosting_free(b);
}

static void learns_rows(void **state)
{
    static made m;
    static double score[SCHEDULES], again[SCHEDULES], plain[SCHEDULES], y[SCHEDULES];
    int trees;
    if (skipped()) skip();
    make(&m);
    const tpgnn_stores train = first_of(&m, LEARN), all = first_of(&m, SCHEDULES);
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    o.rounds = 100;
    fit(score, &trees, &train, &all, &o);
    assert_true(tau_of(score + LEARN, m.speed + LEARN, SCHEDULES - LEARN) < -0.85);
    fit(again, &trees, &train, &all, &o);
    assert_memory_equal(score, again, sizeof score);

    /* Plain boosting on the sums. */
    ag_failure why = {0};
    harness_boosting_options p = harness_boosting_defaults();
    tpgnn_throughput(y, &train);
    harness_boosting *b = harness_boosting_fit(m.sum, y, LEARN, COLUMNS + 1, &p, &why);
    if (!b) fail_msg("%s", why.sentence);
    assert_int_equal(harness_boosting_predict(plain, b, m.sum, SCHEDULES, &why), AG_OK);
    harness_boosting_free(b);
    assert_true(tau_of(plain + LEARN, m.speed + LEARN, SCHEDULES - LEARN) < 0.6);
}

/* A row that stores share enters with the sum of its derivatives: the trees of a copy each, as few
   values have a bin each. */
static void shared_rows(void **state)
{
    enum { K = 30, ROWS = 7, S = 3 * K };
    if (skipped()) skip();
    float row[ROWS], copies[S];
    int32_t store[S], own[S];
    int64_t offset[K + 1], runtime[K];
    const int32_t task[K] = {0};
    double score[2][K], y[K];
    int trees;
    for (int r = 0; r < ROWS; r++) row[r] = (float)(r * r);
    for (int i = 0; i <= K; i++) offset[i] = 3 * i;
    for (int i = 0; i < K; i++) {
        double speed = 0;
        for (int j = 3 * i; j < 3 * i + 3; j++) {
            store[j] = (j * j / 3 + j) % ROWS;
            own[j] = j;
            copies[j] = row[store[j]];
            speed += 1 + store[j] % 3;
        }
        runtime[i] = (int64_t)(100000 / speed);
    }
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    o.rounds = 40;
    const tpgnn_stores shared = {row, store, offset, runtime, task, ROWS, 1, K, 1};
    const tpgnn_stores copied = {copies, own, offset, runtime, task, S, 1, K, 1};
    fit(score[0], &trees, &shared, &shared, &o);
    assert_int_equal(trees, 40);
    fit(score[1], &trees, &copied, &copied, &o);
    tpgnn_throughput(y, &shared);
    for (int i = 0; i < K; i++) {
        assert_true(fabs(score[0][i] - score[1][i]) < 1e-4);
        assert_true(fabs(score[0][i] + y[i]) < 0.1);
    }
}

/* One tree of depth 1 and rate 1. Schedule 0 has y 1 and row 0: prediction 0.5, slope -0.5 at
   weight 1. Schedule 1 has y 0.5 and row 1 three times: 1.5, slope 3 (1.5 - 0.5) 0.5 at weight 1.5.
   A leaf adds -slope / (weight + 1). */
static void by_hand(void **state)
{
    if (skipped()) skip();
    const float row[2] = {0, 1};
    const int32_t store[4] = {0, 1, 1, 1}, task[2] = {0, 0};
    const int64_t offset[3] = {0, 1, 4}, runtime[2] = {100, 200};
    const tpgnn_stores s = {row, store, offset, runtime, task, 2, 1, 2, 1};
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    double score[2];
    int trees;
    o.rounds = o.depth = 1;
    o.rate = 1;
    fit(score, &trees, &s, &s, &o);
    assert_true(fabs(score[0] + 0.75) < 1e-6 && fabs(score[1] + 3 * (0.5 - 0.6)) < 1e-6);
    o.least_gain = 0.8; /* the split gains 0.125 + 0.9 - 1 / 3.5 */
    fit(score, &trees, &s, &s, &o);
    assert_true(fabs(score[0] + (0.5 - 1 / 3.5)) < 1e-6);
    o.least_gain = 0;
    o.least_weight = 1.25; /* row 0's leaf is too light */
    fit(score, &trees, &s, &s, &o);
    assert_true(fabs(score[0] + (0.5 - 1 / 3.5)) < 1e-6);
}

static int stop_after(void *context, const char *label, double done)
{
    (void)label, (void)done;
    return --*(int *)context < 0;
}

static void ends(void **state)
{
    static made m;
    static double score[SCHEDULES];
    int trees, left = 4;
    if (skipped()) skip();
    make(&m);
    const tpgnn_stores train = first_of(&m, 20);
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    o.rounds = 2000;
    o.patience = 3;
    fit(score, &trees, &train, &train, &o);
    assert_true(trees > 20 && trees < 2000);
    o.rounds = trees + 5;
    o.patience = 0;
    fit(score, &trees, &train, &train, &o);
    assert_int_equal(trees, o.rounds);
    o.progress = stop_after;
    o.context = &left;
    fit(score, &trees, &train, &train, &o);
    assert_int_equal(trees, 4);
}

static const float row[3 * 2] = {1, 2, 3, 4, 5, 6};
static const int32_t store[5] = {0, 0, 2, 1, 2}, task[3] = {1, 0, 1};
static const int64_t offset[4] = {0, 3, 3, 5}, runtime[3] = {40, 7, 10};
static const tpgnn_stores fine = {row, store, offset, runtime, task, 3, 2, 3, 2};

static void refusals(void **state)
{
    tpgnn_stores s = fine;
    s.schedules = 0;
    const tpgnn_boosting_options o = tpgnn_boosting_defaults();
    ag_failure why = {0};
    assert_null(tpgnn_boosting_fit(&s, &o, &why));
    assert_string_equal(why.sentence,
                        "boosting: there are 0 schedules and 3 rows; it needs some of both");
    if (harness_boosting_built()) return;
    why = (ag_failure){0};
    assert_null(tpgnn_boosting_fit(&fine, &o, &why));
    assert_string_equal(why.sentence, "not built: libxgboost is not installed");
}

static void labels(void **state)
{
    double y[3];
    tpgnn_throughput(y, &fine);
    assert_true(fabs(y[0] - 0.25) < 1e-15 && fabs(y[1] - 1) < 1e-15 && fabs(y[2] - 1) < 1e-15);
}

static void rules(void **state)
{
    double score[1000], again[1000], mean = 0;
    tpgnn_score_stores(score, &fine);
    assert_true(fabs(score[0] + 3) + fabs(score[1]) + fabs(score[2] + 2) < 1e-15);
    tpgnn_score_random(score, 1000, 1);
    tpgnn_score_random(again, 1000, 1);
    assert_memory_equal(score, again, sizeof score);
    tpgnn_score_random(again, 1000, 2);
    assert_memory_not_equal(score, again, sizeof score);
    for (int i = 0; i < 1000; i++) mean += score[i] / 1000;
    assert_true(fabs(mean + 0.5) < 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(learns_rows), cmocka_unit_test(shared_rows),
                                       cmocka_unit_test(by_hand),     cmocka_unit_test(ends),
                                       cmocka_unit_test(refusals),    cmocka_unit_test(labels),
                                       cmocka_unit_test(rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
