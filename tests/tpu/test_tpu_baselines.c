/* SPDX-License-Identifier: MIT */
/* Baselines: known machines are found again; on measured kernels the rooflines are far better than
   a constant. */
#include "support/test.h"
#include "core/memory.h"
#include "examples/harness/harness.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/tpu/baseline/baselines.h"
#include "examples/tune/tune.h"
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

static tpu_data data_of(tpu_task task, tpu_kernel *kernel, int kernels)
{
    static char *program[] = {"made"};
    return (tpu_data){
        .task = task, .kernel = kernel, .kernels = kernels, .program = program, .programs = 1};
}

static void score(double *out, tpu_baseline kind, const tpu_data *train, const tpu_data *scored,
                  int rounds)
{
    harness_boosting_options o = tpu_baseline_trees();
    o.rounds = rounds;
    harness_free(expect_made(tpu_baseline_score(out, kind, train, scored, &o, new_failure())));
}

/* A machine of 20 bytes, 3 operations and 0.2 special functions per ns, 200 ns to start; dots at
   half of the speed. */
static void fusion_machine(void **state)
{
    const tpu_roofline machine = {20, 3, 0.2, 200, {1, 2, 1, 1}, 0};
    tpu_kernel k[MADE], dot[MADE / 4];
    const tpu_data all = data_of(TPU_FUSION, k, MADE), dots = data_of(TPU_FUSION, dot, MADE / 4);
    int64_t runtime[MADE];
    double ns[MADE];
    for (int i = 0; i < MADE; i++) {
        lab_program p = {0};
        tpu_load load;
        make(&p, i);
        tpu_lab_kernel(&k[i], &p);
        tpu_loads(&load, &k[i]);
        runtime[i] = (int64_t)(tpu_roofline_time(&machine, &load) + 0.5);
        k[i].runtime = &runtime[i];
        if (i % 4 == 0) dot[i / 4] = k[i];
        lab_program_clear(&p);
    }
    tpu_roofline found;
    tpu_roofline_fit(&found, &all);
    assert_true(found.scale[TPU_TYPE_CONVOLUTION] == 1); /* there are none */
    assert_true(found.scale[TPU_TYPE_OTHER] == 1);
    tpu_roofline_fit(&found, &dots);
    for (int t = 0; t < TPU_TYPES; t++) assert_true(found.scale[t] == 1);
    for (int kind = TPU_BASELINE_ROOFLINE; kind < TPU_BASELINES; kind++) {
        double error = 0;
        if (kind == TPU_BASELINE_BOOSTING && !harness_boosting_built()) continue;
        score(ns, (tpu_baseline)kind, &all, &all, 200);
        for (int i = 0; i < MADE; i++) error += fabs(ns[i] / (double)runtime[i] - 1) / MADE;
        print_message("%s on a made machine: mean error %.2f %%\n", tpu_baseline_name[kind],
                      100 * error);
        assert_true(error < (kind == TPU_BASELINE_ROOFLINE ? 0.01 : 0.25));
    }
    for (int i = 0; i < MADE; i++) {
        k[i].runtime = NULL;
        tpu_kernel_free(&k[i]);
    }
}

/* Tiles of x w and of a column sum, timed by a roofline with re-reads. */
static void tile_machine(void **state)
{
    enum { KERNELS = 20, TILES = 30 };
    const tpu_roofline machine = {2, 10, 0.5, 40, {1, 1, 1, 1}, 0};
    tpu_kernel k[KERNELS];
    const tpu_data data = data_of(TPU_TILE, k, KERNELS);
    for (int i = 0; i < KERNELS; i++) {
        lab_program p = {0};
        int(*tile)[24];
        tpu_load load[TILES];
        make(&p, 4 * (i + 4) + i % 2);
        tpu_lab_kernel(&k[i], &p);
        const int n = lab_tiles(&tile, &p, TILES, 1);
        assert_true(n > 1);
        tune_kernel_tiles(&k[i], tile, n);
        k[i].runtime = HARNESS_NEW(k->runtime, n);
        tpu_loads(load, &k[i]);
        for (int c = 0; c < n; c++)
            k[i].runtime[c] = (int64_t)(10 * tpu_roofline_time(&machine, &load[c]));
        k[i].program = 0;
        ag_free(tile);
        lab_program_clear(&p);
    }
    harness_rank rank = {0};
    tpu_results_groups(&rank, &data, TPU_TILE, 0);
    score(harness_rank_method(&rank, "roofline", NULL), TPU_BASELINE_ROOFLINE, &data, &data, 0);
    double *first = harness_rank_method(&rank, "constant", NULL);
    score(first, TPU_BASELINE_CONSTANT, &data, &data, 0);
    assert_true(first[0] < first[1] && first[1] == first[2]); /* the first tile size is the best */
    expect_ok(harness_rank_compute(&rank, new_failure()));
    const double tau = harness_rank_mean(&rank, 0, HARNESS_TAU_B),
                 error = harness_rank_mean(&rank, 0, HARNESS_APE);
    print_message("roofline on made tiles: tau-b %.3f, APE %.2f %%\n", tau, error);
    assert_true(tau > 0.95 && error < 2);
    harness_rank_close(&rank);
    for (int i = 0; i < KERNELS; i++) tpu_kernel_free(&k[i]);
}

static void refusals(void **state)
{
    lab_program p = {0};
    tpu_kernel k;
    make(&p, 0);
    tpu_lab_kernel(&k, &p);
    const tpu_data one = data_of(TPU_FUSION, &k, 1), none = data_of(TPU_TILE, NULL, 0);
    const harness_boosting_options o = tpu_baseline_trees();
    for (tpu_baseline kind = 0; kind < TPU_BASELINES; kind++) {
        expect_null(tpu_baseline_score(NULL, kind, &one, &one, &o, new_failure()), AG_EUSE,
                    ": none of the 1 training kernels has a run time to fit; give "
                    "files with measured kernels");
        expect_null(tpu_baseline_score(NULL, kind, &none, &one, &o, new_failure()), AG_EUSE, "");
    }
    tpu_kernel_free(&k);
    lab_program_clear(&p);
}

/* ---- measured ---- */

static void open_list(tpu_data *data, const char *folder, const char *list)
{
    harness_files paths = {0};
    const char *path = formatted(AG_SOURCE_DIR "/examples/data/%s/%s.txt", folder, list);
    expect_ok(harness_files_add(&paths, path, new_failure()));
    expect_ok(tpu_data_add(data, &paths, new_failure()));
    harness_files_free(&paths);
}

/* All baselines of measured data, learned in few rounds from every step-th kernel. */
static void measured(const char *folder, int step)
{
    tpu_data train = {0}, test = {0};
    harness_rank rank = {0};
    open_list(&train, folder, "split-random.train");
    open_list(&test, folder, "split-random.test");
    for (int i = 0; i * step < train.kernels; i++) train.kernel[i] = train.kernel[i * step];
    train.kernels = (train.kernels - 1) / step + 1;
    tpu_results_groups(&rank, &test, test.task, 5000);
    for (tpu_baseline kind = 0; kind < TPU_BASELINES; kind++) {
        if (kind == TPU_BASELINE_BOOSTING && !harness_boosting_built()) continue;
        score(harness_rank_method(&rank, tpu_baseline_name[kind], NULL), kind, &train, &test, 50);
    }
    expect_ok(harness_rank_compute(&rank, new_failure()));
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
    tpu_data_free(&train);
    tpu_data_free(&test);
}

static void measured_tiles(void **state) { measured("tile", 3); }

static void measured_fusions(void **state) { measured("fusion", 8); }

int main(void)
{
    return RUN_TESTS(fusion_machine, tile_machine, refusals, measured_tiles, measured_fusions);
}
