/* SPDX-License-Identifier: MIT */
/* Products on a device: in which precision a tape has them, and linear with its bias. */
#include "support/device_tape.h"

enum { ROWS = 40, IN = 48, OUT = 24, SIDES = 3 };
enum { OF_Y, OF_X, OF_W };
static const int counts[SIDES] = {ROWS * OUT, ROWS *IN, OUT *IN};

/* A linear layer, and its gradients for the loss sum(y c). */
typedef struct layer {
    float got[SIDES][ROWS * IN];
} layer;

static const float *x_of(void) { return data; }
static const float *w_of(void) { return data + 501; }
static const float *c_of(void) { return data + 911; }

static void run_layer(layer *l, ag_tape *tape)
{
    ag_params *params = ag_params_new();
    ag_param *x = ag_params_add(params, "x", AG_SHAPE(ROWS, IN), ag_init_constant(0), 1),
             *w = ag_params_add(params, "w", AG_SHAPE(OUT, IN), ag_init_constant(0), 1);
    assert_int_equal(ag_params_build(params, 0), AG_OK);
    memcpy(x->value, x_of(), ROWS * IN * sizeof(float));
    memcpy(w->value, w_of(), OUT * IN * sizeof(float));
    assert_int_equal(ag_params_to(params, AG_CUDA, NULL), AG_OK);
    ag_tape_reset(tape);
    ag_tensor *y = ag_keep(ag_linear(ag_parameter(tape, x), ag_parameter(tape, w), NULL));
    ag_backward(ag_sum_all(ag_mul(y, ag_input(tape, c_of(), AG_SHAPE(ROWS, OUT)))));
    assert_string_equal(ag_error(tape), "");
    memcpy(l->got[OF_Y], ag_values(y), ROWS * OUT * sizeof(float));
    assert_int_equal(ag_params_fetch(params, NULL), AG_OK);
    memcpy(l->got[OF_X], x->gradient, ROWS * IN * sizeof(float));
    memcpy(l->got[OF_W], w->gradient, OUT * IN * sizeof(float));
    ag_params_free(params);
}

/* In double: y = x w', dx = c w, dw = c' x. */
static double want(int side, int i)
{
    double sum = 0;
    if (side == OF_Y)
        for (int k = 0; k < IN; k++)
            sum += (double)x_of()[i / OUT * IN + k] * w_of()[i % OUT * IN + k];
    if (side == OF_X)
        for (int k = 0; k < OUT; k++)
            sum += (double)c_of()[i / IN * OUT + k] * w_of()[k * IN + i % IN];
    if (side == OF_W)
        for (int k = 0; k < ROWS; k++)
            sum += (double)c_of()[k * OUT + i / IN] * x_of()[k * IN + i % IN];
    return sum;
}

/* The largest error, relative to the largest value. */
static double error_of(const layer *l, int side)
{
    double error = 0, largest = 0;
    for (int i = 0; i < counts[side]; i++) {
        error = fmax(error, fabs(l->got[side][i] - want(side, i)));
        largest = fmax(largest, fabs(want(side, i)));
    }
    return error / largest;
}

static int same(const layer *a, const layer *b)
{
    for (int side = 0; side < SIDES; side++)
        if (memcmp(a->got[side], b->got[side], (size_t)counts[side] * sizeof(float))) return 0;
    return 1;
}

/* Values with more than 11 bits, so that rounding them shows. */
static int fill_long(void **state)
{
    fill_data(state);
    for (int i = 0; i < 4000; i++) data[i] += (float)(i * 53 % 97) / 65536;
    return 0;
}

static void tf32_is_asked_for(void **state)
{
    static layer plain, coarse, again;
    ag_tape *tape = ag_tape_new(AG_CUDA);
    run_layer(&plain, tape);
    ag_tape_precision(tape, AG_TF32);
    run_layer(&coarse, tape);
    run_layer(&again, tape); /* a reset keeps it */
    for (int side = 0; side < SIDES; side++) {
        assert_true(error_of(&plain, side) < 2e-6);
        assert_true(error_of(&coarse, side) > 2e-6 && error_of(&coarse, side) < 1e-3);
    }
    assert_true(same(&coarse, &again));
    ag_tape_precision(tape, AG_FP32);
    run_layer(&again, tape);
    assert_true(same(&plain, &again));
    ag_tape_free(tape);
}

static void each_tape_has_its_own(void **state)
{
    static layer plain, coarse, again;
    ag_tape *one = ag_tape_new(AG_CUDA), *other = ag_tape_new(AG_CUDA);
    ag_tape_precision(other, AG_TF32);
    run_layer(&plain, one);
    run_layer(&coarse, other);
    assert_false(same(&plain, &coarse));
    run_layer(&again, one);
    assert_true(same(&plain, &again));
    run_layer(&again, other);
    assert_true(same(&coarse, &again));
    ag_tape_free(one);
    ag_tape_free(other);
}

/* Data that are kept with a plan, such as a recorded run, are of one precision. */
static void plans_are_of_one_precision(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CUDA);
    for (int run = 0; run < 4; run++) {
        ag_tape_reset(tape);
        ag_tape_precision(tape, run % 2 ? AG_TF32 : AG_FP32);
        assert_int_equal(ag_plan_of(ag_tanh(input(tape)), 0).plans_made, run < 2 ? run + 1 : 2);
    }
    ag_tape_free(tape);
}

/* ---- linear with its bias ---- */

/* y [rows,out] = x [rows,in] w' + b. */
static void run_linear(float *y, ag_tape *tape, int rows, int in, int out)
{
    ag_tape_reset(tape);
    ag_tensor *t =
        ag_linear(ag_input(tape, x_of(), AG_SHAPE(rows, in)),
                  ag_input(tape, w_of(), AG_SHAPE(out, in)), ag_input(tape, c_of(), AG_SHAPE(out)));
    ag_forward(t);
    const float *values = ag_values(t);
    assert_string_equal(ag_error(tape), "");
    memcpy(y, values, (size_t)(rows * out) * sizeof *y);
}

static double linear_error(const float *y, int rows, int in, int out)
{
    double error = 0, largest = 1e-30;
    for (int i = 0; i < rows * out; i++) {
        double sum = (double)c_of()[i % out];
        for (int k = 0; k < in; k++)
            sum += (double)x_of()[i / out * in + k] * w_of()[i % out * in + k];
        error = fmax(error, fabs(y[i] - sum));
        largest = fmax(largest, fabs(sum));
    }
    return error / largest;
}

/* More shapes than are kept, each twice, and all of them again later. */
static void a_bias_comes_with_the_product(void **state)
{
    static float y[70][40 * 30], again[40 * 30];
    ag_tape *tape = ag_tape_new(AG_CUDA);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 70; i++) {
            const int rows = 1 + i % 40, in = i / 4, out = 1 + i % 30;
            run_linear(pass ? again : y[i], tape, rows, in, out);
            assert_true(linear_error(y[i], rows, in, out) < 2e-6);
            run_linear(again, tape, rows, in, out);
            assert_memory_equal(again, y[i], (size_t)(rows * out) * sizeof *again);
        }
    run_linear(y[0], tape, 40, 20, 30);
    ag_tape_precision(tape, AG_TF32);
    run_linear(again, tape, 40, 20, 30);
    assert_memory_not_equal(again, y[0], sizeof again);
    assert_true(linear_error(again, 40, 20, 30) < 1e-3);
    ag_tape_free(tape);
}

/* If cuBLASLt has no algorithm, the op is a product and then a bias. */
static void a_bias_comes_after_the_product(void **state)
{
    static float y[30 * 20];
    ag_tape *tape = ag_tape_new(AG_CUDA);
    if (!cuda_on_host_fail) skip();
    cuda_on_host_fail("cublasLtMatmulAlgoGetHeuristic", 15, 1);
    for (int run = 0; run < 2; run++) {
        run_linear(y, tape, 30, 17, 20);
        assert_true(linear_error(y, 30, 17, 20) < 2e-6);
    }
    cuda_on_host_fail(NULL, 0, 0);
    ag_tape_free(tape);
}

static void others_are_refused(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CUDA);
    ag_tape_precision(tape, (ag_precision)2);
    assert_int_equal(ag_tape_status(tape), AG_EUSE);
    assert_string_equal(ag_error(tape),
                        "ag_tape_precision: 2 is no precision; it must be AG_FP32 or AG_TF32");
    ag_tape_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tf32_is_asked_for),
        cmocka_unit_test(each_tape_has_its_own),
        cmocka_unit_test(plans_are_of_one_precision),
        cmocka_unit_test(a_bias_comes_with_the_product),
        cmocka_unit_test(a_bias_comes_after_the_product),
        cmocka_unit_test(others_are_refused),
    };
    if (test_device() == AG_CPU) return run_there(tests);
    return cmocka_run_group_tests(tests, fill_long, NULL);
}
