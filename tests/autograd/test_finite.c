/* SPDX-License-Identifier: MIT */
/* The checks that find wrong numbers: ag_gradcheck and ag_check_finite. */
#include "support/test.h"
#include "augur.h"
#include "autograd/op.h"
#include "support/tape.h"

/* y = x^3; its derivative has the attribute where 3 is right. */
ELEMENTS(cube_forward, ag__elements(a->ys[0]))
{
    for (int64_t i = lo; i < hi; i++) Y(0)[i] = X(0)[i] * X(0)[i] * X(0)[i];
}
ELEMENTS_PUT(cube_backward, ag__elements(a->ys[0]))
{
    for (int64_t i = lo; i < hi; i++)
        PUT(DX, i, DY(0)[i] * (ag_real)a->attr.f[0] * X(0)[i] * X(0)[i]);
}
static const ag_op cube = {
    .name = "cube",
    .formula = "y = x^3",
    .inputs = "x",
    .shape = ag__same_shape,
    .forward = {&cube_forward_kernel},
    .backward = {&cube_backward_kernel},
    .saves = SAVE_X(0),
    .elementwise = 1,
};

typedef struct task {
    ag_param *small, *large;
    double factor;
    int fails;
} task;

static ag_tensor *build(ag_tape *tape, void *context)
{
    const task *t = context;
    const ag_attr attr = {.f = {t->factor}};
    ag_tensor *y = ag__record1(&cube, ag_parameter(tape, t->small), &attr);
    ag_tensor *large = ag_parameter(tape, t->large);
    return t->fails ? ag_add(y, large) : ag_add(ag_sum_all(y), ag_mean_all(ag_tanh(large)));
}

/* The error of ag_gradcheck, which leaves the parameters as they were. */
static double gradient_error(double factor, int fails, char where[200])
{
    static ag_real before[1000];
    const ag_gradcheck_options options = {.step = 1e-2};
    ag_params *p = ag_params_new();
    task t = {ag_params_add(p, "small", AG_SHAPE(2, 3), ag_init_uniform(0.5, 1.5), 1),
              ag_params_add(p, "large", AG_SHAPE(20, 30), ag_init_normal(0, 1), 1), factor, fails};
    assert_int_equal(ag_params_build(p, 3), AG_OK);
    assert_in_range(p->size, 606, 1000);
    const size_t bytes = (size_t)p->size * sizeof *before;
    memcpy(before, p->value, bytes);
    const double error = ag_gradcheck(build, &t, p, &options, where);
    assert_memory_equal(before, p->value, bytes);
    ag_params_free(p);
    return error;
}

static void test_gradcheck(void **state)
{
    char where[200];
    assert_true(gradient_error(3, 0, where) < 1e-2);
    const double error = gradient_error(2.5, 0, where);
    assert_true(error > 0.1 && error < 1);
    assert_true(strncmp(where, "small: entry ", 13) == 0);
    assert_non_null(strstr(where, ": gradient "));
    assert_non_null(strstr(where, ", difference "));
    assert_true(gradient_error((double)NAN, 0, where) == (double)INFINITY);
    assert_true(gradient_error(3, 1, where) == (double)INFINITY);
    assert_non_null(
        strstr(where, "add: x is [2,3], z \"large\" is [20,30]: the shapes differ, and "));
}

/* ---- check_finite ---- */

static float values[6] = {1, 2, 0, 4, 5, 6};
static ag_params *params;
static ag_param *weight;

static void test_result_that_is_not_finite(void **state)
{
    ag_tensor *x = ag_name(ag_input(tape, values, AG_SHAPE(2, 3)), "features");
    ag_tensor *y = ag_exp(ag_log(x)); /* e^-inf is 0 again: only the first op shows it */
    ag_tensor *loss = ag_sum_all(ag_mul(y, ag_parameter(tape, weight)));
    ag_params_reset(params);
    ag_backward(loss);
    assert_int_equal(ag_tape_status(tape), AG_EFINITE);
    assert_string_equal(
        ag_error(tape),
        "log: element 2 of the result is -inf at step 42 (op 0, \"features\"); values "
        "must be finite: look at the inputs or lower the learning rate");
    assert_int_equal(params->state, AG_BAD);
    assert_true(isnan(ag_item(loss)));
}

static void test_gradient_that_is_not_finite(void **state)
{
    weight->value[4] = 0;
    ag_tensor *h = ag_sqrt(ag_parameter(tape, weight));
    ag_params_reset(params);
    ag_backward(ag_sum_all(ag_tanh(ag_neg(h))));
    assert_string_equal(
        ag_error(tape),
        "sqrt: element 4 of the gradient is -inf at step 42 (op 0, \"weight\"); values "
        "must be finite: look at the inputs or lower the learning rate");
    assert_int_equal(params->state, AG_BAD);
}

/* Without the check the run succeeds; with good numbers test_plan_memory.c compares the two. */
static void test_no_check(void **state)
{
    ag_check_finite(tape, 0);
    ag_tensor *y = ag_sum_all(ag_log(ag_input(tape, values, AG_SHAPE(6))));
    ag_forward(y);
    assert_true(ag_item(y) == -INFINITY);
}

/* A NaN is not taken for a number on its way to the loss, so that a step can notice it. */
static void test_nan_stays(void **state)
{
    static const float one_nan[] = {0, NAN, 2, 3};
    static const int32_t ranks[] = {3, 0, 1, 2};
    ag_check_finite(tape, 0);
    ag_tensor *x = ag_input(tape, one_nan, AG_SHAPE(4));
    ag_tensor *rank = ag_input_i32(tape, ranks, AG_SHAPE(4));
    ag_tensor *ones = ag_input(tape, values, AG_SHAPE(4));
    ag_tensor *y[] = {ag_relu(x),
                      ag_leaky_relu(x, 0.1f),
                      ag_elu(x, 1),
                      ag_gelu(x),
                      ag_gelu_tanh(x),
                      ag_tanh(x),
                      ag_sigmoid(x),
                      ag_softplus(x),
                      ag_silu(x),
                      ag_exp(x),
                      ag_log(x),
                      ag_clamp(x, -1, 1),
                      ag_abs(x),
                      ag_pairwise_hinge(x, rank, 1, AG_MEAN),
                      ag_pairwise_logistic(x, rank, AG_MEAN),
                      ag_listmle(x, rank),
                      ag_huber(x, ones, 1),
                      ag_absolute_error(x, ones),
                      ag_softmax(x),
                      ag_max_rows(x)};
    enum { OPS = sizeof y / sizeof *y };
    for (int k = 0; k < OPS; k++) y[k] = ag_keep(ag_sum_all(y[k]));
    ag_forward(y[0]);
    assert_string_equal(ag_error(tape), "");
    for (int k = 0; k < OPS; k++)
        if (!isnan(ag_item(y[k]))) fail_msg("op %d of a NaN is %g", k, (double)ag_item(y[k]));
}

static int set_up(void **state)
{
    ag_set_threads(1);
    params = ag_params_new();
    weight = ag_params_add(params, "weight", AG_SHAPE(2, 3), ag_init_constant(1), 1);
    if (ag_params_build(params, 0) || tape_make(state)) return 1;
    ag_check_finite(tape, 1);
    ag_tape_seed(tape, 1, 42);
    return 0;
}

static int tear_down(void **state)
{
    ag_params_free(params);
    return tape_drop(state);
}

int main(void)
{
    return RUN_TESTS_EACH(set_up, tear_down, test_gradcheck, test_result_that_is_not_finite,
                          test_gradient_that_is_not_finite, test_no_check, test_nan_stays);
}
