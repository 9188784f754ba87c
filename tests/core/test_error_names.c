/* SPDX-License-Identifier: MIT */
/* An error of shapes gives the names of all inputs, and ends with the name of the wrong one. */
#include "support/test.h"
#include "augur.h"

static const float reals[64];
static const int32_t starts[] = {0, 3};
static ag_param *weight; /* [3,4] */

static ag_tensor *real(ag_tape *tape, ag_shape shape) { return ag_input(tape, reals, shape); }

/* Several inputs have names, and one is to blame. */
static void named_bias(ag_tape *tape)
{
    ag_tensor *x = ag_name(real(tape, AG_SHAPE(3, 4)), "x"), *b = real(tape, AG_SHAPE(5));
    ag_linear(x, ag_parameter(tape, weight), ag_name(b, "head.bias"));
}
static void named_gamma(ag_tape *tape)
{
    ag_tensor *gamma = ag_name(real(tape, AG_SHAPE(3)), "gamma of norm 2");
    ag_layer_norm(ag_parameter(tape, weight), gamma, ag_name(real(tape, AG_SHAPE(4)), "beta"), 0);
}
static void nameless_bias(ag_tape *tape)
{
    ag_linear(real(tape, AG_SHAPE(3, 4)), ag_parameter(tape, weight), real(tape, AG_SHAPE(5)));
}
static void named_part(ag_tape *tape)
{
    ag_tensor *x[] = {ag_parameter(tape, weight), ag_name(real(tape, AG_SHAPE(2, 3)), "second"),
                      ag_name(real(tape, AG_SHAPE(3, 4)), "third")};
    ag_concat(x, 3, 0);
}
static void named_features(ag_tape *tape)
{
    ag_linear(ag_name(real(tape, AG_SHAPE(2, 5)), "hidden"), ag_parameter(tape, weight), NULL);
}
static void named_temperature(ag_tape *tape)
{
    ag_cross_attention(ag_name(real(tape, AG_SHAPE(2, 2, 2)), "x"),
                       ag_name(real(tape, AG_SHAPE(2)), "temperature"));
}
static void named_state(ag_tape *tape)
{
    ag_tensor *w = ag_name(real(tape, AG_SHAPE(8, 4)), "lstm.input");
    ag_lstm(ag_parameter(tape, weight), ag_input_i32(tape, starts, AG_SHAPE(2)), w,
            ag_name(real(tape, AG_SHAPE(8, 3)), "lstm.state"), NULL);
}
static void named_features_of_two(ag_tape *tape)
{
    ag_spmm_weighted(ag_parameter(tape, weight), ag_name(real(tape, AG_SHAPE(5)), "attention"),
                     (ag_edges){ag_input_i32(tape, (const int32_t[6]){0}, AG_SHAPE(3, 2)),
                                ag_input_i32(tape, starts, AG_SHAPE(0)),
                                ag_input_i32(tape, (const int32_t[6]){0}, AG_SHAPE(3, 2)),
                                ag_input_i32(tape, starts, AG_SHAPE(0, 2)),
                                ag_input_i32(tape, starts, AG_SHAPE(2))});
}

static const struct {
    void (*make)(ag_tape *tape);
    const char *sentence;
} mistakes[] = {
    {named_bias,
     "linear: x \"x\" is [3,4], w \"block.0.weight\" is [3,4], b \"head.bias\" is [5]: b needs one "
     "element per row of w (op 0, \"head.bias\")"},
    {named_gamma,
     "layer_norm: x \"block.0.weight\" is [3,4], gamma \"gamma of norm 2\" is [3], beta \"beta\" "
     "is [4]: gamma and beta need one element per column of x (op 0, \"gamma of norm 2\")"},
    {nameless_bias,
     "linear: x is [3,4], w \"block.0.weight\" is [3,4], b is [5]: b needs one element per row of "
     "w (op 0)"},
    {named_part,
     "concat: x \"block.0.weight\" is [3,4], x \"second\" is [2,3], x \"third\" is [3,4]: all "
     "sizes but that of axis 0 must be equal; choose another axis, or cut with ag_slice (op 0, "
     "\"second\")"},
    {named_features,
     "linear: x \"hidden\" is [2,5], w \"block.0.weight\" is [3,4]: x has 5 features, but w takes "
     "4; make w [3,5], or look at what x is (op 0)"},
    {named_temperature,
     "cross_attention: x \"x\" is [2,2,2], t \"temperature\" is [2]: t must have one "
     "element (op 0, \"temperature\")"},
    {named_state,
     "lstm: x \"block.0.weight\" is [3,4], starts is [2], w_input \"lstm.input\" is [8,4], "
     "w_state \"lstm.state\" is [8,3]: x has 4 features and w_state 3 columns, so w_input must be "
     "[12,4] and w_state [12,3] (op 0, \"lstm.state\")"},
    {named_features_of_two,
     "spmm_weighted: x \"block.0.weight\" is [3,4], w \"attention\" is [5], rows is [3,2], sources "
     "is [0], rows_t is [3,2], targets is [0,2]: w needs one row for each of the 0 messages (op 0, "
     "\"attention\")"},
};

static void test_names(void **state)
{
    ag_params *params = ag_params_new();
    ag_tape *tape = ag_tape_new(AG_CPU);
    int wrong = 0;
    weight = ag_params_add(params, "block.0.weight", AG_SHAPE(3, 4), ag_init_constant(1), 1);
    assert_int_equal(ag_params_build(params, 0), AG_OK);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        ag_tape_reset(tape);
        mistakes[i].make(tape);
        assert_int_equal(ag_tape_status(tape), AG_ESHAPE);
        if (strcmp(ag_error(tape), mistakes[i].sentence) == 0) continue;
        print_error("%s\n  expected: %s\n", ag_error(tape), mistakes[i].sentence);
        wrong++;
    }
    assert_int_equal(wrong, 0);
    ag_tape_free(tape);
    ag_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
