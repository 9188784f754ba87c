/* SPDX-License-Identifier: MIT */
/* Which rows and columns the baselines are fitted on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/tgraph_made.h"

static void limits(void **state)
{
    (void)state;
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_file *f = make_file(1000, 1, 0);
    split(f);
    tgraph_baseline_part train = tgraph_baseline_train(f), held = tgraph_baseline_held(f);
    o.most_rows = 500;
    run(&r, &train, 1, &held, 1, &o);
    assert_non_null(strstr(r.of[RIDGE].note, "500 of 800 configurations of this file, 48 columns"));
    assert_true(measured(&r.of[RIDGE], &held, HARNESS_TAU_B) > 0.95);
    tgraph_baselines_free(&r, 1);
    o.most_columns = 20;
    o.most_cells = 5000; /* 250 rows of 20 columns */
    run(&r, &train, 1, &held, 1, &o);
    assert_non_null(strstr(r.of[RIDGE].note, "250 of 800"));
    assert_non_null(strstr(r.of[RIDGE].note, "20 columns of 48"));
    tgraph_baselines_free(&r, 1);
    tgraph_file_close(f);
}

/* One column: the score is z times the correlation over 1 + weight, on all rows, those that chose
   the weight included. */
static void ridge_uses_all_rows(void **state)
{
    (void)state;
    enum { N = 10 };
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_tile t = make_tile(N, 1);
    tgraph_baseline_part part = tgraph_baseline_tile(&t);
    double x[N], y[N], mx = 0, my = 0, xx = 0, yy = 0, xy = 0, weight;
    for (int c = 0; c < N; c++) {
        t.raw[c * TPUGRAPHS_TILE_FEATURES + 3] = 0;
        t.target[c] = 1 + (c * 7 % N);
        x[c] = log1p((double)t.raw[c * TPUGRAPHS_TILE_FEATURES]);
        y[c] = log(t.target[c]);
        mx += x[c] / N;
        my += y[c] / N;
    }
    for (int c = 0; c < N; c++) {
        xx += (x[c] - mx) * (x[c] - mx);
        yy += (y[c] - my) * (y[c] - my);
        xy += (x[c] - mx) * (y[c] - my);
    }
    run(&r, &part, 1, &part, 1, &o);
    assert_int_equal(sscanf(strstr(r.of[RIDGE].note, "weight "), "weight %lf", &weight), 1);
    for (int c = 0; c < N; c++) {
        double expected = (x[c] - mx) / sqrt(xx / N) * xy / sqrt(xx * yy) / (1 + weight);
        assert_true(fabs(r.of[RIDGE].score[c] - expected) < 1e-5);
    }
    tgraph_baselines_free(&r, 1);
    free_tile(&t);
}

/* A fifth chooses the weight: of the rows, or of the programs from five on. */
static void rows_of_a_fit(void **state)
{
    (void)state;
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_file *f[6];
    tgraph_baseline_part part[6];
    for (int i = 0; i < 6; i++) {
        f[i] = make_file(30 + i, (uint64_t)i, 0);
        part[i] = tgraph_baseline_train(f[i]);
        f[i]->graph.raw[133] = (float)i; /* the last column identifies the program */
    }
    for (int parts = 2; parts <= 6; parts += 4) {
        char note[160];
        ag_failure why = {0};
        tgraph_fit fit = {.options = &o};
        assert_int_equal(tgraph_fit_read(&fit, note, part, parts, &why), AG_OK);
        assert_int_equal(fit.rows, parts == 2 ? 61 : 195);
        assert_int_equal(fit.fit, parts == 2 ? 49 : 160);
        double sum = 0, square = 0;
        for (int r = 0; r < fit.rows; r++) sum += (double)fit.x[r * fit.columns];
        for (int r = 0; r < fit.rows; r++)
            square += (double)(fit.x[r * fit.columns] * fit.x[r * fit.columns]);
        assert_true(fabs(sum) < 1e-4 && fabs(square - fit.rows) < 1e-3);
        int first = 0, last = fit.columns - 1; /* two programs are mixed */
        for (int r = fit.fit; r < fit.rows; r++) first += fit.x[r * fit.columns + last] < 0;
        if (parts == 2)
            assert_true(first > 0 && first < fit.rows - fit.fit);
        else
            assert_int_equal(first, 0);
        tgraph_fit_close(&fit);
    }
    for (int i = 0; i < 6; i++) tgraph_file_close(f[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),
        cmocka_unit_test(ridge_uses_all_rows),
        cmocka_unit_test(rows_of_a_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
