/* SPDX-License-Identifier: MIT */
/* Ridge regression against numpy, boosted trees on toy data. */
#include "support/test.h"
#include "examples/harness/baseline/boosting.h"
#include "examples/harness/baseline/ridge.h"
#include "metrics/metrics.h"

/* ---- ridge ---- */

static void solve(double *w, const float *x, const double *y, int rows, int columns, double weight,
                  double *error)
{
    ag_failure why = {0};
    harness_moments m;
    harness_moments_open(&m, columns);
    harness_moments_add(&m, x, y, rows);
    if (harness_ridge_solve(w, &m, weight, &why)) fail_msg("%s", why.sentence);
    *error = harness_ridge_error(&m, w);
    harness_moments_close(&m);
}

/* numpy.linalg.solve(xc.T @ xc + weight * 7 * eye(3), xc.T @ yc), float64. */
static void ridge_numpy(void **state)
{
    const float x[7][3] = {{-0.80F, -1.32F, -0.25F}, {0.42F, 1.14F, 0.11F},
                           {-0.55F, -0.78F, 0.75F},  {1.63F, 0.27F, -1.23F},
                           {-0.96F, 1.60F, 0.20F},   {-1.73F, -0.08F, -1.16F},
                           {-0.63F, -0.49F, -0.71F}};
    const double y[7] = {0.55, -0.06, -0.59, 0.41, 0.83, -1.64, -0.26};
    static const struct {
        double weight, w[4], error;
    } golden[] = {
        {0.05,
         {0.337826082053809, 0.11451877818107033, 0.309113158040733, 0.11343386907096531},
         0.4054911891366702},
        {2.0,
         {0.11396307998283901, 0.05910711231863584, 0.05647850963829259, -0.050311051300989715},
         0.4996059840812186}};
    for (int g = 0; g < 2; g++) {
        double w[4], error;
        solve(w, x[0], y, 7, 3, golden[g].weight, &error);
        for (int i = 0; i < 4; i++) assert_true(fabs(w[i] - golden[g].w[i]) < 1e-12);
        assert_true(fabs(error - golden[g].error) < 1e-12);
    }
}

enum { ROWS = 333, COLUMNS = 301 }; /* no multiples of four; wide enough for threads */

static void toy(float *x, double *y)
{
    ag_random r = {7, 1, 0};
    for (int i = 0; i < ROWS; i++) {
        y[i] = ag_random_normal(&r);
        for (int k = 0; k < COLUMNS; k++) {
            x[i * COLUMNS + k] = (float)ag_random_normal(&r);
            y[i] += 0.01 * k * (double)x[i * COLUMNS + k];
        }
    }
}

/* The gradient is 0 at the minimum: x'(y - xw - b) = weight rows w, and the residuals sum to 0. */
static void ridge_minimum(void **state)
{
    static float x[ROWS * COLUMNS];
    static double y[ROWS], w[COLUMNS + 1], again[COLUMNS + 1];
    double error, sum = 0, gradient[COLUMNS] = {0};
    int threads = ag_threads();
    toy(x, y);
    ag_set_threads(2);
    solve(w, x, y, ROWS, COLUMNS, 0.01, &error);
    ag_set_threads(1);
    solve(again, x, y, ROWS, COLUMNS, 0.01, &error);
    ag_set_threads(threads);
    assert_memory_equal(w, again, sizeof w);
    for (int i = 0; i < ROWS; i++) {
        double e = y[i] - w[COLUMNS];
        for (int k = 0; k < COLUMNS; k++) e -= w[k] * (double)x[i * COLUMNS + k];
        for (int k = 0; k < COLUMNS; k++) gradient[k] += e * (double)x[i * COLUMNS + k];
        sum += e;
    }
    assert_true(fabs(sum) < 1e-8);
    for (int k = 0; k < COLUMNS; k++) assert_true(fabs(gradient[k] - 0.01 * ROWS * w[k]) < 1e-8);
}

/* The weight that is best on the last rows, and with it the solution of all. */
static void ridge_chooses_its_weight(void **state)
{
    enum { ROWS = 40, HEAD = 30 };
    float x[ROWS][2];
    double y[ROWS], w[3], all[3], error, least = (double)INFINITY, weight, best = 0;
    ag_failure why = {0};
    ag_random random = {7, 1, 0};
    for (int i = 0; i < ROWS; i++) {
        x[i][0] = (float)ag_random_normal(&random);
        x[i][1] = (float)ag_random_normal(&random);
        y[i] = 0.1 * (double)x[i][0] + 3 * ag_random_normal(&random);
    }
    for (int p = -6; p <= 1; p++) {
        harness_moments tail;
        solve(w, x[0], y, HEAD, 2, pow(10, p), &error);
        harness_moments_open(&tail, 2);
        harness_moments_add(&tail, x[HEAD], y + HEAD, ROWS - HEAD);
        const double e = harness_ridge_error(&tail, w);
        harness_moments_close(&tail);
        if (e < least) least = e, best = pow(10, p);
    }
    assert_int_equal(harness_ridge_fit(w, &weight, x[0], y, ROWS, HEAD, 2, &why), AG_OK);
    assert_true(fabs(weight / best - 1) < 1e-9 && weight > 1e-5); /* noise wants a large one */
    solve(all, x[0], y, ROWS, 2, weight, &error);
    for (int k = 0; k < 3; k++) assert_true(fabs(w[k] - all[k]) < 1e-12);
    assert_true(fabs(harness_ridge_predict(w, x[3], 2) -
                     (w[2] + w[0] * (double)x[3][0] + w[1] * (double)x[3][1])) < 1e-12);
}

static void ridge_singular(void **state)
{
    const float x[] = {0, 1, 2, 0, 2, 4, 0, 5, 10, 0, 3, 6}; /* columns of zeros are left out */
    const double y[] = {1, 2, 3, 5};
    double w[4];
    ag_failure why = {0};
    harness_moments m;
    harness_moments_open(&m, 3);
    harness_moments_add(&m, x, y, 4);
    assert_int_equal(harness_ridge_solve(w, &m, 0, &why), AG_EFINITE);
    assert_non_null(strstr(why.sentence, "column 2 of 3"));
    why = (ag_failure){0};
    assert_int_equal(harness_ridge_solve(w, &m, 1e-6, &why), AG_OK);
    assert_true(fabs(w[2] - 2 * w[1]) < 1e-4);
    harness_moments_close(&m);
}

/* A column of zeros is left out, whatever the weight, and changes nothing. */
static void ridge_empty_column(void **state)
{
    const float x[] = {1, 0, 2, 2, 0, -4, 5, 0, 1, 3, 0, 6}, without[] = {1, 2, 2, -4, 5, 1, 3, 6};
    const double y[] = {1, 2, 3, 5};
    double w[4], want[3];
    ag_failure why = {0};
    harness_moments m[2];
    for (int k = 0; k < 2; k++) {
        harness_moments_open(&m[k], 3 - k);
        harness_moments_add(&m[k], k ? without : x, y, 4);
        assert_int_equal(harness_ridge_solve(k ? want : w, &m[k], 0, &why), AG_OK);
        harness_moments_close(&m[k]);
    }
    assert_true(w[0] == want[0] && w[1] == 0 && w[2] == want[1] && w[3] == want[2]);
}

/* ---- trees ---- */

static void boosting_toy(void **state)
{
    enum { N = 400 };
    static float x[N * 2];
    static double y[N], score[N], again[N];
    ag_failure why = {0};
    harness_boosting_options o = harness_boosting_defaults();
    ag_random r = {3, 1, 0};
    for (int i = 0; i < N; i++) {
        x[2 * i] = (float)ag_random_uniform(&r);
        x[2 * i + 1] = (float)ag_random_uniform(&r);
        y[i] = exp(3 * (double)x[2 * i]); /* grows with the first column alone */
    }
    harness_boosting *b = harness_boosting_fit(x, y, N, 2, &o, &why);
    if (!harness_boosting_built()) {
        assert_null(b);
        assert_string_equal(why.sentence, "not built: libxgboost is not installed");
        print_message("skipped: boosting is %s\n", why.sentence);
        skip();
    }
    if (!b) fail_msg("%s", why.sentence);
    assert_int_equal(harness_boosting_trees(b), o.rounds);
    assert_int_equal(harness_boosting_predict(score, b, x, N, &why), AG_OK);
    harness_boosting_free(b);
    ag_pairs pairs;
    ag_pairs_count(&pairs, score, y, N, &why);
    assert_true(ag_tau_b(&pairs) > 0.97);
    b = harness_boosting_fit(x, y, N, 2, &o, &why);
    assert_int_equal(harness_boosting_predict(again, b, x, N, &why), AG_OK);
    harness_boosting_free(b);
    assert_memory_equal(score, again, sizeof score);

    /* The labels and settings reach XGBoost: a tree of depth 1 and rate 1 is two means. */
    o.rounds = o.depth = 1;
    o.rate = 1;
    const float step[] = {0, 0, 0, 0, 1, 1, 2, 2};
    const double level[] = {-5, -5, -5, -5, 1, 1, 12, 12};
    b = harness_boosting_fit(step, level, 8, 1, &o, &why);
    assert_int_equal(harness_boosting_predict(score, b, step, 8, &why), AG_OK);
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
    ag_failure why = {0};
    harness_boosting_options o = harness_boosting_defaults();
    assert_null(harness_boosting_fit(x, y, 2, 1, &o, &why));
    assert_int_equal(why.status, AG_EDATA);
    assert_memory_equal(why.sentence, "boosting: XGBoost could not ", 28);
}

int main(void)
{
    return RUN_TESTS(ridge_numpy, ridge_minimum, ridge_chooses_its_weight, ridge_singular,
                     ridge_empty_column, boosting_toy, boosting_fails);
}
