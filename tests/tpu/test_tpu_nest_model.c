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
    const tpu_batch_options o = tpu_model_batch(&model.options);
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
            assert_true(fabs((double)all[k * CONFIGS + c] - tpu_rows_log_work(&rows, c)) < 1e-4);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_averaged), cmocka_unit_test(a_score_is_its_own),
        cmocka_unit_test(costs_are_added), cmocka_unit_test(a_constant_per_kernel_is_free)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
