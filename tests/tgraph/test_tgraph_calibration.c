/* SPDX-License-Identifier: MIT */
/* Scores as run times: the configurations that are used, and the grades that follow. */
#include "examples/tgraph/calibration.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CONFIGS = 800, HALF = CONFIGS / 2 };

/* Even configurations train, odd ones are held out. There are two kinds, 1 and 2 ms, with noise
   that is independent of the noise of the scores. */
typedef struct world {
    tgraph_file file;
    tgraph_entry entry;
    int64_t runtime[CONFIGS];
    int32_t train[HALF], held[HALF];
    double score[CONFIGS], kind[HALF];
} world;

static void make(world *w)
{
    ag_random random = harness_stream(HARNESS_STREAM_DRAW, 3, 0);
    *w = (world){0};
    for (int c = 0; c < CONFIGS; c++) {
        const double kind = ag_random_below(&random, 2);
        w->runtime[c] = (int64_t)(1e6 * (1 + kind) * exp(0.001 * ag_random_normal(&random)));
        w->score[c] = 4 * kind + ag_random_uniform(&random);
        if (c % 2) w->kind[c / 2] = kind;
        *(c % 2 ? &w->held[c / 2] : &w->train[c / 2]) = c;
    }
    w->file = (tgraph_file){.configs = CONFIGS,
                            .runtime = w->runtime,
                            .train = w->train,
                            .train_count = HALF,
                            .held = w->held,
                            .held_count = HALF,
                            .has_runtimes = 1};
    w->entry = (tgraph_entry){
        .path = "a.npz", .file = &w->file, .item = w->held, .items = HALF, .configs = CONFIGS};
}

static void what_is_noise_ties(void **state)
{
    (void)state;
    world *w = harness_alloc(sizeof *w);
    make(w);
    double held[HALF];
    ag_failure why = {0};
    tgraph_calibration c;
    tgraph_calibration_open(&c, &w->entry);
    assert_int_equal(c.count, HALF);
    for (int i = 0; i < HALF; i++) {
        held[i] = w->score[w->held[i]];
        c.score[i] = w->score[c.item[i]];
    }
    assert_int_equal(tgraph_calibration_grade(&c, &w->entry, held, 0, &why), AG_OK);
    /* as good as knowing the kinds, and no better */
    tgraph_grades raw, kinds;
    tgraph_grade(&raw, &w->entry, w->held, HALF, held, 0, &why);
    tgraph_grade(&kinds, &w->entry, w->held, HALF, w->kind, 0, &why);
    assert_int_equal(c.grades.configs, HALF);
    assert_true(c.grades.tau == kinds.tau && c.grades.tied == kinds.tied);
    assert_true(c.grades.opa == kinds.opa);
    assert_true(raw.tied == 0 && raw.tau < kinds.tau - 0.1);
    assert_int_equal(tgraph_calibration_grade(&c, &w->entry, held, 1, &why), AG_OK);
    assert_true(c.grades.tau < kinds.tau - 0.1); /* tau-a gives no credit for ties */
    /* a few run times that are much longer than all others, and not foreseen, change nothing */
    for (int i = 0; i < 3; i++) {
        w->runtime[w->train[i]] = INT64_MAX / 4;
        c.score[i] = -1;
    }
    assert_int_equal(tgraph_calibration_grade(&c, &w->entry, held, 0, &why), AG_OK);
    assert_true(c.grades.tau == kinds.tau);
    /* nothing is known, so all ties: no order */
    for (int i = 0; i < HALF; i++) c.score[i] = i % 7;
    assert_int_equal(tgraph_calibration_grade(&c, &w->entry, held, 0, &why), AG_OK);
    assert_true(c.grades.tied == 1 && c.grades.tau == 0);
    c.score[7] = (double)NAN;
    assert_int_equal(tgraph_calibration_grade(&c, &w->entry, held, 0, &why), AG_EFINITE);
    assert_non_null(strstr(why.sentence, "a.npz, training configurations: "));
    tgraph_calibration_close(&c);
    harness_free(w);
}

static void taken_evenly(void **state)
{
    (void)state;
    enum { MOST = TGRAPH_CALIBRATES };
    static int32_t train[2 * MOST + 1];
    for (int i = 0; i <= 2 * MOST; i++) train[i] = 3 * i;
    static const int of[] = {1, 2, MOST, MOST + 1, 2 * MOST, 2 * MOST + 1},
                     taken[] = {1, 2, MOST, MOST / 2 + 1, MOST, 2731}, apart[] = {1, 1, 1, 2, 2, 3};
    for (int i = 0; i < 6; i++) {
        tgraph_file file = {.train = train, .train_count = of[i]};
        tgraph_calibration c;
        tgraph_calibration_open(&c, &(tgraph_entry){.file = &file});
        assert_int_equal(c.count, taken[i]);
        for (int k = 0; k < c.count; k++) assert_int_equal(c.item[k], 3 * k * apart[i]);
        tgraph_calibration_close(&c);
    }
    tgraph_calibration c;
    tgraph_calibration_open(&c, &(tgraph_entry){.file = &(tgraph_file){.train_count = 4}});
    assert_int_equal(c.count, 0); /* not split */
    assert_true(isnan(c.grades.tau));
    tgraph_calibration_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_noise_ties),
        cmocka_unit_test(taken_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
