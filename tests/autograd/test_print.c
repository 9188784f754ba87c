/* SPDX-License-Identifier: MIT */
/* ag_print: the text of tensors, and what it says of those without values. */
#include "support/device.h"
#include "support/test.h"
#include "augur.h"

static ag_tape *tape;

static const char *printed(const ag_tensor *x)
{
    FILE *file = tmpfile();
    ag_print(x, file);
    return text_of(file);
}

static ag_real values[2000];
static int32_t whole[2000];

static void inputs_are_printed_at_once(void **state)
{
    assert_string_equal(printed(ag_input(tape, values, AG_SHAPE(2, 3))),
                        "input [2,3] float32\n[[-0.2500  0.0000  0.2500]\n [ 0.5000  0.7500  "
                        "1.0000]]\n");
    assert_string_equal(printed(ag_input(tape, values + 1, AG_SCALAR)), "input [] float32\n0.\n");
    assert_string_equal(printed(ag_input(tape, values, AG_SHAPE(0, 3))),
                        "input [0,3] float32\n[]\n");
    assert_string_equal(printed(ag_name(ag_input_i32(tape, whole, AG_SHAPE(4)), "index")),
                        "index [4] int32\n[-3  2  7 12]\n");
    assert_string_equal(printed(ag_input_i32(tape, whole, AG_SHAPE(2, 2, 1))),
                        "input [2,2,1] int32\n[[[-3]\n  [ 2]]\n\n [[ 7]\n  [12]]]\n");
    assert_false(ag_failed(tape));
}

static void long_axes_are_cut(void **state)
{
    assert_string_equal(printed(ag_input_i32(tape, whole, AG_SHAPE(10))),
                        "input [10] int32\n[-3  2  7 12 17 22 27 32 37 42]\n");
    assert_string_equal(printed(ag_input_i32(tape, whole, AG_SHAPE(11))),
                        "input [11] int32\n[-3  2  7 ... 37 42 47]\n");
    assert_string_equal(printed(ag_input_i32(tape, whole, AG_SHAPE(12, 2))),
                        "input [12,2] int32\n[[ -3   2]\n [  7  12]\n [ 17  22]\n ...\n [ 87  92]\n"
                        " [ 97 102]\n [107 112]]\n");
    int lines = 0;
    for (const char *c = printed(ag_input_i32(tape, whole, AG_SHAPE(10, 20, 10))); *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 6 * 7 + 5 * 1 + 2); /* rows and dots, blank lines, a gap */
}

static void numbers_have_one_format(void **state)
{
    const ag_real few[] = {1, -2, 30}, small[] = {(ag_real)1e-6, 1}, large[] = {(ag_real)3e9, 1};
    const ag_real odd[] = {NAN, INFINITY, (ag_real)0.5};
    assert_string_equal(printed(ag_input(tape, few, AG_SHAPE(3))),
                        "input [3] float32\n[ 1. -2. 30.]\n");
    assert_string_equal(printed(ag_input(tape, small, AG_SHAPE(2))),
                        "input [2] float32\n[1.0000e-06 1.0000e+00]\n");
    assert_string_equal(printed(ag_input(tape, large, AG_SHAPE(2))),
                        "input [2] float32\n[3.0000e+09 1.0000e+00]\n");
    assert_string_equal(printed(ag_input(tape, odd, AG_SHAPE(3))),
                        "input [3] float32\n[   nan    inf 0.5000]\n");
    ag_tape_reset(tape); /* the arrays end here */
}

static void results_have_values_after_the_run(void **state)
{
    ag_tensor *x = ag_input(tape, values, AG_SHAPE(3)), *lost = ag_square(x);
    ag_tensor *kept = ag_keep(ag_add(lost, x)), *sum = ag_name(ag_sum_all(kept), "sum");
    assert_string_equal(printed(kept), "add [3] float32: not computed yet; run ag_forward or "
                                       "ag_backward on it first\n");
    ag_forward(sum);
    assert_string_equal(printed(kept), "add [3] float32\n[-0.1875  0.0000  0.3125]\n");
    assert_string_equal(printed(sum), "sum [] float32\n0.1250\n");
    assert_string_equal(printed(ag_keep(lost)), "square [3] float32: the run did not keep it; call "
                                                "ag_keep on it before the run\n");
    assert_false(ag_failed(tape));
    ag_tape_reset(tape);
    assert_string_equal(printed(kept),
                        "no tensor: it is of an earlier step, which ag_tape_reset ended\n");
    assert_false(ag_failed(tape));
}

static void parameters_are_printed(void **state)
{
    ag_params *params = ag_params_new();
    ag_params_add(params, "w", AG_SHAPE(2), ag_init_constant(1.5), 1);
    ag_params_build(params, 1);
    assert_int_equal(ag_params_to(params, test_device(), NULL), AG_OK);
    ag_tensor *w = ag_parameter(tape, params->list[0]);
    assert_string_equal(printed(w), "w [2] float32\n[1.5000 1.5000]\n");
    ag_backward(ag_sum_all(w));
    assert_string_equal(printed(w), "w [2] float32\n[1.5000 1.5000]\n");
    ag_tape_reset(tape);
    /* a device has it, and the host a copy */
    const char *text = printed(ag_parameter(tape, params->list[0]));
    if (test_device() == AG_CUDA)
        assert_non_null(strstr(text, ": it is on the CUDA device; call ag_params_fetch first"));
    assert_false(ag_failed(tape));
    ag_tape_reset(tape);
    ag_params_free(params);
}

static void what_is_no_tensor_is_said(void **state)
{
    assert_string_equal(printed(NULL), "no tensor: it is NULL\n");
    assert_string_equal(printed(ag_input(NULL, values, AG_SHAPE(2))),
                        "no tensor: it was recorded on a tape that is NULL\n");
    ag_tensor *good = ag_input(tape, values + 1, AG_SHAPE(1)), *result = ag_exp(good);
    ag_tensor *bad = ag_add(good, ag_input(tape, values, AG_SHAPE(2)));
    assert_non_null(
        strstr(printed(bad), "no tensor: the call that should have made it failed: add: "));
    assert_non_null(strstr(printed(result), "exp [1] float32: the tape failed: add: "));
    assert_string_equal(printed(good), "input [1] float32\n[0.]\n");
    ag_tape_reset(tape);
    assert_string_equal(printed(bad), "no tensor: the call that should have made it failed\n");
    ag_tensor *strange = ag_name(ag_input(tape, values + 1, AG_SHAPE(1)), "a\x1b[2J");
    assert_string_equal(printed(strange), "a\\x1b[2J [1] float32\n[0.]\n");
}

int main(void)
{
    tape = ag_tape_new(test_device());
    for (int i = 0; i < 2000; i++) values[i] = (ag_real)(i - 1) / 4, whole[i] = 5 * i - 3;
    const int failed = RUN_TESTS(inputs_are_printed_at_once, long_axes_are_cut,
                                 numbers_have_one_format, results_have_values_after_the_run,
                                 parameters_are_printed, what_is_no_tensor_is_said);
    ag_tape_free(tape);
    return failed;
}
