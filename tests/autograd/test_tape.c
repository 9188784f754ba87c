/* SPDX-License-Identifier: MIT */
/* The tape: plans, fusion, gradients that add, states of parameters, errors that stick. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "support/test.h"
#include "augur.h"
#include "core/internal.h"
#include "support/device.h"

typedef struct net {
    ag_params *params;
    ag_param *w1, *b1, *w2;
    float x[12 * 7], target[12 * 3];
} net;

static net *make_net(void)
{
    static net n;
    ag_random r = {5, 0, 0};
    n.params = ag_params_new();
    n.w1 = ag_params_add(n.params, "w1", AG_SHAPE(9, 7), ag_init_normal(0, 0.5), 1);
    n.b1 = ag_params_add(n.params, "b1", AG_SHAPE(9), ag_init_normal(0, 0.5), 0);
    n.w2 = ag_params_add(n.params, "w2", AG_SHAPE(3, 9), ag_init_normal(0, 0.5), 1);
    assert_int_equal(ag_params_build(n.params, 1), AG_OK);
    assert_int_equal(ag_params_to(n.params, test_device(), NULL), AG_OK);
    for (size_t i = 0; i < sizeof n.x / sizeof *n.x; i++) n.x[i] = (float)ag_random_normal(&r);
    for (size_t i = 0; i < sizeof n.target / sizeof *n.target; i++)
        n.target[i] = (float)ag_random_normal(&r);
    return &n;
}

static ag_tensor *loss_of(net *n, ag_tape *tape)
{
    ag_tensor *x = ag_input(tape, n->x, AG_SHAPE(12, 7));
    ag_tensor *h = ag_gelu(ag_linear(x, ag_parameter(tape, n->w1), ag_parameter(tape, n->b1)));
    h = ag_mul(ag_sigmoid(h), ag_tanh(h));
    ag_tensor *y = ag_linear(h, ag_parameter(tape, n->w2), NULL);
    return ag_mean_all(ag_square(ag_sub(y, ag_input(tape, n->target, AG_SHAPE(12, 3)))));
}

static void run_once(net *n, ag_tape *tape)
{
    ag_tape_reset(tape);
    ag_backward(loss_of(n, tape));
    assert_string_equal(ag_error(tape), "");
    assert_int_equal(ag_params_fetch(n->params, NULL), AG_OK);
}

static void test_gradients_add_until_the_step(void **state)
{
    net *n = make_net();
    ag_tape *tape = ag_tape_new(test_device());
    float once[63];
    run_once(n, tape);
    memcpy(once, n->w1->gradient, sizeof once);
    assert_int_equal(n->params->state, AG_READY);
    assert_true(fabsf(once[3]) > 1e-6f);
    run_once(n, tape);
    for (int i = 0; i < 63; i++) /* a product that adds may round once less than two sums do */
        assert_true(fabsf(n->w1->gradient[i] - 2 * once[i]) <= 1e-6f);
    n->params->state = AG_EMPTY;
    run_once(n, tape);
    assert_memory_equal(once, n->w1->gradient, sizeof once);
    ag_tape_free(tape);
    ag_params_free(n->params);
}

static void test_fusion_changes_no_bit(void **state)
{
    net *n = make_net();
    float with[63], loss[2];
    int steps[2];
    for (int fused = 1; fused >= 0; fused--) {
        ag_tape *tape = ag_tape_new(test_device());
        setenv("AUGUR_FUSE", fused ? "1" : "0", 1);
        n->params->state = AG_EMPTY;
        ag_tensor *l = loss_of(n, tape);
        steps[fused] = ag_plan_of(l, 1).steps;
        ag_backward(l);
        loss[fused] = ag_item(l);
        assert_int_equal(ag_params_fetch(n->params, NULL), AG_OK);
        if (fused)
            memcpy(with, n->w1->gradient, sizeof with);
        else
            assert_memory_equal(with, n->w1->gradient, sizeof with);
        ag_tape_free(tape);
    }
    unsetenv("AUGUR_FUSE");
    assert_true(loss[0] == loss[1]);
    assert_true(steps[1] < steps[0]);
    ag_params_free(n->params);
}

static void test_known_plan_allocates_nothing(void **state)
{
    net *n = make_net();
    ag_tape *tape = ag_tape_new(test_device());
    const int first =
        test_device() == AG_CPU ? 1 : 3; /* a device notes the launches of the second */
    for (int i = 0; i < first; i++) run_once(n, tape);
    const long before = ag__allocations();
    for (int i = 0; i < 5; i++) run_once(n, tape);
    assert_int_equal(ag__allocations(), before);
    ag_tape_free(tape);
    ag_params_free(n->params);
}

#ifdef NDEBUG
static void test_borrowed_data_is_watched(void **state)
{
    print_message("A release build does not watch borrowed data; the debug preset does.\n");
    skip();
}
#else
static void expect_change(ag_tape *tape, const char *what)
{
    char sentence[300];
    snprintf(sentence, sizeof sentence,
             "%s; borrowed data must stay as it is until ag_forward or ag_backward returns, so "
             "record after a change or give the tape a copy",
             what);
    assert_int_equal(ag_tape_status(tape), AG_EUSE);
    assert_string_equal(ag_error(tape), sentence);
    ag_tape_reset(tape);
}

/* A debug build names the input that changed between record and the end of the run. */
static void test_borrowed_data_is_watched(void **state)
{
    float x[6] = {1, 2, 3, 4, 5, 6};
    int32_t where[2] = {0, 1};
    net *n = make_net();
    ag_tape *tape = ag_tape_new(test_device());
    ag_tensor *table = ag_name(ag_input(tape, x, AG_SHAPE(3, 2)), "table");
    ag_tensor *y = ag_gather(table, ag_input_i32(tape, where, AG_SHAPE(2)));
    x[5] = 7;
    ag_forward(y);
    expect_change(tape, "input 0, \"table\": its data [3,2] changed between recording and the run");
    table = ag_input(tape, x, AG_SHAPE(3, 2));
    y = ag_gather(table, ag_input_i32(tape, where, AG_SHAPE(2)));
    where[1] = 2;
    ag_backward(ag_sum_all(ag_mul(y, y)));
    expect_change(tape, "input 1: its data [2] changed between recording and the run");
    ag_tensor *w = ag_parameter(tape, n->w2);
    ag_tensor *gradient = ag_input(tape, n->w2->gradient, AG_SHAPE(3, 9));
    ag_backward(ag_sum_all(ag_square(ag_sub(w, gradient))));
    assert_int_equal(n->params->state, AG_BAD);
    expect_change(tape, "input 1: its data [3,9] changed during the run");
    ag_params_reset(n->params);
    ag_tensor *loss = loss_of(n, tape);
    n->w1->value[0] += 1; /* parameters are no inputs: an optimizer may come in between */
    ag_backward(loss);
    n->x[0] += 1; /* the run is over */
    assert_true(isfinite(ag_item(loss)));
    assert_string_equal(ag_error(tape), "");
    ag_tape_free(tape);
    ag_params_free(n->params);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_add_until_the_step),
        cmocka_unit_test(test_fusion_changes_no_bit),
        cmocka_unit_test(test_known_plan_allocates_nothing),
        cmocka_unit_test(test_borrowed_data_is_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
