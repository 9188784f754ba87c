/* SPDX-License-Identifier: MIT */
/* The sentences of a tape that is used wrongly, exactly; and that the first failure stays and is
   forgotten at reset. docs/errors.md explains them; the sentences that stand there are not repeated
   here (test_mistakes.c). */
#include "support/test.h"
#include "augur.h"
#include "autograd/op.h"
#include "ops/table.h"
#include "support/tape.h"

static float reals[64 * 128];
static int32_t whole[64];
static ag_params *params;
static ag_param *weight; /* [3,4] */

static ag_tensor *real(ag_tape *tape, ag_shape shape) { return ag_input(tape, reals, shape); }
#define R(...) real(tape, AG_SHAPE(__VA_ARGS__))

/* The tape has failed with this sentence; it is reset. */
static void expect(ag_tape *tape, ag_status status, const char *sentence)
{
    assert_string_equal(ag_error(tape), sentence);
    assert_int_equal(ag_tape_status(tape), status);
    ag_tape_reset(tape);
    assert_false(ag_failed(tape));
}

static void test_shapes(void **state)
{
    ag_tensor *a = R(64, 128);
    for (int i = 0; i < 17; i++) ag_neg(a);
    ag_matmul(a, ag_name(R(127, 32), "sage.1.l"));
    expect(tape, AG_ESHAPE,
           "matmul: a is [64,128], b \"sage.1.l\" is [127,32]: inner sizes 128 and 127 differ, but "
           "must be equal; look at the order, or transpose with ag_matmul_t (op 17)");
    ag_matmul(R(4), R(4, 2));
    expect(tape, AG_ESHAPE, "matmul: a is [4], b is [4,2]: both must have two axes (op 0)");
    ag_linear(R(3, 4), R(4), NULL);
    expect(tape, AG_ESHAPE, "linear: x is [3,4], w is [4]: x needs an axis and w two (op 0)");
    ag_mul(ag_parameter(tape, weight), ag_name(R(4, 3), "input"));
    expect(tape, AG_ESHAPE,
           "mul: x \"block.0.weight\" is [3,4], z \"input\" is [4,3]: the shapes differ, and "
           "nothing is broadcast; fit one with ag_reshape or, from [n,1] to [n], ag_squeeze, or a "
           "row with ag_add_bias or ag_mul_columns (op 0, \"input\")");
    ag_add_bias(R(3, 4), R(3));
    expect(tape, AG_ESHAPE,
           "add_bias: x is [3,4], b is [3]: b needs one element per column of x (op 0)");
    /* all inputs have names, and one is to blame */
    ag_tensor *gamma = ag_name(R(3), "gamma of norm 2");
    ag_layer_norm(ag_parameter(tape, weight), gamma, ag_name(R(4), "beta"), 0);
    expect(tape, AG_ESHAPE,
           "layer_norm: x \"block.0.weight\" is [3,4], gamma \"gamma of norm 2\" is [3], beta "
           "\"beta\" is [4]: gamma and beta need one element per column of x (op 0, \"gamma of "
           "norm 2\")");
    ag_tensor *x[] = {ag_parameter(tape, weight), ag_name(R(2, 3), "second"),
                      ag_name(R(3, 4), "third")};
    ag_concat(x, 3, 0);
    expect(tape, AG_ESHAPE,
           "concat: x \"block.0.weight\" is [3,4], x \"second\" is [2,3], x \"third\" is [3,4]: "
           "all sizes but that of axis 0 must be equal; choose another axis, or cut with ag_slice "
           "(op 0, \"second\")");
    ag_tensor *w = ag_name(R(8, 4), "lstm.input");
    ag_lstm(ag_parameter(tape, weight), ag_input_i32(tape, whole, AG_SHAPE(2)), w,
            ag_name(R(8, 3), "lstm.state"), NULL);
    expect(tape, AG_ESHAPE,
           "lstm: x \"block.0.weight\" is [3,4], starts is [2], w_input \"lstm.input\" is [8,4], "
           "w_state \"lstm.state\" is [8,3]: x has 4 features and w_state 3 columns, so w_input "
           "must be [12,4] and w_state [12,3] (op 0, \"lstm.state\")");
    ag_reshape(R(3, 4), AG_SHAPE(5, 2));
    expect(tape, AG_ESHAPE, "reshape: x is [3,4]: [5,2] has 10 elements, not 12 (op 0)");
    ag_squeeze(R(2, 2));
    expect(tape, AG_ESHAPE,
           "ag_squeeze: x is [2,2], but the last axis must have the size 1; choose columns with "
           "ag_slice, or shapes with ag_reshape");
    ag_squeeze(real(tape, AG_SCALAR));
    expect(tape, AG_ESHAPE,
           "ag_squeeze: x is [], but the last axis must have the size 1; choose columns with "
           "ag_slice, or shapes with ag_reshape");
    ag_dropout(R(3), 1);
    expect(tape, AG_ESHAPE, "dropout: x is [3]: p is 1, but must be at least 0 and below 1 (op 0)");
    ag_dropout(R(3), NAN);
    expect(tape, AG_ESHAPE,
           "dropout: x is [3]: p is nan, but must be at least 0 and below 1 (op 0)");
    ag_tensor *a2 = R(1 << 21, 0);
    ag_matmul(a2, R(0, 1 << 21));
    expect(tape, AG_ESHAPE,
           "matmul: a is [2097152,0], b is [0,2097152]: the result has more than 2^40 elements (op "
           "0)");
    R(3, -1);
    expect(tape, AG_ESHAPE,
           "input 0: cannot have the shape [3,-1] (rank 2); the rank is 0 to 4, sizes are 0 or "
           "more and their product is at most 2^40");
    ag_shape shape = AG_SHAPE(2, 2, 2, 2);
    shape.rank = 5;
    real(tape, shape);
    expect(tape, AG_ESHAPE,
           "input 0: cannot have the shape [2,2,2,2] (rank 5); the rank is 0 to 4, sizes are 0 or "
           "more and their product is at most 2^40");
    ag_instance_norm(R(3, 2), ag_input_i32(tape, whole, AG_SHAPE(2)), NAN);
    expect(
        tape, AG_ESHAPE,
        "instance_norm: x is [3,2], starts is [2]: epsilon is nan, but must be 0 or more (op 0)");
    ag_input_i32(tape, NULL, AG_SHAPE(3, 2));
    expect(tape, AG_EUSE,
           "input 0: the data of [3,2] is NULL; give it an array, or look at why there is none");
}

static void test_use(void **state)
{
    static const int32_t two[] = {-1, 2, 0}, minus_2[] = {-2, 9, 9};
    static const float signs[] = {1, -1};
    ag_exp(ag_input_i32(tape, whole, AG_SHAPE(2)));
    expect(tape, AG_EUSE,
           "exp: x holds int32 indices, but this op wants real numbers there (op 0); make it with "
           "ag_input");
    ag_add(R(2), ag_exp(NULL));
    expect(tape, AG_EUSE,
           "add: z (input 1) is what an op without a tape returned; give it a tensor (op 0)");
    ag_tensor *x[9];
    for (int i = 0; i < 9; i++) x[i] = R(2);
    ag__record(ag__op_named("add"), x, 9, NULL);
    expect(tape, AG_EUSE, "add: 9 inputs; at most 8 are possible (op 0)");
    ag_mul(NULL, R(2));
    expect(tape, AG_EUSE, "mul: x (input 0) is NULL; give it a tensor (op 0)");
    R(2);
    ag_parameter(tape, NULL);
    expect(tape, AG_EUSE,
           "A parameter is NULL; give what ag_params_add, or a call that makes a layer, returned");
    ag_backward(ag_input_i32(tape, whole, AG_SHAPE(1)));
    expect(tape, AG_EUSE,
           "ag_backward: the loss holds int32 indices, which have no gradient; give it a real "
           "tensor of one element");
    ag_tensor *y = ag_exp(R(2));
    ag_forward(y);
    ag_item(y);
    expect(tape, AG_ESHAPE,
           "ag_item: the tensor is [2], but one element is wanted; read it with ag_values");
    ag_tensor *y2 = ag_sum_all(R(2));
    ag_backward(y2);
    ag_backward(y2);
    expect(tape, AG_EUSE, "The tape ran already; call ag_tape_reset and record the next step");
    ag_tensor *h = ag_name(ag_exp(R(2)), "hidden");
    ag_forward(ag_neg(h));
    ag_item(h);
    expect(tape, AG_EUSE,
           "ag_item: the tensor \"hidden\" was not kept by the run; run ag_forward or ag_backward "
           "on it, or ag_keep it before the run");
    ag_tensor *y3 = ag_exp(R(2));
    ag_forward(y3);
    ag_values_i32(y3);
    expect(tape, AG_EUSE, "ag_values_i32: the tensor holds real numbers; read it with ag_values");
    ag_scatter_sum(R(3), ag_input_i32(tape, two, AG_SHAPE(3)), 2);
    expect(tape, AG_EINDEX,
           "scatter_sum: index[1] is 2, but must be -1 (no row) to 1, since the result has 2 rows "
           "(op 0); correct it, or give the result more rows");
    ag_gather(R(3), ag_input_i32(tape, minus_2, AG_SHAPE(3)));
    expect(tape, AG_EINDEX,
           "gather: index[0] is -2, but must be -1 (no row) to 2, since x has 3 rows (op 0); "
           "correct it, or give x more rows");
    ag_lambda_rank(R(3), R(3), ag_input_i32(tape, two, AG_SHAPE(3)), AG_MEAN);
    expect(tape, AG_EINDEX,
           "lambda_rank: starts[0] is -1, but must be 0 to 3, since starts ascend to at most the "
           "number of rows (op 0); put the rows of a group one after the other, and add up how "
           "many each group has");
    ag_binary_cross_entropy(R(2), ag_input(tape, signs, AG_SHAPE(2)), NULL);
    expect(tape, AG_EINDEX,
           "binary_cross_entropy: target 1 is -1, but must be 0 to 1, the probability of the "
           "class; write 1 for yes and 0 for no");
    ag_tape_fail(tape, AG_EDATA, "The graph %s has no nodes", "a.npz");
    ag_tape_fail(tape, AG_EUSE, "Another failure");
    ag_add(R(3, 4), R(4, 3));
    ag_backward(R(3));
    expect(tape, AG_EDATA, "The graph a.npz has no nodes");
}

/* ---- effects of a failure ---- */

/* Whatever function is called with the poison, the first sentence stays and nothing crashes. */
static void test_poison_spreads(void **state)
{
    char first[480];
    ag_add(R(3, 4), R(4, 3));
    strcpy(first, ag_error(tape));
    ag_tensor *bad = ag_exp(real(tape, AG_SHAPE(2)));
    assert_ptr_equal(ag_tape_of(bad), tape);
    assert_ptr_equal(ag_parameter(tape, weight), bad);
    assert_ptr_equal(ag_input_i32(tape, whole, AG_SHAPE(2)), bad);
    assert_ptr_equal(ag_matmul(bad, bad), bad);
    assert_ptr_equal(ag_keep(ag_name(ag_reshape(bad, AG_SHAPE(7)), "x")), bad);
    assert_ptr_equal(ag__output(bad, 1), bad);
    assert_int_equal(ag_shape_of(bad).rank, 0);
    ag_forward(bad);
    ag_backward(bad);
    assert_null(ag_values(bad));
    assert_null(ag_values_i32(bad));
    assert_true(isnan(ag_item(bad)));
    assert_int_equal(ag_plan_of(bad, 1).steps, 0);
    assert_string_equal(ag_error(tape), first);
    ag_tape_reset(tape);
    assert_string_equal(ag_error(tape), "");
    assert_int_equal(ag_tape_status(tape), AG_OK);
    ag_tensor *y = ag_sum_all(real(tape, AG_SHAPE(2)));
    ag_forward(y);
    assert_true(ag_item(y) == 0);
}

static void test_no_tape(void **state)
{
    ag_tensor *x = ag_mul(real(NULL, AG_SHAPE(2)), ag_parameter(NULL, weight));
    assert_non_null(x);
    assert_null(ag_tape_of(x));
    ag_backward(ag_sum_all(ag_dropout(ag_name(ag_keep(x), "x"), 0.5f)));
    ag_forward(x);
    assert_null(ag_values(x));
    assert_true(isnan(ag_item(x)));
    assert_int_equal(ag_tape_status(NULL), AG_EMEMORY);
    assert_string_equal(ag_error(NULL), "There was no memory for a tape");
    ag_plan_print(x, 1, stderr);
}

/* On a machine with a device there is nothing to see. */
static void test_no_device(void **state)
{
    ag_tape *there = ag_tape_new(AG_CUDA);
    for (int i = 0; i < 2 && ag_failed(there); i++) {
        ag_backward(ag_sum_all(real(there, AG_SHAPE(2))));
        assert_int_equal(ag_tape_status(there), AG_EDEVICE);
        assert_non_null(strstr(ag_error(there), "or choose the CPU as the device"));
        ag_tape_reset(there); /* another machine does not appear */
    }
    ag_tape_free(there);
}

/* The CPU refuses a precision that only a GPU has. */
static void test_precision(void **state)
{
    ag_tape_precision(tape, AG_FP32);
    assert_int_equal(ag_tape_status(tape), AG_OK);
    ag_tape_precision(tape, AG_TF32);
    assert_int_equal(ag_tape_status(tape), AG_EUSE);
    assert_non_null(strstr(ag_error(tape), "ag_tape_precision: only a CUDA device has products in "
                                           "tf32, but this tape is on the CPU; leave AG_FP32"));
    ag_tape_reset(tape);
    ag_forward(ag_sum_all(real(tape, AG_SHAPE(2))));
    assert_int_equal(ag_tape_status(tape), AG_OK);
}

/* Gradients of a failed tape never reach the weights. */
static void test_failure_spoils_gradients(void **state)
{
    const ag_adamw options = ag_adamw_default();
    float before[12];
    ag_params_reset(params);
    memcpy(before, weight->value, sizeof before);
    ag_tensor *w = ag_parameter(tape, weight);
    ag_backward(ag_sum_all(ag_add(w, real(tape, AG_SHAPE(7)))));
    assert_int_equal(params->state, AG_BAD);
    expect_status(ag_adamw_step(params, &options, 0.1, new_failure()), AG_EUSE,
                  "ag_adamw_step: a failed run left the gradients bad ");
    assert_memory_equal(before, weight->value, sizeof before);
    ag_tape_reset(tape);
    ag_backward(
        ag_sum_all(ag_parameter(tape, weight))); /* good, but BAD stays until it is forgotten */
    assert_int_equal(params->state, AG_BAD);
    ag_params_reset(params);
    ag_tape_reset(tape);
    ag_backward(ag_sum_all(ag_parameter(tape, weight)));
    assert_int_equal(params->state, AG_READY);
    expect_ok(ag_adamw_step(params, &options, 0.1, new_failure()));
    assert_true(weight->value[0] < before[0]);
}

static int set_up(void **state)
{
    params = ag_params_new();
    weight = ag_params_add(params, "block.0.weight", AG_SHAPE(3, 4), ag_init_constant(1), 1);
    return ag_params_build(params, 0) || tape_make(state);
}

static int tear_down(void **state)
{
    ag_params_free(params);
    return tape_drop(state);
}

int main(void)
{
    return RUN_TESTS_EACH(set_up, tear_down, test_shapes, test_use, test_poison_spreads,
                          test_no_tape, test_no_device, test_precision,
                          test_failure_spoils_gradients);
}
