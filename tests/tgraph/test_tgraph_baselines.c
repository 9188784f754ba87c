/* SPDX-License-Identifier: MIT */
/* The parts of the baselines: columns counted by hand, ridge regression against closed forms and
   numpy, trees on toy data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "examples/harness/rank/scores.h"
#include "examples/tgraph/baseline/baselines.h"
#include "support/tgraph_npz.h"

/* ---- ridge ---- */

static void solve(double *w, const float *x, const double *y, int rows, int columns, double weight,
                  double *error)
{
    ag_failure why = {0};
    harness_moments m;
    assert_int_equal(harness_moments_open(&m, columns, &why), AG_OK);
    assert_int_equal(harness_moments_add(&m, x, y, rows, &why), AG_OK);
    if (harness_ridge_solve(w, &m, weight, &why)) fail_msg("%s", why.sentence);
    *error = harness_ridge_error(&m, w);
    harness_moments_close(&m);
}

/* One column: w = sum (x-mean)(y-mean) / (sum (x-mean)^2 + weight rows) = 8 / (5 + 1). */
static void ridge_closed_form(void **state)
{
    (void)state;
    const float x[] = {0, 1, 2, 3};
    const double y[] = {1, 2, 5, 5.5 + 1.0 / 6};
    double w[2], error, sxy = 0, mean = (1 + 2 + 5 + 5.5 + 1.0 / 6) / 4, expected = 0;
    for (int i = 0; i < 4; i++) sxy += ((double)x[i] - 1.5) * (y[i] - mean);
    solve(w, x, y, 4, 1, 0.25, &error);
    assert_true(fabs(w[0] - sxy / 6) < 1e-14);
    assert_true(fabs(w[1] - (mean - 1.5 * w[0])) < 1e-14);
    for (int i = 0; i < 4; i++) {
        double e = y[i] - w[0] * (double)x[i] - w[1];
        expected += e * e / 4;
    }
    assert_true(fabs(error - expected) < 1e-13);
}

/* numpy.linalg.solve(xc.T @ xc + weight * 7 * eye(3), xc.T @ yc), float64. */
static void ridge_numpy(void **state)
{
    (void)state;
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
    (void)state;
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

static void moments_in_parts(void **state)
{
    (void)state;
    static float x[ROWS * COLUMNS];
    static double y[ROWS];
    ag_failure why = {0};
    harness_moments whole, parts;
    toy(x, y);
    assert_int_equal(harness_moments_open(&whole, COLUMNS, &why), AG_OK);
    assert_int_equal(harness_moments_open(&parts, COLUMNS, &why), AG_OK);
    harness_moments_add(&whole, x, y, ROWS, &why);
    harness_moments_add(&parts, x, y, 101, &why);
    harness_moments_add(&parts, x + 101 * COLUMNS, y + 101, ROWS - 101, &why);
    assert_int_equal(why.status, AG_OK);
    assert_true(whole.rows == ROWS && parts.rows == ROWS);
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j <= i; j++) {
            double direct = 0;
            for (int r = 0; r < ROWS; r++)
                direct += (double)x[r * COLUMNS + i] * (double)x[r * COLUMNS + j];
            assert_true(fabs(whole.xx[i * COLUMNS + j] - direct) < 1e-8);
            assert_true(fabs(parts.xx[i * COLUMNS + j] - direct) < 1e-8);
        }
    harness_moments_close(&whole);
    harness_moments_close(&parts);
}

static void ridge_singular(void **state)
{
    (void)state;
    const float x[] = {1, 2, 2, 4, 5, 10, 3, 6};
    const double y[] = {1, 2, 3, 5};
    double w[3];
    ag_failure why = {0};
    harness_moments m;
    harness_moments_open(&m, 2, &why);
    harness_moments_add(&m, x, y, 4, &why);
    assert_int_equal(harness_ridge_solve(w, &m, 0, &why), AG_EFINITE);
    assert_non_null(strstr(why.sentence, "column 1 of 2"));
    why = (ag_failure){0};
    assert_int_equal(harness_ridge_solve(w, &m, 1e-6, &why), AG_OK);
    assert_true(fabs(w[1] - 2 * w[0]) < 1e-4);
    harness_moments_close(&m);
}

/* ---- trees ---- */

static void boosting_toy(void **state)
{
    (void)state;
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
    harness_pairs pairs;
    harness_pairs_count(&pairs, score, y, N, &why);
    assert_true(harness_tau_b(&pairs) > 0.97);
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
    (void)state;
    if (!harness_boosting_built()) skip();
    const float x[] = {0, 1};
    const double y[] = {NAN, 1};
    ag_failure why = {0};
    harness_boosting_options o = harness_boosting_defaults();
    assert_null(harness_boosting_fit(x, y, 2, 1, &o, &why));
    assert_int_equal(why.status, AG_EDATA);
    assert_memory_equal(why.sentence, "boosting: XGBoost could not ", 28);
}

/* ---- columns ---- */

/* The small layout file; nodes 2 and 5 become a convolution and a reshape. Configurations are of
   kinds 0 1 0 2 1 0, and all 36 digits differ between kinds. */
static tgraph_file *open_small(void)
{
    static test_layout l;
    ag_failure why = {0};
    tgraph_data_options o = tgraph_layout_defaults();
    test_layout_make(&l);
    l.opcode[2] = 26;
    l.opcode[5] = 75;
    l.node_feat[2][28] = 7;
    l.node_feat[5][28] = 0;
    assert_true(test_arrays_write(test_path, l.array, l.arrays));
    tgraph_file *f = tgraph_file_open(test_path, &o, NULL, &why);
    if (!f) fail_msg("%s", why.sentence);
    return f;
}

static void onehot_by_hand(void **state)
{
    (void)state;
    static const int kind[TEST_CONFIGS] = {0, 1, 0, 2, 1, 0};
    const int32_t all[TEST_CONFIGS] = {0, 1, 2, 3, 4, 5};
    ag_failure why = {0};
    tgraph_onehot o;
    tgraph_file *f = open_small();
    assert_int_equal(tgraph_onehot_open(&o, f, all, TEST_CONFIGS, 100, &why), AG_OK);
    assert_int_equal(o.columns, 3);
    assert_int_equal(o.found, 3);
    for (int k = 0; k < 3; k++) assert_int_equal(o.copies[k], 36);
    /* Digit 0 of node 0 separates the kinds: values -1, 4, 2, so rows 1, 6, 4. */
    assert_int_equal(o.key[0], 1);
    assert_int_equal(o.key[1], 4);
    assert_int_equal(o.key[2], 6);
    for (int c = 0; c < TEST_CONFIGS; c++) {
        float x[3];
        tgraph_onehot_row(x, &o, f, c);
        const float expected[3] = {kind[c] == 0, kind[c] == 2, kind[c] == 1};
        assert_memory_equal(x, expected, sizeof x);
    }
    tgraph_onehot_close(&o);
    /* Two columns may stay: kinds 0 and 1, whose variances 3 3 and 2 4 are above 1 5. */
    assert_int_equal(tgraph_onehot_open(&o, f, all, TEST_CONFIGS, 2, &why), AG_OK);
    assert_int_equal(o.columns, 2);
    assert_int_equal(o.found, 3);
    assert_int_equal(o.key[0], 1);
    assert_int_equal(o.key[1], 6);
    tgraph_onehot_close(&o);
    /* Only kind 0: nothing varies. */
    const int32_t alike[] = {0, 2, 5};
    assert_int_equal(tgraph_onehot_open(&o, f, alike, 3, 100, &why), AG_OK);
    assert_int_equal(o.columns, 0);
    tgraph_onehot_close(&o);
    tgraph_file_close(f);
}

/* Of ten rows one has another first digit, five another second: those two columns vary more. */
static void onehot_keeps_what_varies(void **state)
{
    (void)state;
    int32_t all[10];
    ag_failure why = {0};
    tgraph_onehot o;
    tgraph_file f = {.configs = 10, .graph = {.configurable = 1}, .path = test_path};
    assert_int_equal(tgraph_store_open(&f.store, 10, TGRAPH_WORDS, NULL, "made", &why), AG_OK);
    for (int c = 0; c < 10; c++) {
        uint32_t word[TGRAPH_WORDS];
        const float value[TGRAPH_DIGITS] = {(float)(c == 7), (float)(c % 2)};
        tgraph_pack(word, value);
        tgraph_store_put(&f.store, word);
        all[c] = c;
    }
    assert_int_equal(tgraph_onehot_open(&o, &f, all, 10, 2, &why), AG_OK);
    assert_int_equal(o.found, 4);
    assert_int_equal(o.columns, 2);
    assert_int_equal(o.key[0], 1 * 8 + 2); /* digit 1 at values 0 and 1 */
    assert_int_equal(o.key[1], 1 * 8 + 3);
    tgraph_onehot_close(&o);
    tgraph_store_close(&f.store, NULL);
}

static void layout_by_hand(void **state)
{
    (void)state;
    static float x[TGRAPH_LAYOUT_COLUMNS], expected[TGRAPH_LAYOUT_COLUMNS];
    float pooled[TGRAPH_POOLED];
    tgraph_file *f = open_small();
    for (int k = 0; k < TGRAPH_POOLED; k++) pooled[k] = (float)k;
    tgraph_baseline_layout_features(x, f, 1, pooled); /* of kind 1 */
    for (int node = 0; node < 2; node++)
        for (int k = 0; k < 18; k++) {
            int kind = node ? 2 : 0, row = (5 + node * 3 + k) % 7 + 1;
            int at = (kind * 18 + k) * 8 + row;
            expected[at] += 1;
            expected[576 + at] += node ? 0.0F : log1pf(7);
        }
    memcpy(expected + 1152, pooled, sizeof pooled);
    for (int k = 0; k < TGRAPH_LAYOUT_COLUMNS; k++) assert_true(fabsf(x[k] - expected[k]) < 1e-6F);
    tgraph_file_close(f);
}

static void pool_by_hand(void **state)
{
    (void)state;
    static float raw[3 * TGRAPH_NUMERIC];
    float pooled[TGRAPH_POOLED];
    tgraph_graph g = {.nodes = 3, .raw = raw};
    raw[5] = 1;
    raw[TGRAPH_NUMERIC + 5] = -3;
    raw[2 * TGRAPH_NUMERIC + 5] = 8;
    for (int v = 0; v < 3; v++) raw[v * TGRAPH_NUMERIC + 133] = -1;
    tgraph_baseline_pool(pooled, &g);
    assert_true(fabsf(pooled[5] - (logf(2) - logf(4) + logf(9)) / 3) < 1e-6F);
    assert_true(fabsf(pooled[TGRAPH_NUMERIC + 5] - logf(9)) < 1e-6F);
    assert_true(fabsf(pooled[133] + logf(2)) < 1e-6F);
    assert_true(fabsf(pooled[TGRAPH_NUMERIC + 133] + logf(2)) < 1e-6F);
    assert_true(pooled[0] == 0 && pooled[TGRAPH_NUMERIC] == 0);
}

static void tile_by_hand(void **state)
{
    (void)state;
    float raw[2 * TPUGRAPHS_TILE_FEATURES] = {0}, x[TGRAPH_TILE_COLUMNS], pooled[TGRAPH_POOLED];
    tgraph_tile t = {.configs = 2, .raw = raw};
    raw[24] = 7;
    raw[47] = -1;
    for (int k = 0; k < TGRAPH_POOLED; k++) pooled[k] = (float)k;
    tgraph_baseline_tile_features(x, &t, 1, pooled);
    assert_true(fabsf(x[0] - logf(8)) < 1e-6F && fabsf(x[23] + logf(2)) < 1e-6F && x[1] == 0);
    assert_memory_equal(x + 24, pooled, sizeof pooled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ridge_closed_form),
        cmocka_unit_test(ridge_numpy),
        cmocka_unit_test(ridge_minimum),
        cmocka_unit_test(moments_in_parts),
        cmocka_unit_test(ridge_singular),
        cmocka_unit_test(boosting_toy),
        cmocka_unit_test(boosting_fails),
        cmocka_unit_test(onehot_by_hand),
        cmocka_unit_test(onehot_keeps_what_varies),
        cmocka_unit_test(layout_by_hand),
        cmocka_unit_test(pool_by_hand),
        cmocka_unit_test(tile_by_hand),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
