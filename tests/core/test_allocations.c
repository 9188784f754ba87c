/* SPDX-License-Identifier: MIT */
/* Lack of memory: for every n the nth allocation of a small training step fails, once or from then
   on. Always a sentence, never a crash or a leak, and the step after it works. */
#include "support/test.h"
#include "augur.h"
#include "core/internal.h"

enum { ROWS = 40, IN = 20, OUT = 30 };

typedef struct model {
    ag_params *params;
    ag_param *w, *b;
    float *x;
} model;

/* 1: the parameters could not be built. */
static int build(model *m)
{
    memset(m, 0, sizeof *m);
    m->params = ag_params_new();
    m->w = ag_params_add(m->params, "w", AG_SHAPE(OUT, IN), ag_init_normal(0, 0.1), 1);
    m->b = ag_params_add(m->params, "b", AG_SHAPE(OUT), ag_init_normal(0, 0.1), 0);
    m->x = calloc(ROWS * IN, sizeof *m->x);
    ag_random r = {3, 1, 0};
    for (int i = 0; i < ROWS * IN; i++) m->x[i] = (float)ag_random_normal(&r);
    return !m->params || ag_params_build(m->params, 1) != AG_OK;
}

static void drop(model *m)
{
    free(m->x);
    ag_params_free(m->params);
}

/* Many small ops, so that every array of the tape and of the plan grows more than once. */
static ag_tensor *loss_of(const model *m, ag_tape *tape)
{
    ag_tensor *x = ag_input(tape, m->x, AG_SHAPE(ROWS, IN));
    ag_tensor *h = ag_linear(x, ag_parameter(tape, m->w), ag_parameter(tape, m->b));
    for (int i = 0; i < 40; i++) h = ag_add(ag_tanh(h), ag_reshape(h, AG_SHAPE(ROWS, OUT)));
    return ag_mean_all(ag_square(ag_dropout(h, 0.1f)));
}

static float step(const model *m, ag_tape *tape)
{
    ag_tape_reset(tape);
    ag_tape_seed(tape, 0, 0); /* the same mask in every step */
    ag_tensor *loss = loss_of(m, tape);
    ag_backward(loss);
    return ag_item(loss);
}

static void expect_no_memory(const ag_tape *tape, long n)
{
    const char *text = ag_error(tape);
    const size_t length = strlen(text);
    if (ag_tape_status(tape) != AG_EMEMORY || length < 20 || text[length - 1] == '.')
        fail_msg("allocation %ld: status %d, \"%s\"", n, ag_tape_status(tape), text);
}

/* A fresh tape and its first step. */
static void lack(int after)
{
    model m;
    long n = 1, failures = 0;
    assert_int_equal(build(&m), 0);
    ag_tape *good = ag_tape_new(AG_CPU);
    const float want = step(&m, good);
    assert_true(isfinite(want));
    for (int failed = 1; failed; n++) {
        ag_params_reset(m.params);
        ag__fail_allocation(n, after);
        ag_tape *tape = ag_tape_new(AG_CPU);
        const float have = step(&m, tape);
        ag__fail_allocation(0, 0);
        failed = ag_failed(tape);
        if (failed) {
            failures++;
            expect_no_memory(tape, n);
            assert_true(isnan(have));
            assert_true(m.params->state != AG_READY);
        } else {
            assert_true(have == want);
        }
        ag_params_reset(m.params);
        if (tape) assert_true(step(&m, tape) == want);
        if (tape) assert_int_equal(m.params->state, AG_READY);
        ag_tape_free(tape);
        assert_in_range(n, 1, 500);
    }
    assert_in_range(failures, 20, 500);
    ag_tape_free(good);
    drop(&m);
}

static void test_once(void **state) { lack(0); }
static void test_from_then_on(void **state) { lack(1); }

/* A plan that outgrows the slab of a tape that has run before. */
static void test_larger_step(void **state)
{
    model m;
    assert_int_equal(build(&m), 0);
    int failed = 1;
    for (long n = 1; failed; n++) {
        ag_tape *tape = ag_tape_new(AG_CPU);
        ag_tensor *small = ag_sum_all(ag_input(tape, m.x, AG_SHAPE(3)));
        ag_forward(small);
        ag_params_reset(m.params);
        ag__fail_allocation(n, 1);
        step(&m, tape);
        ag__fail_allocation(0, 0);
        failed = ag_failed(tape);
        if (failed) expect_no_memory(tape, n);
        ag_tape_reset(tape);
        small = ag_sum_all(ag_input(tape, m.x, AG_SHAPE(3)));
        ag_forward(small);
        assert_true(ag_item(small) == m.x[0] + m.x[1] + m.x[2]);
        ag_tape_free(tape);
        assert_in_range(n, 1, 500);
    }
    drop(&m);
}

int main(void)
{
    ag_set_threads(1);
    return RUN_TESTS(test_once, test_from_then_on, test_larger_step);
}
