/* SPDX-License-Identifier: MIT */
/* Subnormal numbers are 0 in runs and steps, and nowhere else; all threads of a region compute as
   its caller does. */
#include "augur.h"
#include "core/parallel.h"
#include "support/test.h"

#include <fenv.h>

enum { COUNT = 100000, WIDTH = 100, BLOCKS = 64 };

static volatile float tiny = 1e-30f, small = 1e-10f;

static int has_subnormals(void)
{
    const volatile float product = tiny * small;
    return product != 0;
}

static void test_runs(void **state)
{
    float *x = malloc(COUNT * sizeof *x);
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (int i = 0; i < COUNT; i++) x[i] = i == 0 ? 2 : tiny;
    for (int threads = 1; threads <= 4; threads++) {
        ag_set_threads(threads);
        ag_tape_reset(tape);
        ag_tensor *y = ag_scale(ag_input(tape, x, AG_SHAPE(COUNT / WIDTH, WIDTH)), small);
        ag_forward(y);
        const float *values = ag_values(y);
        assert_non_null(values);
        assert_true(values[0] == 2 * small);
        for (int i = 1; i < COUNT; i++) assert_true(values[i] == 0);
        assert_true(has_subnormals());
    }
    ag_set_threads(0);
    ag_tape_free(tape);
    free(x);
}

/* The average of a gradient that is 0 from now on halves until it is 0, too. */
static void test_steps(void **state)
{
    const ag_adam how = {.beta1 = 0.5, .beta2 = 0.5, .epsilon = 1e-8};
    ag_params *params = ag_params_new();
    ag_param *w = ag_params_add(params, "w", AG_SHAPE(1), ag_init_constant(0), 0);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_failure why = {0};
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    for (int i = 0; i < 3; i++) {
        ag_tape_reset(tape);
        ag_backward(ag_sum_all(ag_scale(ag_parameter(tape, w), i == 0 ? 3e-38f : 0)));
        assert_int_equal(ag_adam_step(params, &how, 1e-3, &why), AG_OK);
        if (i == 0) assert_true(params->m[0] > 0);
    }
    assert_true(params->m[0] == 0);
    assert_true(has_subnormals());
    ag_tape_free(tape);
    ag_params_free(params);
}

static void third(void *context, int64_t block, int thread)
{
    const volatile float one = 1, three = 3;
    ((float *)context)[block] = one / three;
}

static void test_rounding(void **state)
{
    float up[BLOCKS], plain[BLOCKS];
    ag_set_threads(4);
    for (int round = 0; round < 50; round++) {
        fesetround(FE_UPWARD);
        ag_parallel(BLOCKS, third, up);
        fesetround(FE_TONEAREST);
        ag_parallel(BLOCKS, third, plain);
        for (int i = 1; i < BLOCKS; i++) {
            assert_true(up[i] == up[0]);
            assert_true(plain[i] == plain[0]);
        }
    }
    ag_set_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs), cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
