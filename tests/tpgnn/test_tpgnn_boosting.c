/* SPDX-License-Identifier: MIT */
/* Boosting whose loss is over schedules while its trees see stored buffers. */
#include "support/test.h"
#include "examples/harness/baseline/boosting.h"
#include "examples/tpgnn/baseline/baselines.h"

static void fit(double *score, int *trees, const tpgnn_data *data, const tpgnn_boosting_options *o)
{
    harness_boosting *b = expect_made(tpgnn_boosting_fit(data, o, new_failure()));
    expect_ok(tpgnn_boosting_score(score, b, data, new_failure()));
    *trees = harness_boosting_trees(b);
    harness_boosting_free(b);
}

/* Schedules of three stores each that share seven rows of features, and the same with a row of its
   own for each store. */
enum { K = 30, ROWS = 7, S = 3 * K };
static float row[ROWS][TPGNN_FEATURES], copies[S][TPGNN_FEATURES];
static int32_t store[S], own[S];
static tpgnn_schedule shares[K], copied[K];
static tpgnn_task task = {.schedules = K, .rows = ROWS};

static int make(void **state)
{
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
    return 0;
}

/* A row that stores share enters with the sum of its derivatives: the trees of a copy each, as few
   values have a bin each. */
static void shared_rows(void **state)
{
    if (!harness_boosting_built()) skip();
    tpgnn_data data = {.schedule = shares, .task = &task, .schedules = K, .tasks = 1, .stores = S};
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    double score[2][K], y[K];
    int trees;
    o.trees.rounds = 40;
    tpgnn_throughput(y, &data);
    fit(score[0], &trees, &data, &o);
    assert_int_equal(trees, 40);
    data.schedule = copied;
    task.rows = S;
    fit(score[1], &trees, &data, &o);
    task.rows = ROWS;
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
    tpgnn_task task = {.schedules = 2, .rows = 2};
    const tpgnn_data s = {
        .schedule = schedule, .task = &task, .schedules = 2, .tasks = 1, .stores = 4};
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    double score[2];
    int trees;
    o.trees.rounds = o.trees.depth = 1;
    o.trees.rate = 1;
    fit(score, &trees, &s, &o);
    assert_true(fabs(score[0] + 0.75) < 1e-6 && fabs(score[1] + 3 * (0.5 - 0.6)) < 1e-6);
    o.loss.least_gain = 0.8; /* the split gains 0.125 + 0.9 - 1 / 3.5 */
    fit(score, &trees, &s, &o);
    assert_true(fabs(score[0] + (0.5 - 1 / 3.5)) < 1e-6);
    o.loss.least_gain = 0;
    o.loss.least_weight = 1.25; /* row 0's leaf is too light */
    fit(score, &trees, &s, &o);
    assert_true(fabs(score[0] + (0.5 - 1 / 3.5)) < 1e-6);
}

static int stop_after(void *context, const char *label, double done)
{
    (void)label, (void)done;
    return --*(int *)context < 0;
}

static void ends(void **state)
{
    double score[K];
    int trees, left = 4;
    if (!harness_boosting_built()) skip();
    const tpgnn_data data = {
        .schedule = shares, .task = &task, .schedules = K, .tasks = 1, .stores = S};
    tpgnn_boosting_options o = tpgnn_boosting_defaults();
    o.trees.rounds = 2000;
    o.patience = 3;
    fit(score, &trees, &data, &o);
    assert_true(trees > 20 && trees < 2000);
    o.trees.rounds = trees + 5;
    o.patience = 0;
    fit(score, &trees, &data, &o);
    assert_int_equal(trees, o.trees.rounds);
    o.trees.progress = stop_after;
    o.trees.context = &left;
    fit(score, &trees, &data, &o);
    assert_int_equal(trees, 4);
}

static void refusals(void **state)
{
    tpgnn_schedule bare = {.runtime = 7, .feature = row[0]};
    tpgnn_task task = {.schedules = 1, .rows = ROWS};
    const tpgnn_data data = {.schedule = &bare, .task = &task, .schedules = 1, .tasks = 1};
    const tpgnn_boosting_options o = tpgnn_boosting_defaults();
    assert_null(tpgnn_boosting_fit(&data, &o, new_failure()));
    assert_string_equal(
        last_failure()->sentence,
        "boosting: there are 1 schedules and 0 stored buffers; it needs some of both");
    expect_null(tpgnn_boosting_fit(&(tpgnn_data){0}, &o, new_failure()), AG_EUSE,
                "there are 0 schedules and 0 stored buffers");
}

static void labels(void **state)
{
    double y[3];
    tpgnn_schedule schedule[] = {{.task = 1, .stores = 3, .runtime = 40},
                                 {.task = 0, .stores = 0, .runtime = 7},
                                 {.task = 1, .stores = 2, .runtime = 10}};
    const tpgnn_data data = {.schedule = schedule, .schedules = 3, .tasks = 2};
    tpgnn_throughput(y, &data);
    assert_true(fabs(y[0] - 0.25) < 1e-15 && fabs(y[1] - 1) < 1e-15 && fabs(y[2] - 1) < 1e-15);
}

int main(void) { return RUN_TESTS_WITH(make, NULL, shared_rows, by_hand, ends, refusals, labels); }
