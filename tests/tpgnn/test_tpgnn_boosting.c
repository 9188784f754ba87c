/* SPDX-License-Identifier: MIT */
/* Boosting whose loss is over schedules while its trees see stored buffers; and the baselines that
   need no fit. */
#include "support/test.h"
#include "examples/harness/baseline/boosting.h"
#include "examples/tpgnn/baseline/baselines.h"
#include "metrics/metrics.h"

/* Made-up schedules of one to four stores with two features. A store adds much speed when exactly
   one of its features is above a half, which sums of features cannot express. */
enum { SCHEDULES = 600, EACH = 200, LEARN = 400, MOST = 4, COLUMNS = 2, TASKS = 3 };
typedef struct made {
    float row[SCHEDULES * MOST][TPGNN_FEATURES], sum[SCHEDULES * (COLUMNS + 1)];
    int32_t store[SCHEDULES * MOST];
    tpgnn_schedule schedule[SCHEDULES];
    tpgnn_task task[TASKS];
    double speed[SCHEDULES];
} made;

static void make(made *m)
{
    ag_random random = {5, 1, 0};
    memset(m, 0, sizeof *m);
    for (int i = 0, row = 0, first = 0; i < SCHEDULES; i++) {
        const int stores = 1 + (int)(4 * ag_random_uniform(&random)) % MOST, task = i / EACH;
        float *sum = m->sum + (size_t)i * (COLUMNS + 1);
        if (i % EACH == 0) first = row;
        if (i % EACH == 0) m->task[task] = (tpgnn_task){.first = i, .schedules = EACH};
        m->schedule[i] = (tpgnn_schedule){
            .task = task, .stores = stores, .feature = m->row[first], .store = m->store + row};
        for (int j = 0; j < stores; j++, row++) {
            float *x = m->row[row];
            for (int c = 0; c < COLUMNS; c++) {
                x[c] = (float)ag_random_uniform(&random);
                sum[c] += x[c];
            }
            sum[COLUMNS]++;
            m->store[row] = row - first;
            m->speed[i] += (x[0] > 0.5F) != (x[1] > 0.5F) ? 0.25 : 0.02;
        }
        m->schedule[i].runtime = (int64_t)(1e6 * (1 + task) / m->speed[i]);
    }
}

/* The first tasks. */
static tpgnn_data first_of(made *m, int schedules)
{
    return (tpgnn_data){.schedule = m->schedule,
                        .task = m->task,
                        .schedules = schedules,
                        .tasks = schedules / EACH};
}

static double tau_of(const double *score, const double *speed, int n)
{
    ag_pairs pairs;
    ag_failure why = {0};
    if (ag_pairs_count(&pairs, score, speed, n, &why)) fail_msg("%s", why.sentence);
    return ag_tau_b(&pairs);
}

static void fit(double *score, int *trees, const tpgnn_data *train, const tpgnn_data *all,
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
    if (!harness_boosting_built()) skip();
    make(&m);
    const tpgnn_data train = first_of(&m, LEARN), all = first_of(&m, SCHEDULES);
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    o.trees.rounds = 100;
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
    if (!harness_boosting_built()) skip();
    static float row[ROWS][TPGNN_FEATURES], copies[S][TPGNN_FEATURES];
    int32_t store[S], own[S];
    tpgnn_schedule shares[K], copied[K];
    tpgnn_task task = {.schedules = K};
    tpgnn_data data = {.schedule = shares, .task = &task, .schedules = K, .tasks = 1};
    double score[2][K], y[K];
    int trees;
    for (int r = 0; r < ROWS; r++) row[r][0] = (float)(r * r);
    for (int i = 0; i < K; i++) {
        double speed = 0;
        for (int j = 3 * i; j < 3 * i + 3; j++) {
            store[j] = (j * j / 3 + j) % ROWS;
            own[j] = j;
            copies[j][0] = row[store[j]][0];
            speed += 1 + store[j] % 3;
        }
        shares[i] = copied[i] = (tpgnn_schedule){.stores = 3,
                                                 .feature = row[0],
                                                 .store = store + 3 * (size_t)i,
                                                 .runtime = (int64_t)(100000 / speed)};
        copied[i].feature = copies[0];
        copied[i].store = own + 3 * (size_t)i;
    }
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    o.trees.rounds = 40;
    tpgnn_throughput(y, &data);
    fit(score[0], &trees, &data, &data, &o);
    assert_int_equal(trees, 40);
    data.schedule = copied;
    fit(score[1], &trees, &data, &data, &o);
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
    if (!harness_boosting_built()) skip();
    static const float row[2][TPGNN_FEATURES] = {{0}, {1}};
    static const int32_t store[] = {0, 1, 1, 1};
    tpgnn_schedule schedule[] = {
        {.stores = 1, .feature = row[0], .store = store, .runtime = 100},
        {.stores = 3, .feature = row[0], .store = store + 1, .runtime = 200}};
    tpgnn_task task = {.schedules = 2};
    const tpgnn_data s = {.schedule = schedule, .task = &task, .schedules = 2, .tasks = 1};
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    double score[2];
    int trees;
    o.trees.rounds = o.trees.depth = 1;
    o.trees.rate = 1;
    fit(score, &trees, &s, &s, &o);
    assert_true(fabs(score[0] + 0.75) < 1e-6 && fabs(score[1] + 3 * (0.5 - 0.6)) < 1e-6);
    o.loss.least_gain = 0.8; /* the split gains 0.125 + 0.9 - 1 / 3.5 */
    fit(score, &trees, &s, &s, &o);
    assert_true(fabs(score[0] + (0.5 - 1 / 3.5)) < 1e-6);
    o.loss.least_gain = 0;
    o.loss.least_weight = 1.25; /* row 0's leaf is too light */
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
    if (!harness_boosting_built()) skip();
    make(&m);
    m.task[0].schedules = 20;
    tpgnn_data train = first_of(&m, EACH);
    train.schedules = 20;
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    o.trees.rounds = 2000;
    o.patience = 3;
    fit(score, &trees, &train, &train, &o);
    assert_true(trees > 20 && trees < 2000);
    o.trees.rounds = trees + 5;
    o.patience = 0;
    fit(score, &trees, &train, &train, &o);
    assert_int_equal(trees, o.trees.rounds);
    o.trees.progress = stop_after;
    o.trees.context = &left;
    fit(score, &trees, &train, &train, &o);
    assert_int_equal(trees, 4);
}

static void refusals(void **state)
{
    tpgnn_schedule bare = {.runtime = 7};
    tpgnn_task task = {.schedules = 1};
    const tpgnn_data data = {.schedule = &bare, .task = &task, .schedules = 1, .tasks = 1};
    const tpgnn_boosting_options o = tpgnn_boosting_defaults();
    ag_failure why = {0};
    assert_null(tpgnn_boosting_fit(&data, &o, &why));
    assert_string_equal(why.sentence,
                        "boosting: there are 1 schedules and 0 rows; it needs some of both");
    why = (ag_failure){0};
    assert_null(tpgnn_boosting_fit(&(tpgnn_data){0}, &o, &why));
    assert_non_null(strstr(why.sentence, "there are 0 schedules and 0 rows"));
}

static void labels_and_rules(void **state)
{
    double y[3], score[1000], again[1000], mean = 0;
    tpgnn_schedule schedule[] = {{.task = 1, .stores = 3, .runtime = 40},
                                 {.task = 0, .stores = 0, .runtime = 7},
                                 {.task = 1, .stores = 2, .runtime = 10}};
    const tpgnn_data data = {.schedule = schedule, .schedules = 3, .tasks = 2};
    tpgnn_throughput(y, &data);
    assert_true(fabs(y[0] - 0.25) < 1e-15 && fabs(y[1] - 1) < 1e-15 && fabs(y[2] - 1) < 1e-15);
    tpgnn_score_stores(score, &data);
    assert_true(score[0] == -3 && score[1] == 0 && score[2] == -2);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learns_rows), cmocka_unit_test(shared_rows),
        cmocka_unit_test(by_hand),     cmocka_unit_test(ends),
        cmocka_unit_test(refusals),    cmocka_unit_test(labels_and_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
