/* SPDX-License-Identifier: MIT */
/* ag_moving_average: by how much a parameter moves and when, also on a device and in runs that are
   repeated there; that steps of the optimizers and clipping leave it as it is; what is refused. */
#include "support/test.h"
#include "augur.h"
#include "support/device.h"

enum { N = 5 };

static struct {
    ag_params *params;
    ag_param *w, *average;
    ag_tape *tape;
} m;
static float before[N]; /* the average at first */

static const float *now(void)
{
    assert_int_equal(ag_params_fetch(m.params, NULL), AG_OK);
    return m.average->value;
}

static void keep(void) { memcpy(before, now(), sizeof before); }

static int set_up(void **state)
{
    m.params = ag_params_new();
    m.tape = ag_tape_new(test_device());
    m.w = ag_params_add(m.params, "w", AG_SHAPE(N), ag_init_normal(0, 1), 1);
    m.average = ag_params_add(m.params, "average", AG_SHAPE(N), ag_init_normal(0, 1), 0);
    assert_int_equal(ag_params_build(m.params, 1), AG_OK);
    m.average->value[0] = -0.0f;
    m.average->value[1] = 1e-30f;
    assert_int_equal(ag_params_to(m.params, test_device(), NULL), AG_OK);
    keep();
    return 0;
}

static int tear_down(void **state)
{
    ag_tape_free(m.tape);
    ag_params_free(m.params);
    return 0;
}

static void expect_still(void) { assert_memory_equal(now(), before, sizeof before); }

static void start(void)
{
    ag_tape_reset(m.tape);
    ag_params_reset(m.params);
}

static ag_tensor *square(void) { return ag_square(ag_parameter(m.tape, m.w)); }

/* The loss does not read the square, which is averaged. */
static ag_tensor *loss_of(void) { return ag_sum_all(ag_tanh(ag_parameter(m.tape, m.w))); }

static void expect_moved(double rate)
{
    for (int i = 0; i < N; i++) {
        const double w = (double)m.w->value[i], a = (double)before[i];
        assert_true(fabs((double)now()[i] - ((1 - rate) * a + rate * w * w)) < 1e-6);
    }
}

/* Runs with one plan: on a device the later ones are repeated. */
static void test_moves_once_a_run(void **state)
{
    for (int run = 0; run < 5; run++) {
        const float rate = run == 3 ? 0.5f : 0.1f;
        keep();
        start();
        ag_tensor *x = square();
        assert_ptr_equal(ag_moving_average(m.average, x, rate), x);
        ag_backward(loss_of());
        ag_backward(x); /* a second run is refused */
        expect_moved((double)rate);
    }
}

/* In the order of the calls; of a view and of a parameter. */
static void test_several(void **state)
{
    ag_tensor *view = ag_reshape(ag_reshape(square(), AG_SHAPE(N, 1)), AG_SHAPE(N));
    ag_moving_average(m.average, view, 1);
    ag_moving_average(m.average, ag_parameter(m.tape, m.w), 0.25f);
    ag_backward(loss_of());
    assert_string_equal(ag_error(m.tape), "");
    for (int i = 0; i < N; i++) {
        const double w = (double)m.w->value[i];
        assert_true(fabs((double)now()[i] - (0.75 * w * w + 0.25 * w)) < 1e-6);
    }
}

static void test_what_moves_nothing(void **state)
{
    ag_moving_average(m.average, square(), 0.1f);
    ag_forward(loss_of());
    expect_still(); /* no gradients */
    start();
    ag_moving_average(m.average, square(), 0.1f);
    ag_check_finite(m.tape, 1);
    ag_backward(ag_log(ag_neg(ag_square(loss_of()))));
    assert_int_equal(ag_tape_status(m.tape), AG_EFINITE);
    ag_check_finite(m.tape, 0);
    expect_still(); /* a failure */
    start();
    ag_tape_training(m.tape, 0);
    ag_moving_average(m.average, square(), 0.1f);
    ag_backward(loss_of());
    assert_string_equal(ag_error(m.tape), "");
    expect_still(); /* no training */
    ag_tape_training(m.tape, 1);
    start();
    ag_moving_average(m.average, square(), 0.1f);
    start();
    ag_backward(loss_of());
    expect_still(); /* a step that was forgotten */
}

/* To the bit, -0 as well; weight decay and clipping are for the others. */
static void test_optimizers_leave_it(void **state)
{
    const ag_adamw adamw = {0.9, 0.999, 1e-8, 0.5};
    for (int step = 0; step < 6; step++) {
        ag_tape_reset(m.tape);
        ag_parameter(m.tape, m.average);
        ag_backward(loss_of());
        assert_int_equal(ag_clip_norm(m.params, 1e-3, NULL, NULL), AG_OK);
        assert_int_equal((step % 2 ? ag_adam_step : ag_adamw_step)(m.params, &adamw, 0.1, NULL),
                         AG_OK);
        expect_still();
    }
}

static void test_refusals(void **state)
{
    static float data[N];
    static const int32_t whole[N];
    for (int k = 0; k < 6; k++) {
        static const char *const says[] = {
            "x is [], but parameter \"average\" is [5]",
            "x is an input of the tape (for parameter \"average\")",
            "x is of int32 indices (for parameter \"average\")",
            "the rate for parameter \"average\" is nan; it must be in [0,1]",
            "parameter \"w\" has weight decay, which would shrink the average",
            "A parameter is NULL",
        };
        start();
        ag_tensor *x = k == 0   ? loss_of()
                       : k == 1 ? ag_reshape(ag_input(m.tape, data, AG_SHAPE(N)), AG_SHAPE(N))
                       : k == 2 ? ag_input_i32(m.tape, whole, AG_SHAPE(N))
                                : square();
        ag_moving_average(k == 4 ? m.w : k == 5 ? NULL : m.average, x, k == 3 ? NAN : 0.1f);
        if (!strstr(ag_error(m.tape), says[k])) fail_msg("%s", ag_error(m.tape));
        ag_backward(loss_of());
        expect_still();
    }
}

/* The loss reads the average that the run moves: the check leaves it as it was. */
static ag_tensor *pulled(ag_tape *tape, void *context)
{
    ag_tensor *w = ag_parameter(tape, m.w), *average = ag_parameter(tape, m.average);
    ag_moving_average(m.average, ag_square(w), 0.5f);
    return ag_sum_all(ag_square(ag_sub(w, average)));
}

static void test_gradcheck(void **state)
{
    char where[200];
    const ag_gradcheck_options options = {.step = 1e-2};
    assert_int_equal(ag_params_to(m.params, AG_CPU, NULL), AG_OK); /* it works there */
    assert_true(ag_gradcheck(pulled, NULL, m.params, &options, where) < 1e-2);
    expect_still();
}

int main(void)
{
    return RUN_TESTS_EACH(set_up, tear_down, test_moves_once_a_run, test_several,
                          test_what_moves_nothing, test_optimizers_leave_it, test_refusals,
                          test_gradcheck);
}
