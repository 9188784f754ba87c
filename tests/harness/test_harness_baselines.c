/* SPDX-License-Identifier: MIT */
/* Ridge regression against numpy, boosted trees on toy data. */
#include "support/test.h"
#include "core/random.h"
#include "core/threads.h"
#include "examples/harness/baseline/boosting.h"
#include "examples/harness/baseline/ridge.h"
#include "metrics/metrics.h"

/* ---- ridge ---- */

/* With the weight 0.1, since no rows are left to choose by. */
static void fit(double *w, const float *x, const double *y, int rows, int columns)
{
    double weight;
    expect_ok(harness_ridge_fit(w, &weight, x, y, rows, rows, columns, new_failure()));
    assert_true(weight == 0.1);
}

/* numpy.linalg.solve(xc.T @ xc + 0.1 * 7 * eye(3), xc.T @ yc), float64. */
static void ridge_numpy(void **state)
{
    const float x[7][3] = {{-0.80F, -1.32F, -0.25F}, {0.42F, 1.14F, 0.11F},
                           {-0.55F, -0.78F, 0.75F},  {1.63F, 0.27F, -1.23F},
                           {-0.96F, 1.60F, 0.20F},   {-1.73F, -0.08F, -1.16F},
                           {-0.63F, -0.49F, -0.71F}};
    const double y[7] = {0.55, -0.06, -0.59, 0.41, 0.83, -1.64, -0.26},
                 golden[4] = {0.3197161135371217, 0.11432160384656138, 0.2785446759416979,
                              0.09666488311253812};
    double w[4];
    fit(w, x[0], y, 7, 3);
    for (int i = 0; i < 4; i++) assert_true(fabs(w[i] - golden[i]) < 1e-12);
    assert_true(fabs(harness_ridge_predict(w, x[3], 3) -
                     (w[3] + w[0] * (double)x[3][0] + w[1] * (double)x[3][1] +
                      w[2] * (double)x[3][2])) < 1e-12);
}

enum { ROWS = 333, COLUMNS = 301 }; /* no multiples of four; wide enough for threads */

/* The gradient is 0 at the minimum: x'(y - xw - b) = weight rows w, and the residuals sum to 0. */
static void ridge_minimum(void **state)
{
    static float x[ROWS][COLUMNS];
    static double y[ROWS], w[COLUMNS + 1], again[COLUMNS + 1];
    double sum = 0, gradient[COLUMNS] = {0};
    int threads = ag_threads();
    ag_random r = {7, 1, 0};
    for (int i = 0; i < ROWS; i++) {
        y[i] = ag_random_normal(&r);
        for (int k = 0; k < COLUMNS; k++) {
            x[i][k] = (float)ag_random_normal(&r);
            y[i] += 0.01 * k * (double)x[i][k];
        }
    }
    ag_set_threads(2);
    fit(w, x[0], y, ROWS, COLUMNS);
    ag_set_threads(1);
    fit(again, x[0], y, ROWS, COLUMNS);
    ag_set_threads(threads);
    assert_memory_equal(w, again, sizeof w);
    for (int i = 0; i < ROWS; i++) {
        const double e = y[i] - harness_ridge_predict(w, x[i], COLUMNS);
        for (int k = 0; k < COLUMNS; k++) gradient[k] += e * (double)x[i][k];
        sum += e;
    }
    assert_true(fabs(sum) < 1e-8);
    for (int k = 0; k < COLUMNS; k++) assert_true(fabs(gradient[k] - 0.1 * ROWS * w[k]) < 1e-8);
}

/* The weight that is best on the last rows, by solutions of one column by hand, and with it the
   solution of all rows. */
static void ridge_chooses_its_weight(void **state)
{
    enum { ROWS = 40, HEAD = 30 };
    float x[ROWS];
    double y[ROWS], w[2], weight, best = 0, least = (double)INFINITY;
    ag_random random = {7, 1, 0};
    for (int i = 0; i < ROWS; i++) {
        x[i] = (float)ag_random_normal(&random);
        y[i] = 0.1 * (double)x[i] + 3 * ag_random_normal(&random);
    }
    for (int p = -6; p <= 2; p++) { /* the last one: of all rows, by the best weight */
        const int n = p < 2 ? HEAD : ROWS;
        double mx = 0, my = 0, xy = 0, xx = n * (p < 2 ? pow(10, p) : best), error = 0;
        for (int i = 0; i < n; i++) mx += (double)x[i] / n, my += y[i] / n;
        for (int i = 0; i < n; i++) {
            xy += ((double)x[i] - mx) * y[i];
            xx += ((double)x[i] - mx) * (double)x[i];
        }
        w[0] = xy / xx;
        w[1] = my - w[0] * mx;
        for (int i = HEAD; i < ROWS; i++) error += pow(y[i] - w[1] - w[0] * (double)x[i], 2);
        if (p < 2 && error < least) least = error, best = pow(10, p);
    }
    double got[2];
    expect_ok(harness_ridge_fit(got, &weight, x, y, ROWS, HEAD, 1, new_failure()));
    assert_true(fabs(weight / best - 1) < 1e-9 && weight > 1e-5); /* noise wants a large one */
    for (int k = 0; k < 2; k++) assert_true(fabs(got[k] - w[k]) < 1e-12);
}

/* Columns of zeros are left out. The weight is too small for columns of 1e8, one of which is twice
   the other. */
static void ridge_singular(void **state)
{
    const float x[] = {0, 1e8F, 2e8F, 0, 2e8F, 4e8F, 0, 5e8F, 1e9F, 0, 3e8F, 6e8F};
    const double y[] = {1, 2, 3, 5};
    double w[4], weight;
    expect_status(harness_ridge_fit(w, &weight, x, y, 4, 4, 3, new_failure()), AG_EFINITE,
                  "column 2 of 3");
}

/* A column of zeros changes nothing. */
static void ridge_empty_column(void **state)
{
    const float x[] = {1, 0, 2, 2, 0, -4, 5, 0, 1, 3, 0, 6}, without[] = {1, 2, 2, -4, 5, 1, 3, 6};
    const double y[] = {1, 2, 3, 5};
    double w[4], want[3];
    fit(w, x, y, 4, 3);
    fit(want, without, y, 4, 2);
    assert_true(w[0] == want[0] && w[1] == 0 && w[2] == want[1] && w[3] == want[2]);
}

/* ---- trees ---- */

static void boosting_toy(void **state)
{
    enum { N = 400 };
    static float x[N * 2];
    static double y[N], score[N], again[N];
    harness_boosting_options o = harness_boosting_defaults();
    ag_random r = {3, 1, 0};
    for (int i = 0; i < N; i++) {
        x[2 * i] = (float)ag_random_uniform(&r);
        x[2 * i + 1] = (float)ag_random_uniform(&r);
        y[i] = exp(3 * (double)x[2 * i]); /* grows only with the first column */
    }
    harness_boosting *b = harness_boosting_fit(x, y, N, 2, &o, new_failure());
    if (!harness_boosting_built()) {
        assert_null(b);
        assert_string_equal(last_failure()->sentence, "not built: libxgboost is not installed");
        print_message("skipped: boosting is %s\n", last_failure()->sentence);
        skip();
    }
    if (!b) fail_msg("%s", last_failure()->sentence);
    assert_int_equal(harness_boosting_trees(b), o.rounds);
    expect_ok(harness_boosting_predict(score, b, x, N, new_failure()));
    harness_boosting_free(b);
    ag_pairs pairs;
    ag_pairs_count(&pairs, score, y, N, new_failure());
    assert_true(ag_tau_b(&pairs) > 0.97);
    b = harness_boosting_fit(x, y, N, 2, &o, new_failure());
    expect_ok(harness_boosting_predict(again, b, x, N, new_failure()));
    harness_boosting_free(b);
    assert_memory_equal(score, again, sizeof score);

    /* The labels and settings reach XGBoost: a tree of depth 1 and rate 1 is two means. */
    o.rounds = o.depth = 1;
    o.rate = 1;
    const float step[] = {0, 0, 0, 0, 1, 1, 2, 2};
    const double level[] = {-5, -5, -5, -5, 1, 1, 12, 12};
    b = harness_boosting_fit(step, level, 8, 1, &o, new_failure());
    expect_ok(harness_boosting_predict(score, b, step, 8, new_failure()));
    harness_boosting_free(b);
    for (int i = 0; i < 8; i++) /* sum / (rows + 1) */
        assert_true(fabs(score[i] - (i < 6 ? -18.0 / 7 : 24.0 / 3)) < 1e-5);
}

/* XGBoost's own words reach the sentence. */
static void boosting_fails(void **state)
{
    if (!harness_boosting_built()) skip();
    const float x[] = {0, 1};
    const double y[] = {NAN, 1};
    harness_boosting_options o = harness_boosting_defaults();
    expect_null(harness_boosting_fit(x, y, 2, 1, &o, new_failure()), AG_EDATA, "");
    assert_memory_equal(last_failure()->sentence, "boosting: XGBoost could not ", 28);
}

int main(void)
{
    return RUN_TESTS(ridge_numpy, ridge_minimum, ridge_chooses_its_weight, ridge_singular,
                     ridge_empty_column, boosting_toy, boosting_fails);
}
