/* SPDX-License-Identifier: MIT */
/* Whole runs of the baselines on files made in memory, and the rows and columns that they are
   fitted on. */
#include "support/test.h"
#include "support/tgraph_made.h"

static void within_a_file(void **state)
{
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r, again, other;
    tgraph_file *f = make_file(6000, 1, 0);
    split(f);
    tgraph_baseline_part train = tgraph_baseline_train(f), held = held_part(f);
    assert_int_equal(train.count, 4800);
    run(&r, &train, 1, &held, 1, &o);
    run(&again, &train, 1, &held, 1, &o);
    assert_true(r.within);
    assert_true(fabs(measured(&r.of[RANDOM], &held, HARNESS_TAU_B)) < 0.08);
    assert_true(fabs(measured(&r.of[RANDOM], &held, HARNESS_OPA) - 0.5) < 0.04);
    assert_true(measured(&r.of[RIDGE], &held, HARNESS_TAU_B) > 0.95); /* the truth is linear */
    assert_true(measured(&r.of[RIDGE], &held, HARNESS_OPA) > 0.99);
    assert_true(measured(&r.of[RIDGE], &held, HARNESS_SLOWDOWN_100) == 0);
    assert_true(measured(&r.of[RIDGE], &held, HARNESS_TIED) < 0.01);
    assert_non_null(strstr(r.of[RIDGE].note, "4800 of 4800 configurations of this file, 48 col"));
    for (int k = 0; k < TGRAPH_BASELINES; k++)
        if (r.of[k].score)
            assert_memory_equal(r.of[k].score, again.of[k].score, 1200 * sizeof(double));
    if (harness_boosting_built()) {
        assert_true(measured(&r.of[BOOSTING], &held, HARNESS_TAU_B) > 0.7);
        assert_non_null(strstr(r.of[TGRAPH_BASELINE_ROUNDED].note, "rounded to three digits"));
        for (int i = 0; i < 1200; i++) {
            const double rounded = r.of[TGRAPH_BASELINE_ROUNDED].score[i];
            assert_true(fabs(rounded - r.of[BOOSTING].score[i]) <= 0.0005 + 1e-12);
            assert_true(fabs(rounded * 1000 - rint(rounded * 1000)) < 1e-9);
        }
    } else
        assert_string_equal(r.of[BOOSTING].note, "not built: libxgboost is not installed");
    o.seed = 2;
    run(&other, &train, 1, &held, 1, &o);
    assert_memory_not_equal(r.of[RANDOM].score, other.of[RANDOM].score, 1200 * sizeof(double));
    tgraph_baselines_free(&r, 1);
    tgraph_baselines_free(&again, 1);
    tgraph_baselines_free(&other, 1);
    tgraph_file_close(f);
}

/* From two programs and from six (then whole programs choose the weight) to another. */
static void across_programs(void **state)
{
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_file *f[7];
    tgraph_baseline_part part[7];
    tgraph_baseline_result r;
    for (int i = 0; i < 7; i++) {
        f[i] = make_file(300, (uint64_t)i, 0);
        part[i] = tgraph_baseline_train(f[i]);
    }
    for (int trains = 2; trains <= 6; trains += 4) {
        run(&r, part, trains, part + 6, 1, &o);
        assert_false(r.within);
        assert_true(measured(&r.of[RIDGE], part + 6, HARNESS_TAU_B) > 0.98);
        if (harness_boosting_built())
            assert_true(measured(&r.of[BOOSTING], part + 6, HARNESS_TAU_B) > 0.6);
        assert_non_null(strstr(r.of[RIDGE].note, trains == 2 ? "600 of 600 configurations of 2 prog"
                                                             : "1800 of 1800 configurations of 6"));
        tgraph_baselines_free(&r, 1);
    }
    /* Programs twice as slow as a whole change nothing: the target is standardised within each. */
    for (int c = 0; c < 300; c++) f[0]->runtime[c] *= 1000;
    run(&r, part, 2, part + 6, 1, &o);
    assert_true(measured(&r.of[RIDGE], part + 6, HARNESS_TAU_B) > 0.98);
    tgraph_baselines_free(&r, 1);
    for (int i = 0; i < 7; i++) tgraph_file_close(f[i]);
}

/* A file that was split has a fit of its own; without others the rest have random order. */
static void own_parts(void **state)
{
    const tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_file *f[3];
    tgraph_baseline_part part[2];
    tgraph_baseline_result r[2];
    for (int i = 0; i < 3; i++) f[i] = make_file(200, (uint64_t)i, 0);
    split(f[1]);
    const tgraph_baseline_part train = tgraph_baseline_train(f[0]);
    for (int i = 0; i < 2; i++) part[i] = held_part(f[i + 1]);
    for (int trains = 1; trains >= 0; trains--) {
        run(r, &train, trains, part, 2, &o);
        assert_true(r[0].within && !r[1].within);
        assert_non_null(strstr(r[0].of[RIDGE].note, "160 of 160 configurations of this file"));
        assert_non_null(strstr(r[1].of[RIDGE].note, trains ? "200 of 200 configurations of 1 prog"
                                                           : "no program with run times"));
        assert_int_equal(r[1].of[RIDGE].score != NULL, trains);
        assert_true(r[0].of[RIDGE].score && r[1].of[RANDOM].score);
        tgraph_baselines_free(r, 2);
    }
    for (int i = 0; i < 3; i++) tgraph_file_close(f[i]);
}

static void nothing_to_fit(void **state)
{
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_file *f = make_file(50, 1, 1);
    tgraph_baseline_part part = tgraph_baseline_train(f);
    for (int c = 0; c < 50; c++) f->runtime[c] += c;
    run(&r, &part, 1, &part, 1, &o);
    assert_null(r.of[RIDGE].score);
    assert_string_equal(r.of[RIDGE].note, "nothing to fit: all configurations are alike");
    tgraph_baselines_free(&r, 1);
    f->has_runtimes = 0;
    run(&r, &part, 1, &part, 1, &o);
    assert_non_null(strstr(r.of[RIDGE].note, "no program with run times"));
    assert_non_null(r.of[RANDOM].score);
    tgraph_baselines_free(&r, 1);
    tgraph_file_close(f);
}

static int calls, stop_at;
static int count_calls(void *context, const char *label, double done)
{
    assert_ptr_equal(context, &calls);
    assert_true(*label && done >= 0 && done <= 1);
    return ++calls == stop_at;
}

static void progress_stops(void **state)
{
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_file *f = make_file(100, 1, 0);
    tgraph_baseline_part part = tgraph_baseline_train(f);
    o.progress = count_calls;
    o.context = &calls;
    static const int at[] = {1, 2, 3, 4, 10, 103}; /* before ridge, boosting, in the midst of it */
    for (int i = 0; i < (harness_boosting_built() ? 6 : 2); i++) {
        stop_at = at[i];
        calls = 0;
        run(&r, &part, 1, &part, 1, &o);
        assert_int_equal(calls, stop_at); /* not asked again */
        assert_non_null(r.of[RANDOM].score);
        assert_int_equal(r.of[RIDGE].score != NULL, stop_at > 2);
        assert_null(r.of[BOOSTING].score);
        if (harness_boosting_built()) assert_string_equal(r.of[BOOSTING].note, "left out: stopped");
        tgraph_baselines_free(&r, 1);
    }
    tgraph_file_close(f);
}

static void limits(void **state)
{
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_file *f = make_file(1000, 1, 0);
    split(f);
    tgraph_baseline_part train = tgraph_baseline_train(f), held = held_part(f);
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

/* A fifth chooses the weight: of the rows, or of the programs from five on. */
static void rows_of_a_fit(void **state)
{
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
        cmocka_unit_test(within_a_file),  cmocka_unit_test(across_programs),
        cmocka_unit_test(nothing_to_fit), cmocka_unit_test(progress_stops),
        cmocka_unit_test(own_parts),      cmocka_unit_test(limits),
        cmocka_unit_test(rows_of_a_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
