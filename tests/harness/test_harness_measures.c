/* SPDX-License-Identifier: MIT */
/* The measures of a group, by hand, and averages. Ties are tested in tests/metrics. */
#include "support/test.h"
#include "examples/harness/harness.h"
#include "examples/harness/rank/measures.h"
#include "examples/harness/rank/noise.h"

static const double none = (double)INFINITY;

static void near(double got, double expected) { expect_number(got, expected, 1e-12); }

static harness_measured measure(const harness_items *items)
{
    harness_measured m;
    expect_ok(harness_measure_items(&m, items, new_failure()));
    return m;
}

static harness_measured measure_one(const double *score, const double *cost, const int64_t *ns,
                                    int count)
{
    return measure(
        &(harness_items){.name = "g", .count = count, .score = score, .cost = cost, .actual = ns});
}

/* ---- pairs and choices ---- */

static void schedules_by_hand(void **state)
{
    /* Best first: 160, 80, 101, 100. Of 6 pairs 100-101 is too close to count: 80 before 101 and
       100 are right, the three with 160 are wrong. */
    const int64_t t[4] = {100, 80, 160, 101}, two[2] = {7, 9};
    const double score[4] = {-1, -3, -4, -2}, right[2] = {-5, -4};
    harness_measured m = measure_one(score, NULL, t, 4);
    assert_int_equal(m.counted, 4);
    near(m.of[HARNESS_PAIRWISE], 2 / 5.0);
    near(m.of[HARNESS_TAU_B], (2 - 4) / 6.0);
    near(m.of[HARNESS_TAU_A], (2 - 4) / 6.0);
    near(m.of[HARNESS_OPA], 2 / 6.0);
    near(m.of[HARNESS_TIED], 0);
    near(m.of[HARNESS_TOP_1], 80 / 160.0);
    near(m.of[HARNESS_SLOWDOWN_1], 1);
    near(m.of[HARNESS_RECALL_1], 0);
    near(m.of[HARNESS_TOP_5], 1); /* all four */
    near(m.of[HARNESS_RECALL_5], 1);
    near(m.of[HARNESS_SLOWDOWN_10], 0);
    near(m.of[HARNESS_APE], 100);
    assert_true(isnan(m.of[HARNESS_R2]) && isnan(m.of[HARNESS_MAE]));
    assert_true(isnan(m.of[HARNESS_MAPE]) && isnan(m.of[HARNESS_MAPE_ALL]));
    m = measure_one(right, NULL, two, 2);
    near(m.of[HARNESS_PAIRWISE], 1);
    near(m.of[HARNESS_TAU_B], 1);
}

/* The five and the ten best of twelve. */
static void depths(void **state)
{
    const int64_t t[12] = {120, 110, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10};
    double score[12];
    for (int i = 0; i < 12; i++) score[i] = i; /* the slowest first */
    harness_measured m = measure_one(score, NULL, t, 12);
    near(m.of[HARNESS_TOP_1], 10 / 120.0);
    near(m.of[HARNESS_TOP_5], 10 / 80.0);
    near(m.of[HARNESS_TOP_10], 10 / 30.0);
    near(m.of[HARNESS_SLOWDOWN_5], 7);
    near(m.of[HARNESS_SLOWDOWN_100], 0);
    near(m.of[HARNESS_RECALL_1], 0);
    near(m.of[HARNESS_RECALL_5], 0);
    near(m.of[HARNESS_RECALL_10], 0.8);
    near(m.of[HARNESS_PAIRWISE], 0);
    near(m.of[HARNESS_TAU_B], -1);
    score[11] = -0.5; /* the best one first */
    m = measure_one(score, NULL, t, 12);
    near(m.of[HARNESS_TOP_1], 1);
    near(m.of[HARNESS_RECALL_1], 1);
    near(m.of[HARNESS_RECALL_5], 0.2);
    near(m.of[HARNESS_PAIRWISE], 11 / 66.0);
}

/* No measure depends on the order of the items in a file, tied or not. */
static void any_order(void **state)
{
    enum { N = 120 };
    harness_measured of[3];
    for (int values = 1; values <= N; values = 3 * values + 1) {
        for (int order = 0; order < 3; order++) {
            int64_t t[N];
            double score[N], cost[N];
            for (int i = 0; i < N; i++) {
                const int number = order == 0 ? i : order == 1 ? N - 1 - i : 47 * i % N;
                t[i] = 5000 + 37 * (number / 2); /* ascending, descending, neither */
                score[i] = 4000 + number * 29 % values;
                cost[i] = log(score[i]);
            }
            of[order] = measure(&(harness_items){.name = "g",
                                                 .count = N,
                                                 .score = score,
                                                 .cost = cost,
                                                 .actual = t,
                                                 .times = true,
                                                 .least = 5001});
        }
        for (int m = 0; m < HARNESS_MEASURES; m++)
            for (int order = 1; order < 3; order++)
                if (m >= HARNESS_MAPE && m <= HARNESS_MAE) /* sums of what is not a whole number */
                    near(of[order].of[m], of[0].of[m]);
                else if (of[order].of[m] != of[0].of[m])
                    fail_msg("%s of %d scores: %.17g and %.17g", harness_measures[m].name, values,
                             of[order].of[m], of[0].of[m]);
    }
}

/* From one item nothing can be chosen, but it takes its time. */
static void one_item(void **state)
{
    const int64_t t[1] = {1000};
    const double score[1] = {3}, cost[1] = {log(1000) + 0.25};
    const harness_measured m = measure_one(score, cost, t, 1);
    near(m.of[HARNESS_MAE], 0.25);
    near(m.of[HARNESS_APE], 0);
    for (int k = 0; k < HARNESS_APE; k++) assert_true(isnan(m.of[k]));
    const harness_measured nothing = measure_one(score, cost, t, 0);
    for (int k = 0; k < HARNESS_MEASURES; k++) assert_true(isnan(nothing.of[k]));
}

/* inf is worse than every other score, and equal to itself. */
static void unscored(void **state)
{
    const int64_t t[4] = {10, 40, 20, 30};
    const double score[4] = {none, none, 1e308, -5}, cost[4] = {(double)NAN, 9, log(20), log(90)};
    harness_measured m = measure_one(score, cost, t, 4); /* 30, 20, then 10 and 40 */
    near(m.of[HARNESS_PAIRWISE], (0 + 0 + 1 + 0 + 1 + 0.5) / 6);
    near(m.of[HARNESS_TAU_B], (2 - 3) / sqrt(5 * 6));
    near(m.of[HARNESS_TOP_1], 10 / 30.0);
    assert_true(isnan(m.of[HARNESS_MAE]) && isnan(m.of[HARNESS_R2])); /* two have no error */
    const double nothing[4] = {none, none, none, none};
    m = measure_one(nothing, cost, t, 4);
    near(m.of[HARNESS_PAIRWISE], 0.5);
    near(m.of[HARNESS_TOP_1], (1 + 1 / 4.0 + 1 / 2.0 + 1 / 3.0) / 4);
    near(m.of[HARNESS_TAU_B], 0);
    assert_true(
        isnan(measure(&(harness_items){
                          .name = "g", .count = 4, .score = score, .actual = t, .times = true})
                  .of[HARNESS_MAPE]));
}

/* ---- predicted run times ---- */

static void costs(void **state)
{
    const int64_t t[3] = {100, 200, 400}, same[2] = {5, 5};
    const double l = log(2), cost[3] = {log(100), log(200) + l, log(400)};
    harness_measured m = measure_one(cost, cost, t, 3);
    near(m.of[HARNESS_R2], 1 - l * l / (2 * l * l));
    near(m.of[HARNESS_MAE], l / 3);
    m = measure_one(cost, cost, same, 2);
    assert_true(isnan(m.of[HARNESS_R2]));
    near(m.of[HARNESS_MAE], (2 * log(20) + l + log(2)) / 2);
}

static void fused_kernels_by_hand(void **state)
{
    const int64_t t[4] = {10000, 5000, 4999, 20000}, brief[1] = {100};
    const double p[4] = {11000, 4000, 4999, 30000}, twice[1] = {200};
    const harness_items all = {
        .name = "g", .count = 4, .score = p, .actual = t, .times = true, .least = 5000};
    harness_measured m = measure(&all);
    assert_int_equal(m.counted, 3); /* 5000 is long, 4999 is not */
    near(m.of[HARNESS_MAPE], 100 * (0.1 + 0.2 + 0.5) / 3);
    near(m.of[HARNESS_MAPE_ALL], 100 * (0.1 + 0.2 + 0 + 0.5) / 4);
    near(m.of[HARNESS_TAU_B], 1);
    near(m.of[HARNESS_TAU_B_ALL], (5 - 1) / 6.0); /* 5000 and 4999 are the wrong way round */
    m = measure(&(harness_items){
        .name = "g", .count = 1, .score = twice, .actual = brief, .times = true, .least = 5000});
    assert_true(isnan(m.of[HARNESS_MAPE]) && isnan(m.of[HARNESS_TAU_B]));
    near(m.of[HARNESS_MAPE_ALL], 100);
    /* a run time that is not known is not counted at all */
    const int64_t hidden[4] = {10000, 0, 0, 20000};
    m = measure(&(harness_items){
        .name = "g", .count = 4, .score = p, .actual = hidden, .times = true, .least = 5000});
    assert_int_equal(m.counted, 2);
    near(m.of[HARNESS_MAPE_ALL], 100 * (0.1 + 0.5) / 2);
}

/* ---- several groups of a row ---- */

static void tiles_by_hand(void **state)
{
    const int64_t a[3] = {100, 80, 120}, b[4] = {50, 40, 40, 60}, one[1] = {10};
    /* Picks 120 (best 80); all equal: 47.5 (best 40); one configuration: 10. */
    const double sa[3] = {2, 3, 1}, sb[4] = {1, 1, 1, 1}, sone[1] = {5};
    const harness_measured of[4] = {measure_one(sa, NULL, a, 3), measure_one(sb, NULL, b, 4),
                                    measure_one(sone, NULL, one, 1), harness_measured_none()};
    harness_measured m = {0}, hidden = {0};
    for (int i = 0; i < 4; i++) harness_measured_add(&m, &of[i]);
    harness_measured_end(&m);
    near(m.of[HARNESS_APE], 100 * (40 + 7.5 + 0) / (80.0 + 40 + 10));
    near(m.of[HARNESS_TAU_B], -0.5); /* 2 3 1 against 100 80 120: no pair agrees; 0 where all tie */
    near(m.of[HARNESS_SLOWDOWN_1], (40 / 80.0 + 7.5 / 40.0) / 2);
    assert_int_equal(m.counted, 8);
    harness_measured_add(&hidden, &of[3]);
    harness_measured_end(&hidden);
    assert_true(isnan(hidden.of[HARNESS_APE]) && isnan(hidden.of[HARNESS_TAU_B]));
    assert_int_equal(hidden.counted, 0);
}

/* ---- refusals and names ---- */

static void refused(int status, const char *sentence, const harness_items *items)
{
    harness_measured m;
    assert_int_equal(harness_measure_items(&m, items, new_failure()), status);
    assert_string_equal(last_failure()->sentence, sentence);
}

static void refusals(void **state)
{
    const double fine[2] = {1, 2}, nan[2] = {1, (double)NAN}, inf[2] = {1, -none};
    const int64_t t[2] = {5, 6}, below[2] = {5, -1};
    const int number[2] = {3, 7};
    refused(AG_EFINITE,
            "g: the score of item 1 is nan; it must be finite, or inf where there is none",
            &(harness_items){.name = "g", .count = 2, .score = nan, .actual = t});
    refused(AG_EFINITE,
            "g: the score of item 7 is -inf; it must be finite, or inf where there is none",
            &(harness_items){.name = "g", .count = 2, .score = inf, .actual = t, .number = number});
    refused(AG_EFINITE, "g: the predicted cost of item 1 is -inf; it must be finite",
            &(harness_items){.name = "g", .count = 2, .score = fine, .cost = inf, .actual = t});
    refused(AG_EDATA, "g: the run time of item 1 is -1 ns; it must be at least 1",
            &(harness_items){.name = "g", .count = 2, .score = fine, .actual = below});
}

static void names(void **state)
{
    for (harness_measure a = 0; a < HARNESS_MEASURES; a++)
        for (harness_measure b = 0; b < a; b++)
            assert_string_not_equal(harness_measures[a].name, harness_measures[b].name);
    assert_string_equal(harness_measures[HARNESS_RECALL_10].name, "recall@10");
    assert_true(harness_measures[HARNESS_APE].smaller && !harness_measures[HARNESS_TOP_1].smaller);
    assert_int_equal(harness_measures[HARNESS_MAPE].digits, 1);
    static const harness_measure some[] = {HARNESS_TOP_1, HARNESS_TOP_5, HARNESS_MAPE};
    assert_string_equal(harness_measures_explain(some, 3),
                        "top-1, top-5: the fastest of all divided by the fastest of the k "
                        "best predicted: 1 is best. MAPE %: the mean of |predicted - "
                        "measured| / measured, in %.");
}

/* The longest name that a column begins with, which is not always the first one. */
static void columns(void **state)
{
    static const struct {
        const char *column;
        harness_measure measure;
    } cases[] = {{"top-1", HARNESS_TOP_1},
                 {"top-10", HARNESS_TOP_10},
                 {"slowdown@1", HARNESS_SLOWDOWN_1},
                 {"slowdown@100", HARNESS_SLOWDOWN_100},
                 {"tau-b of all", HARNESS_TAU_B_ALL},
                 {"MAPE % of all", HARNESS_MAPE_ALL},
                 {"APE % median", HARNESS_APE},
                 {"top-", HARNESS_MEASURES},
                 {"a tau-b", HARNESS_MEASURES},
                 {"", HARNESS_MEASURES}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(harness_measure_of(cases[i].column), cases[i].measure);
    for (harness_measure m = 0; m < HARNESS_MEASURES; m++)
        assert_int_equal(harness_measure_of(harness_measures[m].name), m);
}

/* ---- averages ---- */

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
    assert_true(isnan(a.spread) && harness_average(NULL, 0).count == 0);
    a = harness_average((double[]){3, (double)NAN, 1, 2}, 4);
    assert_true(a.mean == 2 && a.median == 2 && a.spread == 1 && a.count == 3);
    a = harness_average((double[]){7}, 1);
    assert_true(a.mean == 7 && isnan(a.spread) && a.count == 1);
    /* The learned model's column of Table 2 of Kaufman et al.; its mean is the geometric one. */
    a = harness_average((double[]){9.7, 1.5, 3.1, 3.9, 8.0, 2.8, 2.7, 3.4}, 8);
    assert_true(fabs(a.geometric - 3.7) < 0.05);
    assert_true(fabs(a.median - 3.25) < 1e-12); /* printed as 3.3 */
}

/* ---- noise ---- */

static void noise_and_spread(void **state)
{
    int64_t a[101], b[101];
    for (int i = 0; i < 101; i++) { /* ln from 10 to 11 in equal steps */
        a[i] = (int64_t)(exp(14 + i / 100.0) + 0.5);
        b[i] = (int64_t)((double)a[i] * (i % 2 ? 1.01 : 1 / 1.01) + 0.5);
    }
    assert_true(fabs(harness_time_spread(a, 101) - 0.34) < 1e-5);
    assert_true(fabs(harness_time_noise(a, b, 101) - log(1.01) / sqrt(2)) < 1e-5);
    assert_true(harness_time_noise(a, a, 101) == 0);
    assert_true(fabs(harness_time_worst(a, b, 101) - log(1.01)) < 1e-5);
    assert_true(harness_time_worst(a, b, 0) == 0);
    assert_true(harness_time_noise(a, b, 0) < 0);
    assert_true(harness_time_spread(a, 1) == 0);
    assert_true(harness_time_tau(a, a, 101) == 1);
    for (int i = 0; i < 101; i++) b[i] = a[100 - i];
    assert_true(harness_time_tau(a, b, 101) == -1);
    for (int i = 0; i < 101; i++) b[i] = 7;
    assert_true(isnan(harness_time_tau(a, b, 101)));
}

int main(void)
{
    return RUN_TESTS(schedules_by_hand, depths, any_order, one_item, unscored, costs,
                     fused_kernels_by_hand, tiles_by_hand, refusals, names, columns, averages,
                     noise_and_spread);
}
