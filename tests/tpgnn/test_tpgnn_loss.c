/* SPDX-License-Identifier: MIT */
/* Labels and losses of TPGNN, worked out by hand. */
#include "support/test.h"
#include "examples/tpgnn/steps.h"

enum { SCHEDULES = 5 };

/* Tasks of 3 and of 2 schedules, in ns. */
static const int64_t runtime[SCHEDULES] = {1000, 4000, 2000, 100, 300};
static tpgnn_schedule schedule[SCHEDULES];
static tpgnn_task task[2] = {{.schedules = 3}, {.first = 3, .schedules = 2}};
static tpgnn_data data = {
    .task = task, .schedule = schedule, .tasks = 2, .schedules = SCHEDULES, .families = 1};

/* The second task's second schedule, then the first task. */
static const tpgnn_schedule *drawn[] = {schedule + 4, schedule, schedule + 1, schedule + 2};
static int32_t rank[] = {0, 0, 2, 1}, groups[] = {0, 1, 4};
static tpgnn_batch batch = {
    .graphs = 4, .groups = 2, .schedule = drawn, .rank = rank, .group_start = groups};

static int make(void **state)
{
    for (int i = 0; i < SCHEDULES; i++)
        schedule[i] = (tpgnn_schedule){.task = i / 3, .number = i % 3, .runtime = runtime[i]};
    return 0;
}

/* ---- labels ---- */

static void expect_labels(int label, double mean, double deviation, const double should[4])
{
    ag_real out[4];
    tpgnn_labels(out, &data, &batch, label, mean, deviation);
    for (int i = 0; i < 4; i++)
        if (!(fabs((double)out[i] - should[i]) <= 1e-6 * fmax(1e-6, fabs(should[i]))))
            fail_msg("label %d of %d is %g, should be %g", label, i, (double)out[i], should[i]);
}

static void four_kinds_of_labels(void **state)
{
    const double first = (log(1e-6) + log(4e-6) + log(2e-6)) / 3;
    const double second = (log(1e-7) + log(3e-7)) / 2;
    expect_labels(TPGNN_LABEL_COST, 0, 1, (double[]){3e-7, 1e-6, 4e-6, 2e-6});
    expect_labels(TPGNN_LABEL_COST, 1e-6, 2e-6, (double[]){-0.35, 0, 1.5, 0.5});
    expect_labels(TPGNN_LABEL_LOG, 0, 1, (double[]){log(3e-7), log(1e-6), log(4e-6), log(2e-6)});
    expect_labels(
        TPGNN_LABEL_RELATIVE, 0, 1,
        (double[]){log(3e-7) - second, log(1e-6) - first, log(4e-6) - first, log(2e-6) - first});
    expect_labels(TPGNN_LABEL_THROUGHPUT, 0, 1, (double[]){-1. / 3, -1, -0.25, -0.5});
}

static int near(double a, double b) { return fabs(a - b) <= 1e-12 * fabs(b); }

/* Labels are scaled over all schedules; those that are compared within a task are not. */
static void labels_are_scaled(void **state)
{
    double mean, deviation, sum = 0, squares = 0;
    tpgnn_label_scale(&mean, &deviation, &data, TPGNN_LABEL_COST);
    assert_true(near(mean, 1480e-9) && near(deviation, 1e-9 * sqrt(2029600)));
    for (int i = 0; i < SCHEDULES; i++) sum += log(1e-9 * (double)runtime[i]) / SCHEDULES;
    for (int i = 0; i < SCHEDULES; i++) squares += pow(log(1e-9 * (double)runtime[i]) - sum, 2);
    tpgnn_label_scale(&mean, &deviation, &data, TPGNN_LABEL_LOG);
    assert_true(near(mean, sum) && near(deviation, sqrt(squares / SCHEDULES)));
    for (int label = TPGNN_LABEL_RELATIVE; label <= TPGNN_LABEL_THROUGHPUT; label++) {
        mean = deviation = 7;
        tpgnn_label_scale(&mean, &deviation, &data, label);
        assert_true(mean == 0 && deviation == 1);
    }
    const tpgnn_data one = {.task = task, .schedule = schedule, .tasks = 1, .schedules = 1};
    tpgnn_label_scale(&mean, &deviation, &one, TPGNN_LABEL_COST);
    assert_true(near(mean, 1e-6) && deviation == 1);
}

/* ---- losses ---- */

static const ag_real label[4] = {(ag_real)-1. / 3, -1, (ag_real)-0.25, (ag_real)-0.5};

/* slope [4]: of each cost. */
static double loss_of(double slope[4], const ag_real cost[4], int kind, double margin, double top)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_params *params = ag_params_new();
    ag_param *p = ag_params_add(params, "cost", AG_SHAPE(4), ag_init_constant(0), 1);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    for (int i = 0; i < 4; i++) p->value[i] = cost[i];
    const tpgnn_settings settings = {.loss = kind, .margin = margin, .top = top};
    ag_tensor *loss = tpgnn_loss(ag_parameter(tape, p), &batch, label, &settings);
    ag_backward(loss);
    if (ag_failed(tape)) fail_msg("%s", ag_error(tape));
    const double value = (double)ag_item(loss);
    for (int i = 0; i < 4; i++) slope[i] = (double)p->gradient[i];
    ag_tape_free(tape);
    ag_params_free(params);
    return value;
}

static const ag_real right[4] = {9, 1, 3, 2}, wrong[4] = {9, 3, 1, 2}, flat[4] = {9, 2, 2, 2};

/* Over 2 groups, of 1 and of 9 entries; costs of other tasks are not compared. */
static void pairs_by_hand(void **state)
{
    double slope[4];
    const double good = 2 * log1p(exp(-1)) + log1p(exp(-2)), bad = good + 4;
    assert_float_equal(loss_of(slope, right, TPGNN_LOSS_PAIRS, 1, 0), good / 18, 1e-6);
    assert_float_equal(loss_of(slope, wrong, TPGNN_LOSS_PAIRS, 1, 0), bad / 18, 1e-6);
    assert_true(slope[0] == 0 && slope[1] > 0 && slope[2] < 0);
    assert_float_equal(loss_of(slope, right, TPGNN_LOSS_HINGE, 1, 0), 0, 1e-6);
    assert_float_equal(loss_of(slope, right, TPGNN_LOSS_HINGE, 1.5, 0), 1. / 18, 1e-6);
    assert_float_equal(loss_of(slope, wrong, TPGNN_LOSS_HINGE, 1, 0), 7. / 18, 1e-6);
    assert_true(slope[0] == 0 && slope[1] > 0 && slope[2] < 0);
}

/* A fast schedule should have a low cost: the gradient lowers it, most for the best. */
static void lambda_pulls_the_fast_down(void **state)
{
    double slope[4];
    const double good = loss_of(slope, right, TPGNN_LOSS_LAMBDA, 1, 0);
    const double even = loss_of(slope, flat, TPGNN_LOSS_LAMBDA, 1, 0);
    assert_true(slope[0] == 0 && slope[1] > 0 && slope[2] < 0 && slope[1] > fabs(slope[3]));
    const double bad = loss_of(slope, wrong, TPGNN_LOSS_LAMBDA, 1, 0);
    assert_true(slope[1] > 0 && slope[2] < 0);
    assert_true(good > 0 && good < even && even < bad);
}

/* LambdaRank is added to the pairs with a weight. */
static void pairs_look_at_the_fastest(void **state)
{
    double pairs[4], lambda[4], both[4];
    const double a = loss_of(pairs, wrong, TPGNN_LOSS_PAIRS, 1, 0);
    const double b = loss_of(lambda, wrong, TPGNN_LOSS_LAMBDA, 1, 0);
    assert_float_equal(loss_of(both, wrong, TPGNN_LOSS_PAIRS, 1, 0.3), a + 0.3 * b, 1e-6);
    for (int i = 0; i < 4; i++) assert_float_equal(both[i], pairs[i] + 0.3 * lambda[i], 1e-6);
}

static void errors_by_hand(void **state)
{
    double slope[4], squares = 0, huber = 0;
    const ag_real cost[4] = {0, 2, 0, (ag_real)-0.5};
    for (int i = 0; i < 4; i++) {
        const double e = (double)cost[i] - (double)label[i];
        squares += e * e / 4;
        huber += (fabs(e) <= 1 ? e * e / 2 : fabs(e) - 0.5) / 4;
    }
    assert_float_equal(loss_of(slope, cost, TPGNN_LOSS_SQUARED, 1, 0), squares, 1e-6);
    assert_float_equal(slope[1], 1.5, 1e-6);
    assert_float_equal(loss_of(slope, cost, TPGNN_LOSS_HUBER, 1, 0), huber, 1e-6);
    assert_float_equal(slope[1], 0.25, 1e-6);
    assert_float_equal(slope[2], 0.0625, 1e-6);
}

int main(void)
{
    return RUN_TESTS_WITH(make, NULL, four_kinds_of_labels, labels_are_scaled, pairs_by_hand,
                          lambda_pulls_the_fast_down, pairs_look_at_the_fastest, errors_by_hand);
}
