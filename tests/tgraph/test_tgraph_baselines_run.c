/* SPDX-License-Identifier: MIT */
/* Whole runs of the baselines on files made in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "support/tgraph_made.h"

static void within_a_file(void **state)
{
    (void)state;
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r, again, other;
    tgraph_file *f = make_file(6000, 1, 0);
    split(f);
    tgraph_baseline_part train = tgraph_baseline_train(f), held = tgraph_baseline_held(f);
    assert_int_equal(train.count, 4800);
    run(&r, &train, 1, &held, 1, &o);
    run(&again, &train, 1, &held, 1, &o);
    assert_string_equal(r.name, made_name);
    assert_true(r.within && r.count == 1200);
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
    if (harness_boosting_built())
        assert_true(measured(&r.of[BOOSTING], &held, HARNESS_TAU_B) > 0.7);
    else
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
    (void)state;
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

/* Tiles and a layout file together; hidden run times are scored, too. */
static void tiles(void **state)
{
    (void)state;
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_tile a = make_tile(400, 1), b = make_tile(300, 2), c = make_tile(200, 3);
    tgraph_file *f = make_file(300, 1, 0);
    c.has_runtimes = 0;
    tgraph_baseline_part train[] = {tgraph_baseline_tile(&a), tgraph_baseline_train(f)};
    tgraph_baseline_part part[] = {tgraph_baseline_tile(&b), tgraph_baseline_train(f),
                                   tgraph_baseline_tile(&c)};
    tgraph_baseline_result r[3];
    run(r, train, 2, part, 3, &o);
    assert_true(!r[0].within && r[1].within && !r[2].within);
    assert_true(measured(&r[0].of[RIDGE], part, HARNESS_TAU_B) > 0.97);
    assert_true(measured(&r[0].of[RIDGE], part, HARNESS_CONTEST_5) > 0.95);
    assert_non_null(strstr(r[0].of[RIDGE].note, "400 of 400 configurations of 1 program, 2 col"));
    assert_true(measured(&r[1].of[RIDGE], part + 1, HARNESS_OPA) > 0.99);
    assert_non_null(r[2].of[RIDGE].score);
    if (harness_boosting_built())
        assert_true(measured(&r[0].of[BOOSTING], part, HARNESS_TAU_B) > 0.9);
    tgraph_baselines_free(r, 3);
    run(r, train, 1, part + 1, 1, &o); /* nothing to learn layouts from */
    assert_null(r[0].of[RIDGE].score);
    assert_non_null(strstr(r[0].of[RIDGE].note, "no program with run times"));
    assert_non_null(r[0].of[RANDOM].score);
    tgraph_baselines_free(r, 1);
    tgraph_file_close(f);
    free_tile(&a);
    free_tile(&b);
    free_tile(&c);
}

/* The last parts serve their own files alone; without others there is random order. */
static void own_parts(void **state)
{
    (void)state;
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_file *f[3];
    tgraph_baseline_part train[2], part[2];
    tgraph_baseline_result r[2], alone;
    for (int i = 0; i < 3; i++) f[i] = make_file(200, (uint64_t)i, 0);
    split(f[1]);
    for (int i = 0; i < 2; i++) train[i] = tgraph_baseline_train(f[i]);
    for (int i = 0; i < 2; i++) part[i] = tgraph_baseline_held(f[i + 1]);
    o.own = 1;
    run(r, train, 2, part, 2, &o);
    assert_true(r[0].within && !r[1].within);
    assert_non_null(strstr(r[0].of[RIDGE].note, "160 of 160 configurations of this file"));
    assert_non_null(strstr(r[1].of[RIDGE].note, "200 of 200 configurations of 1 program"));
    tgraph_baselines_free(r, 2);
    run(r, train + 1, 1, part, 2, &o);
    assert_non_null(r[0].of[RIDGE].score);
    assert_null(r[1].of[RIDGE].score);
    assert_non_null(strstr(r[1].of[RIDGE].note, "no program with run times"));
    o.own = 0;
    run(&alone, train, 0, part + 1, 1, &o);
    assert_true(alone.of[RANDOM].score && !alone.of[RIDGE].score);
    tgraph_baselines_free(r, 2);
    tgraph_baselines_free(&alone, 1);
    for (int i = 0; i < 3; i++) tgraph_file_close(f[i]);
}

static void nothing_to_fit(void **state)
{
    (void)state;
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
    (void)state;
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r;
    tgraph_file *f = make_file(100, 1, 0);
    tgraph_baseline_part part = tgraph_baseline_train(f);
    o.progress = count_calls;
    o.context = &calls;
    /* in the midst of the trees; then before additive trees, at their rows, in their midst */
    static const int at[] = {1, 2, 3, 4, 10, 104, 105, 106, 120};
    for (int i = 0; i < (harness_boosting_built() ? 9 : 2); i++) {
        stop_at = at[i];
        calls = 0;
        run(&r, &part, 1, &part, 1, &o);
        assert_int_equal(calls, stop_at); /* not asked again */
        assert_non_null(r.of[RANDOM].score);
        assert_int_equal(r.of[RIDGE].score != NULL, stop_at > 2);
        assert_int_equal(r.of[BOOSTING].score != NULL, stop_at > 103);
        assert_null(r.of[ADDITIVE].score);
        if (harness_boosting_built() && stop_at <= 103)
            assert_string_equal(r.of[BOOSTING].note, "left out: stopped");
        if (harness_boosting_built()) assert_string_equal(r.of[ADDITIVE].note, "left out: stopped");
        tgraph_baselines_free(&r, 1);
    }
    tgraph_file_close(f);
}

static void refusals(void **state)
{
    (void)state;
    tgraph_baseline_result r;
    tgraph_file *f = make_file(10, 1, 0);
    tgraph_tile t = make_tile(3, 1);
    const int32_t far[] = {0, 10};
    tgraph_baseline_part good = tgraph_baseline_train(f), part = good;
    tgraph_baseline_options o = tgraph_baseline_defaults(), bad = o;
    ag_failure why = {0};
    assert_int_equal(tgraph_baselines_run(&r, &good, 1, &good, 0, &o, &why), AG_EUSE);
    why = (ag_failure){0};
    bad.own = 2;
    assert_int_equal(tgraph_baselines_run(&r, &good, 1, &good, 1, &bad, &why), AG_EUSE);
    assert_non_null(strstr(why.sentence, "2 of them"));
    why = (ag_failure){0};
    part.tile = &t;
    assert_int_equal(tgraph_baselines_run(&r, &good, 1, &part, 1, &o, &why), AG_EUSE);
    why = (ag_failure){0};
    part = (tgraph_baseline_part){.count = 1};
    assert_int_equal(tgraph_baselines_run(&r, &part, 1, &good, 1, &o, &why), AG_EUSE);
    why = (ag_failure){0};
    part = good;
    part.count = 11;
    assert_int_equal(tgraph_baselines_run(&r, &good, 1, &part, 1, &o, &why), AG_EUSE);
    assert_non_null(strstr(why.sentence, "11 configurations"));
    why = (ag_failure){0};
    part.config = far;
    part.count = 2;
    assert_int_equal(tgraph_baselines_run(&r, &good, 1, &part, 1, &o, &why), AG_EINDEX);
    assert_non_null(strstr(why.sentence, "configuration 10 "));
    for (int i = 0; i < 8; i++) {
        why = (ag_failure){0};
        bad = o;
        if (i == 0) bad.most_rows = 1;
        if (i == 1) bad.most_columns = 0;
        if (i == 2) bad.rounds = 0;
        if (i == 3) bad.depth = 17;
        if (i == 4) bad.rate = NAN;
        if (i == 5) bad.additive_rounds = 0;
        if (i == 6) bad.additive_depth = 17;
        if (i == 7) bad.additive_rate = 1.5;
        assert_int_equal(tgraph_baselines_run(&r, &good, 1, &good, 1, &bad, &why), AG_EUSE);
        assert_null(r.of[RANDOM].score);
    }
    free_tile(&t);
    tgraph_file_close(f);
}

/* Whichever allocation fails: a sentence, and nothing is left. */
static void no_memory(void **state)
{
    (void)state;
    tgraph_baseline_options o = tgraph_baseline_defaults();
    tgraph_baseline_result r[2];
    tgraph_file *f[3];
    tgraph_baseline_part part[3];
    o.rounds = o.additive_rounds = 2;
    for (int i = 0; i < 3; i++) {
        f[i] = make_file(12, (uint64_t)i, 0);
        part[i] = tgraph_baseline_train(f[i]);
    }
    f[2]->has_runtimes = 0; /* the harness's measures end the program, as documented */
    int failures = 0;
    for (long n = 1;; n++, failures++) {
        ag_failure why = {0};
        ag__fail_allocation(n, 0);
        ag_status status = tgraph_baselines_run(r, part, 2, part + 2, 1, &o, &why);
        ag__fail_allocation(0, 0);
        if (!status) break;
        assert_int_equal(status, AG_EMEMORY);
        assert_null(r->of[RANDOM].score);
        assert_true(n < 1000);
    }
    assert_true(failures > 15);
    tgraph_baselines_free(r, 1);
    for (int i = 0; i < 3; i++) tgraph_file_close(f[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_a_file),  cmocka_unit_test(across_programs),
        cmocka_unit_test(tiles),          cmocka_unit_test(nothing_to_fit),
        cmocka_unit_test(progress_stops), cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory),      cmocka_unit_test(own_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
