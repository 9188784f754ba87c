/* SPDX-License-Identifier: MIT */
/* Baselines: known machines are found again; on measured kernels the rooflines are far better than
   a constant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/harness/harness.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/tpu/analytic/baselines.h"
#include "examples/tpu/grades.h"
#include "support/sanitized.h"
#include "support/tpu_lab.h"

/* ---- made ---- */

/* Four kinds of kernels of many sizes. */
static void make(lab_program *p, int which)
{
    const int n = 8 << which / 4 % 5, m = 16 << which / 20, axes[1] = {1};
    const int x = lab_parameter(p, LAB_F32, 2, (int[]){n, m});
    const int w = lab_parameter(p, LAB_F32, 2, (int[]){m, 48});
    switch (which % 4) {
    case 0: lab_dot(p, x, w, (lab_dot_dims){0, 1, 0}); break;
    case 1: lab_reduce(p, lab_binary(p, LAB_MULTIPLY, x, x), LAB_SUM, 1, axes); break;
    case 2: lab_unary(p, LAB_TANH, lab_unary(p, LAB_TANH, x)); break;
    default: lab_binary(p, LAB_ADD, x, x);
    }
    assert_int_equal(p->why.status, AG_OK);
}

enum { MADE = 120 };

/* A machine of 20 bytes, 3 operations and 0.2 special functions per ns, 200 ns to start; dots at
   half of the speed. */
static void fusion_machine(void **state)
{
    (void)state;
    const tpu_roofline machine = {20, 3, 0.2, 200, {1, 2, 1, 1}, 0};
    tpu_kernel k[MADE];
    const tpu_kernel *train[MADE];
    int64_t runtime[MADE];
    ag_failure why = {0};
    for (int i = 0; i < MADE; i++) {
        lab_program p = {0};
        tpu_static s;
        make(&p, i);
        tpu_lab_kernel(&k[i], &p);
        tpu_analyse(&s, &k[i]);
        runtime[i] = (int64_t)(tpu_roofline_time(&machine, &s) + 0.5);
        k[i].runtime = &runtime[i];
        train[i] = &k[i];
        lab_program_clear(&p);
    }
    tpu_roofline found;
    const tpu_kernel *dots[MADE / 4];
    assert_int_equal(tpu_roofline_fit(&found, train, MADE, &why), AG_OK);
    assert_true(found.scale[TPU_TYPE_CONVOLUTION] == 1); /* there are none */
    assert_true(found.scale[TPU_TYPE_OTHER] == 1);
    for (int i = 0; i < MADE / 4; i++) dots[i] = train[4 * i];
    assert_int_equal(tpu_roofline_fit(&found, dots, MADE / 4, &why), AG_OK);
    for (int t = 0; t < TPU_TYPES; t++) assert_true(found.scale[t] == 1);
    for (int kind = TPU_BASELINE_ROOFLINE; kind <= TPU_BASELINE_LOOPS; kind++) {
        const tpu_baseline_options o = tpu_baseline_defaults();
        tpu_baseline *b =
            tpu_baseline_fit((tpu_baseline_kind)kind, TPU_FUSION, train, MADE, &o, &why);
        double error = 0, score;
        if (!b) fail_msg("%s", why.sentence);
        for (int i = 0; i < MADE; i++) {
            assert_int_equal(tpu_baseline_predict(&score, b, train[i], &why), AG_OK);
            error += fabs(score / (double)runtime[i] - 1) / MADE;
        }
        print_message("%s on a made machine: mean error %.2f %%\n",
                      tpu_baseline_name((tpu_baseline_kind)kind), 100 * error);
        assert_true(error < (kind == TPU_BASELINE_ROOFLINE ? 0.01 : 0.25));
        tpu_baseline_free(b);
    }
    for (int i = 0; i < MADE; i++) {
        k[i].runtime = NULL;
        tpu_lab_free(&k[i]);
    }
}

/* Tiles of x w and of a column sum, timed by a roofline with re-reads. */
static void tile_machine(void **state)
{
    (void)state;
    enum { KERNELS = 20 };
    tpu_counted machine = {.scale = {1, 1, 1, 1}, .overlap = 1};
    tpu_kernel k[KERNELS];
    const tpu_kernel *train[KERNELS];
    ag_failure why = {0};
    machine.cost[TPU_WORK_PRODUCTS] = 0.1;
    machine.cost[TPU_WORK_SUMS] = 0.3;
    machine.cost[TPU_WORK_READ] = 0.2;
    machine.cost[TPU_WORK_WRITTEN] = 0.1;
    machine.cost[TPU_WORK_STEPS] = 40;
    for (int i = 0; i < KERNELS; i++) {
        lab_program p = {0};
        int(*tile)[24];
        make(&p, 4 * (i + 4) + i % 2);
        tpu_lab_kernel(&k[i], &p);
        const int n = k[i].configs = lab_tiles(&tile, &p, 30, 1);
        assert_true(n > 1);
        float *rows = harness_alloc((size_t)n * 24 * sizeof *rows);
        int64_t *runtime = harness_alloc((size_t)n * sizeof *runtime);
        int64_t *normalizer = harness_alloc((size_t)n * sizeof *normalizer);
        for (int j = 0; j < n * 24; j++) rows[j] = (float)tile[j / 24][j % 24];
        k[i].tile = rows;
        tpu_tiling t;
        tpu_tiling_open(&t, &k[i]);
        for (int c = 0; c < n; c++) {
            double work[TPU_WORKS];
            tpu_tiling_work(work, &t, rows + 24 * c);
            runtime[c] = (int64_t)(10 * tpu_counted_time(&machine, work, TPU_TYPE_DOT));
            normalizer[c] = runtime[0];
        }
        tpu_tiling_close(&t);
        k[i].runtime = runtime;
        k[i].normalizer = normalizer;
        k[i].program = 0;
        train[i] = &k[i];
        ag_free(tile);
        lab_program_clear(&p);
    }
    const tpu_baseline_options o = tpu_baseline_defaults();
    tpu_baseline *b = tpu_baseline_fit(TPU_BASELINE_ROOFLINE, TPU_TILE, train, KERNELS, &o, &why);
    if (!b) fail_msg("%s", why.sentence);
    double *score[KERNELS];
    for (int i = 0; i < KERNELS; i++) {
        score[i] = harness_alloc((size_t)k[i].configs * sizeof(double));
        assert_int_equal(tpu_baseline_predict(score[i], b, train[i], &why), AG_OK);
    }
    tpu_grade g;
    assert_int_equal(
        tpu_grade_programs(&g, 1, TPU_TILE, train, (const double *const *)score, KERNELS, 0, &why),
        AG_OK);
    print_message("roofline on made tiles: tau %.3f, APE %.2f %%\n", g.of[TPU_TAU],
                  g.of[TPU_ERROR]);
    assert_true(g.of[TPU_TAU] > 0.95 && g.of[TPU_ERROR] < 2);
    tpu_baseline_free(b);
    for (int i = 0; i < KERNELS; i++) {
        harness_free(score[i]);
        tpu_lab_free(&k[i]);
    }
}

static void refusals(void **state)
{
    (void)state;
    lab_program p = {0};
    tpu_kernel k;
    make(&p, 0);
    tpu_lab_kernel(&k, &p);
    const tpu_kernel *train[] = {&k};
    const tpu_baseline_options o = tpu_baseline_defaults();
    for (int kind = 0; kind < TPU_BASELINES; kind++) {
        ag_failure why = {0};
        assert_null(tpu_baseline_fit((tpu_baseline_kind)kind, TPU_FUSION, train, 1, &o, &why));
        assert_string_equal(why.sentence,
                            "analytical baseline: none of the 1 training kernels has a run time to "
                            "fit; give files with measured kernels");
        why = (ag_failure){0};
        assert_null(tpu_baseline_fit((tpu_baseline_kind)kind, TPU_TILE, NULL, 0, &o, &why));
        assert_int_equal(why.status, AG_EUSE);
    }
    tpu_lab_free(&k);
    lab_program_clear(&p);
}

/* ---- measured ---- */

static void open_list(tpu_data *data, const char *folder, const char *list)
{
    char path[1000];
    harness_files paths = {0};
    ag_failure why = {0};
    snprintf(path, sizeof path, "%s/examples/data/%s/%s.txt", AG_SOURCE_DIR, folder, list);
    if (harness_files_add(&paths, path, &why) || tpu_data_add(data, &paths, &why))
        fail_msg("%s", why.sentence);
    harness_files_free(&paths);
}

/* Every step-th kernel. */
static const tpu_kernel **pointers(const tpu_data *data, int step)
{
    const tpu_kernel **all = harness_alloc((size_t)data->kernels * sizeof *all);
    for (int i = 0; i < data->kernels; i += step) all[i / step] = &data->kernel[i];
    return all;
}

/* Sanitizers find nothing in more kernels that they do not find in a part of them. */
static int full(void) { return getenv("AUGUR_FULL") != NULL && !SANITIZED; }

/* Grades of all baselines on the test part of a split. The quick run learns from a third of the
   kernels with tiles and an eighth of the fused ones, with smaller trees: faster, a little worse.
 */
static void measure(tpu_grade *grade, const tpu_data *train, const tpu_data *test,
                    const char *title)
{
    const int step = full() ? 1 : train->task == TPU_TILE ? 3 : 8;
    const int kernels = (train->kernels + step - 1) / step;
    const tpu_kernel **from = pointers(train, step), **on = pointers(test, 1);
    tpu_baseline_options o = tpu_baseline_defaults();
    if (!full()) o.tree_rows = 4096;
    const char *method[TPU_BASELINES];
    double **score = harness_alloc((size_t)test->kernels * sizeof *score);
    for (int i = 0; i < test->kernels; i++)
        score[i] = harness_alloc((size_t)test->kernel[i].configs * sizeof(double));
    for (int kind = 0; kind < TPU_BASELINES; kind++) {
        char text[300];
        ag_failure why = {0};
        const double start = harness_seconds();
        method[kind] = tpu_baseline_name((tpu_baseline_kind)kind);
        if (kind == TPU_BASELINE_BOOSTING && !harness_boosting_built()) continue;
        tpu_baseline *b =
            tpu_baseline_fit((tpu_baseline_kind)kind, train->task, from, kernels, &o, &why);
        if (!b) fail_msg("%s", why.sentence);
        const double fitted = harness_seconds();
        for (int i = 0; i < test->kernels; i++)
            if (tpu_baseline_predict(score[i], b, on[i], &why)) fail_msg("%s", why.sentence);
        if (tpu_grade_programs(grade + kind * test->programs, test->programs, test->task, on,
                               (const double *const *)score, test->kernels, TPU_LEAST, &why))
            fail_msg("%s", why.sentence);
        tpu_baseline_print(text, sizeof text, b);
        print_message("%-8s fitted in %.2f s, scored in %.2f s: %s\n", method[kind], fitted - start,
                      harness_seconds() - fitted, text);
        tpu_baseline_free(b);
    }
    const tpu_comparison c = {test->task, TPU_BASELINES - !harness_boosting_built(), test->programs,
                              method,     (const char *const *)test->program,        grade,
                              0};
    harness_table *t = tpu_methods_table(title, &c, 0);
    harness_table_print(stdout, t);
    fflush(stdout);
    harness_table_free(t);
    for (int i = 0; i < test->kernels; i++) harness_free(score[i]);
    harness_free(score);
    harness_free((void *)from);
    harness_free((void *)on);
}

static double mean_of(const tpu_grade *grade, const tpu_data *test, tpu_baseline_kind kind,
                      tpu_measure measure)
{
    return tpu_summarise(grade + (int)kind * test->programs, test->programs, measure).mean;
}

static void measured(const char *folder, const char *split)
{
    char name[64];
    tpu_data train = {0}, test = {0};
    snprintf(name, sizeof name, "%s.train", split);
    open_list(&train, folder, name);
    snprintf(name, sizeof name, "%s.test", split);
    open_list(&test, folder, name);
    tpu_grade *g = harness_alloc((size_t)(TPU_BASELINES * test.programs) * sizeof *g);
    snprintf(name, sizeof name, "%s, %s", folder, split);
    measure(g, &train, &test, name);
    const tpu_measure tau = TPU_TAU, all = TPU_ERROR_ALL;
    if (test.task == TPU_TILE) {
        assert_true(mean_of(g, &test, TPU_BASELINE_ROOFLINE, tau) > 0.25);
        assert_true(mean_of(g, &test, TPU_BASELINE_LOOPS, tau) > 0.6);
    } else
        for (int kind = TPU_BASELINE_ROOFLINE; kind <= TPU_BASELINE_LOOPS; kind++) {
            assert_true(mean_of(g, &test, (tpu_baseline_kind)kind, all) <
                        0.3 * mean_of(g, &test, TPU_BASELINE_CONSTANT, all));
            assert_true(mean_of(g, &test, (tpu_baseline_kind)kind, tau) > 0.35);
        }
    harness_free(g);
    tpu_data_free(&train);
    tpu_data_free(&test);
}

static void measured_tiles(void **state)
{
    (void)state;
    measured("tile", "split-random");
    if (full()) measured("tile", "split-family");
}

static void measured_fusions(void **state)
{
    (void)state;
    measured("fusion", "split-random");
    if (full()) measured("fusion", "split-family");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fusion_machine),
                                       cmocka_unit_test(tile_machine), cmocka_unit_test(refusals),
                                       cmocka_unit_test(measured_tiles),
                                       cmocka_unit_test(measured_fusions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
