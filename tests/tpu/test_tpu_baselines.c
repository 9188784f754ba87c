/* SPDX-License-Identifier: MIT */
/* Baselines: known machines are found again; on measured kernels the rooflines are far better than
   a constant. */
#include "support/test.h"
#include "examples/harness/harness.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/tpu/baseline/baselines.h"
#include "examples/tpu/tune/model.h"
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
    const tpu_roofline machine = {20, 3, 0.2, 200, {1, 2, 1, 1}, 0};
    tpu_kernel k[MADE];
    const tpu_kernel *train[MADE];
    int64_t runtime[MADE];
    ag_failure why = {0};
    for (int i = 0; i < MADE; i++) {
        lab_program p = {0};
        tpu_load load;
        make(&p, i);
        tpu_lab_kernel(&k[i], &p);
        tpu_loads(&load, &k[i]);
        runtime[i] = (int64_t)(tpu_roofline_time(&machine, &load) + 0.5);
        k[i].runtime = &runtime[i];
        train[i] = &k[i];
        lab_program_clear(&p);
    }
    tpu_roofline found;
    const tpu_kernel *dots[MADE / 4];
    tpu_roofline_fit(&found, TPU_FUSION, train, MADE, 1);
    assert_true(found.scale[TPU_TYPE_CONVOLUTION] == 1); /* there are none */
    assert_true(found.scale[TPU_TYPE_OTHER] == 1);
    for (int i = 0; i < MADE / 4; i++) dots[i] = train[4 * i];
    tpu_roofline_fit(&found, TPU_FUSION, dots, MADE / 4, 1);
    for (int t = 0; t < TPU_TYPES; t++) assert_true(found.scale[t] == 1);
    for (int kind = TPU_BASELINE_ROOFLINE; kind < TPU_BASELINES; kind++) {
        const harness_boosting_options o = tpu_baseline_trees();
        double error = 0, score;
        if (kind == TPU_BASELINE_BOOSTING && !harness_boosting_built()) continue;
        tpu_baseline *b =
            tpu_baseline_fit((tpu_baseline_kind)kind, TPU_FUSION, train, MADE, &o, &why);
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
        tpu_kernel_free(&k[i]);
    }
}

static void score_all(double *score, tpu_baseline *b, const tpu_data *data)
{
    ag_failure why = {0};
    for (int i = 0; i < data->kernels; i++) {
        if (tpu_baseline_predict(score, b, &data->kernel[i], &why)) fail_msg("%s", why.sentence);
        score += data->kernel[i].configs;
    }
}

/* Tiles of x w and of a column sum, timed by a roofline with re-reads. */
static void tile_machine(void **state)
{
    enum { KERNELS = 20 };
    const tpu_roofline machine = {2, 10, 0.5, 40, {1, 1, 1, 1}, 0};
    tpu_kernel k[KERNELS];
    const tpu_kernel *train[KERNELS];
    ag_failure why = {0};
    for (int i = 0; i < KERNELS; i++) {
        lab_program p = {0};
        int(*tile)[24];
        make(&p, 4 * (i + 4) + i % 2);
        tpu_lab_kernel(&k[i], &p);
        const int n = lab_tiles(&tile, &p, 30, 1);
        assert_true(n > 1);
        tune_kernel_tiles(&k[i], tile, n);
        k[i].runtime = harness_alloc((size_t)n * sizeof *k->runtime);
        tpu_load *load = harness_alloc((size_t)n * sizeof *load);
        tpu_loads(load, &k[i]);
        for (int c = 0; c < n; c++)
            k[i].runtime[c] = (int64_t)(10 * tpu_roofline_time(&machine, &load[c]));
        harness_free(load);
        k[i].program = 0;
        train[i] = &k[i];
        ag_free(tile);
        lab_program_clear(&p);
    }
    const harness_boosting_options o = tpu_baseline_trees();
    tpu_baseline *b = tpu_baseline_fit(TPU_BASELINE_ROOFLINE, TPU_TILE, train, KERNELS, &o, &why);
    if (!b) fail_msg("%s", why.sentence);
    char *program[] = {"made"};
    const tpu_data data = {.kernel = k, .program = program, .kernels = KERNELS, .programs = 1};
    harness_rank rank = {0};
    tpu_results_groups(&rank, &data, TPU_TILE, 0);
    score_all(harness_rank_method(&rank, "roofline", NULL), b, &data);
    assert_int_equal(harness_rank_compute(&rank, &why), AG_OK);
    const double tau = harness_rank_mean(&rank, 0, HARNESS_TAU_B),
                 error = harness_rank_mean(&rank, 0, HARNESS_APE);
    print_message("roofline on made tiles: tau-b %.3f, APE %.2f %%\n", tau, error);
    assert_true(tau > 0.95 && error < 2);
    harness_rank_close(&rank);
    tpu_baseline_free(b);
    b = tpu_baseline_fit(TPU_BASELINE_CONSTANT, TPU_TILE, train, KERNELS, &o, &why);
    double *score = calloc((size_t)k->configs, sizeof *score);
    tpu_baseline_predict(score, b, k, &why); /* the first tile size is the best */
    assert_true(score[0] < score[1] && score[1] == score[2]);
    free(score);
    tpu_baseline_free(b);
    for (int i = 0; i < KERNELS; i++) tpu_kernel_free(&k[i]);
}

static void refusals(void **state)
{
    lab_program p = {0};
    tpu_kernel k;
    make(&p, 0);
    tpu_lab_kernel(&k, &p);
    const tpu_kernel *train[] = {&k};
    const harness_boosting_options o = tpu_baseline_trees();
    for (int kind = 0; kind < TPU_BASELINES; kind++) {
        ag_failure why = {0};
        assert_null(tpu_baseline_fit((tpu_baseline_kind)kind, TPU_FUSION, train, 1, &o, &why));
        assert_non_null(strstr(why.sentence,
                               ": none of the 1 training kernels has a run time to fit; give "
                               "files with measured kernels"));
        why = (ag_failure){0};
        assert_null(tpu_baseline_fit((tpu_baseline_kind)kind, TPU_TILE, NULL, 0, &o, &why));
        assert_int_equal(why.status, AG_EUSE);
    }
    tpu_kernel_free(&k);
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

/* All baselines of measured data, learned in few rounds from every step-th kernel. */
static void measured(const char *folder, int step)
{
    tpu_data train = {0}, test = {0};
    harness_rank rank = {0};
    harness_boosting_options o = tpu_baseline_trees();
    ag_failure why = {0};
    int kernels = 0;
    o.rounds = 50;
    open_list(&train, folder, "split-random.train");
    open_list(&test, folder, "split-random.test");
    const tpu_kernel **from = harness_alloc((size_t)train.kernels * sizeof *from);
    for (int i = 0; i < train.kernels; i += step) from[kernels++] = &train.kernel[i];
    tpu_results_groups(&rank, &test, test.task, TPU_LEAST);
    for (tpu_baseline_kind kind = 0; kind < TPU_BASELINES; kind++) {
        if (kind == TPU_BASELINE_BOOSTING && !harness_boosting_built()) continue;
        tpu_baseline *b = tpu_baseline_fit(kind, train.task, from, kernels, &o, &why);
        if (!b) fail_msg("%s", why.sentence);
        score_all(harness_rank_method(&rank, tpu_baseline_name(kind), NULL), b, &test);
        tpu_baseline_free(b);
    }
    if (harness_rank_compute(&rank, &why)) fail_msg("%s", why.sentence);
    const int tiles = test.task == TPU_TILE;
    const double least = tiles ? 0.25 : 0.35;
    /* A method that is left out in a build without libxgboost is the last but one. */
    const int ridge = TPU_BASELINE_RIDGE - !harness_boosting_built();
    assert_true(harness_rank_mean(&rank, TPU_BASELINE_ROOFLINE, HARNESS_TAU_B) > least);
    assert_true(harness_rank_mean(&rank, ridge, HARNESS_TAU_B) > least);
    const double constant = harness_rank_mean(&rank, TPU_BASELINE_CONSTANT, HARNESS_MAPE_ALL);
    for (int kind = TPU_BASELINE_ROOFLINE; kind < ridge; kind++)
        if (tiles)
            assert_true(harness_rank_mean(&rank, kind, HARNESS_TAU_B) > 0.25 * kind);
        else
            assert_true(harness_rank_mean(&rank, kind, HARNESS_MAPE_ALL) < 0.3 * constant);
    harness_rank_close(&rank);
    harness_free((void *)from);
    tpu_data_free(&train);
    tpu_data_free(&test);
}

static void measured_tiles(void **state) { measured("tile", 3); }

static void measured_fusions(void **state) { measured("fusion", 8); }

int main(void)
{
    return RUN_TESTS(fusion_machine, tile_machine, refusals, measured_tiles, measured_fusions);
}
