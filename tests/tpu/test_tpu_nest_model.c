/* SPDX-License-Identifier: MIT */
/* The network with a cost per loop nest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "examples/harness/harness.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/tpu/model/loss.h"
#include "examples/tpu/shell.h"
#include "support/tpu_lab.h"

enum { KERNELS = 3, CONFIGS = 4, SAMPLES = KERNELS * CONFIGS };

/* Tiled products of several widths, with run times. */
static tpu_kernel kernel[KERNELS];
static tpu_scaler scaler;
static tpu_model model;
static tpu_sample sample[SAMPLES];

static void make(tpu_kernel *k, int which)
{
    lab_program p = {0};
    int(*tile)[24];
    const int x = lab_parameter(&p, LAB_F32, 2, (int[]){40, 64 + which});
    const int w = lab_parameter(&p, LAB_F32, 2, (int[]){64 + which, 48});
    lab_unary(&p, LAB_TANH, lab_dot(&p, x, w, (lab_dot_dims){0, 1, 0}));
    assert_int_equal(p.why.status, AG_OK);
    tpu_lab_kernel(k, &p);
    assert_int_equal(lab_tiles(&tile, &p, CONFIGS, 1), CONFIGS);
    float *tiles = harness_alloc(CONFIGS * 24 * sizeof *tiles);
    int64_t *runtime = harness_alloc(CONFIGS * sizeof *runtime);
    for (int i = 0; i < CONFIGS * 24; i++) tiles[i] = (float)tile[i / 24][i % 24];
    for (int i = 0; i < CONFIGS; i++) runtime[i] = 1000 * (1 + which) * (1 + i * i);
    k->configs = CONFIGS;
    k->tile = tiles;
    k->runtime = runtime;
    ag_free(tile);
    lab_program_clear(&p);
}

static int setup(void **state)
{
    (void)state;
    ag_failure why = {0};
    tpu_options o = tpu_default_options(TPU_TILE);
    o.reduction = TPU_NESTS;
    o.hidden = 16;
    for (int i = 0; i < KERNELS; i++) make(&kernel[i], i);
    for (int i = 0; i < SAMPLES; i++) sample[i] = (tpu_sample){&kernel[i / CONFIGS], i % CONFIGS};
    const tpu_data data = {.kernel = kernel, .kernels = KERNELS};
    tpu_scaler_fit(&scaler, &data, 1, 1);
    tpu_scaler_fit_nests(&scaler, &data);
    if (tpu_model_add(&model, ag_params_new(), &o, &why) || ag_params_build(model.params, 1))
        fail_msg("%s", why.sentence);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tpu_model_free(&model);
    for (int i = 0; i < KERNELS; i++) tpu_lab_free(&kernel[i]);
    return 0;
}

/* member: -1 for all. */
static void score_by(ag_real *out, int member, int first, int count)
{
    ag_failure why = {0};
    tpu_batch batch = {0};
    ag_tape *tape = ag_tape_new(AG_CPU);
    const tpu_batch_options o = tpu_model_scoring_batch(&model);
    if (tpu_batch_fill(&batch, sample + first, count, &scaler, &o, &why))
        fail_msg("%s", why.sentence);
    ag_tape_training(tape, 0);
    ag_tensor *y = member < 0 ? tpu_forward(&model, tape, &batch)
                              : tpu_forward_member(&model, member, tape, &batch);
    ag_forward(y);
    const ag_real *value = ag_values(y);
    if (!value) fail_msg("%s", ag_error(tape));
    memcpy(out, value, (size_t)count * sizeof *out);
    ag_tape_free(tape);
    tpu_batch_free(&batch);
}

static void score(ag_real *out, int first, int count) { score_by(out, -1, first, count); }

/* Each member has first values of its own, and the loss is the mean of their losses. */
static void members_are_averaged(void **state)
{
    (void)state;
    ag_failure why = {0};
    tpu_batch batch = {0};
    ag_real all[SAMPLES], each[3][SAMPLES];
    double loss = 0;
    ag_tape *tape = ag_tape_new(AG_CPU);
    const tpu_batch_options o = tpu_model_batch(&model.options);
    assert_int_equal(tpu_members(&model.options), 3);
    if (tpu_batch_fill(&batch, sample, SAMPLES, &scaler, &o, &why)) fail_msg("%s", why.sentence);
    score(all, 0, SAMPLES);
    for (int m = 0; m < 3; m++) {
        score_by(each[m], m, 0, SAMPLES);
        ag_tape_reset(tape);
        ag_tensor *l =
            tpu_loss(ag_input(tape, each[m], AG_SHAPE(SAMPLES)), &batch, TPU_LOSS_HUBER, 1);
        ag_forward(l);
        loss += (double)ag_item(l) / 3;
    }
    for (int i = 0; i < SAMPLES; i++) {
        const double mean = ((double)each[0][i] + (double)each[1][i] + (double)each[2][i]) / 3;
        assert_true(fabs((double)all[i] - mean) < 1e-4);
        assert_true(each[0][i] != each[1][i] && each[1][i] != each[2][i]);
    }
    ag_tape_reset(tape);
    ag_tensor *l = tpu_loss_of_members(&model, tape, &batch, TPU_LOSS_HUBER, 1);
    ag_forward(l);
    assert_true(fabs((double)ag_item(l) - loss) < 1e-4 * loss);
    ag_tape_free(tape);
    tpu_batch_free(&batch);
}

static void a_score_is_its_own(void **state)
{
    (void)state;
    ag_real all[SAMPLES], one;
    score(all, 0, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        score(&one, i, 1);
        assert_true(fabs((double)(one - all[i])) < 1e-4);
    }
}

/* Where every nest costs 1 per unit of work, a score is ln of the work of all nests. */
static void costs_are_added(void **state)
{
    (void)state;
    ag_real all[SAMPLES];
    tpu_rows rows = {0};
    for (int m = 0; m < tpu_members(&model.options); m++)
        memset(model.member[m].output.weight->value, 0,
               (size_t)model.options.hidden * sizeof(ag_real));
    score(all, 0, SAMPLES);
    for (int k = 0; k < KERNELS; k++) {
        tpu_rows_set(&rows, &kernel[k], 0, 1);
        for (int c = 0; c < CONFIGS; c++)
            assert_true(fabs((double)all[k * CONFIGS + c] - tpu_rows_log_price(&rows, c)) < 1e-4);
    }
    tpu_rows_free(&rows);
}

/* Huber's loss of tiles: scores that are off by a constant per kernel are right. */
static void a_constant_per_kernel_is_free(void **state)
{
    (void)state;
    ag_failure why = {0};
    tpu_batch batch = {0};
    ag_tape *tape = ag_tape_new(AG_CPU);
    const tpu_batch_options o = tpu_model_batch(&model.options);
    ag_real y[SAMPLES];
    if (tpu_batch_fill(&batch, sample, SAMPLES, &scaler, &o, &why)) fail_msg("%s", why.sentence);
    for (int off = 0; off < 2; off++) {
        for (int i = 0; i < SAMPLES; i++)
            y[i] = batch.log_runtime[i] + (ag_real)(i / CONFIGS) + (ag_real)(off && i == 0);
        ag_tape_reset(tape);
        ag_tensor *loss = tpu_loss(ag_input(tape, y, AG_SHAPE(SAMPLES)), &batch, TPU_LOSS_HUBER, 1);
        ag_forward(loss);
        const double value = (double)ag_item(loss);
        /* An error of 3/4, linear beyond 0.3, and three of 1/4. */
        const double want = (0.3 * (0.75 - 0.15) + 3 * 0.25 * 0.25 / 2) / SAMPLES;
        assert_true(fabs(value - off * want) < 1e-5);
    }
    ag_tape_free(tape);
    tpu_batch_free(&batch);
}

/* Over the kernels that they were fitted to, columns have mean 0 and deviation 1, or are 0; far
   values end at 5. */
static void columns_are_standardised(void **state)
{
    (void)state;
    double sum[TPU_NEST_COLUMNS] = {0}, square[TPU_NEST_COLUMNS] = {0}, n = 0;
    int varied = 0;
    tpu_rows rows = {0};
    for (int i = 0; i < KERNELS; i++) {
        tpu_rows_set(&rows, &kernel[i], 0, 1);
        for (int r = 0; r < rows.first[CONFIGS]; r++, n++) {
            ag_real y[TPU_NEST_COLUMNS];
            tpu_scale_nests(&scaler, y, rows.x + (size_t)r * TPU_NEST_COLUMNS, 1);
            for (int k = 0; k < TPU_NEST_COLUMNS; k++) {
                sum[k] += (double)y[k];
                square[k] += (double)y[k] * (double)y[k];
            }
        }
    }
    for (int k = 0; k < TPU_NEST_COLUMNS; k++) {
        varied += square[k] > 0;
        assert_true(fabs(sum[k]) < 0.01 * n); /* a far value was cut */
        assert_true(square[k] == 0 || fabs(square[k] - n) < 0.05 * n);
    }
    assert_true(varied > 10);
    float far[TPU_NEST_COLUMNS];
    ag_real y[TPU_NEST_COLUMNS];
    for (int k = 0; k < TPU_NEST_COLUMNS; k++) far[k] = k % 2 ? 1e30F : -1e30F;
    tpu_scale_nests(&scaler, y, far, 1);
    for (int k = 0; k < TPU_NEST_COLUMNS; k++)
        assert_true(y[k] == (square[k] > 0 ? k % 2 ? 5 : -5 : 0));
    tpu_rows_free(&rows);
}

/* ---- trees ---- */

/* One fit of few trees on the kernels, which stays in `kept`. */
static tpu_nest_trees *fit_trees(harness_trees *kept)
{
    ag_failure why = {0};
    const tpu_nest_trees_options o = {
        .bags = 1, .rows = 1000, .trees = {.rounds = 20, .depth = 3, .rate = 0.3, .least_leaf = 1}};
    const tpu_kernel *const list[KERNELS] = {&kernel[0], &kernel[1], &kernel[2]};
    tpu_nest_trees *trees = tpu_nest_trees_fit(list, KERNELS, &o, &why);
    if (!trees || harness_trees_open(kept, 20, 3, &why) || tpu_nest_trees_keep(kept, trees, &why))
        fail_msg("%s", why.sentence);
    return trees;
}

static void kept_trees_say_the_same(void **state)
{
    (void)state;
    if (!harness_boosting_built()) skip();
    ag_failure why = {0};
    harness_trees kept;
    tpu_rows rows = {0};
    tpu_nest_trees *trees = fit_trees(&kept);
    for (int k = 0; k < KERNELS; k++) {
        double score[CONFIGS];
        tpu_rows_set(&rows, &kernel[k], 0, 1);
        assert_int_equal(tpu_nest_trees_score(score, trees, &kernel[k], &why), AG_OK);
        for (int c = 0; c < CONFIGS; c++)
            assert_true(fabs(score[c] - tpu_nest_trees_log_time(&kept, &rows, c)) < 1e-4);
        assert_true(score[3] > score[0] + 0.1); /* they have learned */
    }
    tpu_rows_free(&rows);
    tpu_nest_trees_free(trees);
    harness_trees_close(&kept);
}

/* The share of trees is in the scores, and in no batch of training. */
static void trees_have_their_share(void **state)
{
    (void)state;
    if (!harness_boosting_built()) skip();
    const harness_trees before = model.trees;
    ag_real networks[SAMPLES], both[SAMPLES];
    tpu_rows rows = {0};
    score(networks, 0, SAMPLES);
    tpu_nest_trees_free(fit_trees(&model.trees));
    model.share = 0.4;
    assert_null(tpu_model_batch(&model.options).trees);
    score(both, 0, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        tpu_rows_set(&rows, &kernel[i / CONFIGS], 0, 1);
        const double trees = tpu_nest_trees_log_time(&model.trees, &rows, i % CONFIGS);
        assert_true(fabs((double)both[i] - 0.6 * (double)networks[i] - 0.4 * trees) < 1e-4);
    }
    tpu_rows_free(&rows);
    harness_trees_close(&model.trees);
    model.trees = before;
    model.share = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_averaged),     cmocka_unit_test(a_score_is_its_own),
        cmocka_unit_test(costs_are_added),          cmocka_unit_test(a_constant_per_kernel_is_free),
        cmocka_unit_test(columns_are_standardised), cmocka_unit_test(kept_trees_say_the_same),
        cmocka_unit_test(trees_have_their_share)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
