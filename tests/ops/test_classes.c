/* SPDX-License-Identifier: MIT */
/* Classes: labels that are refused, left out or made by an op, logits at the ends of their range,
   and the largest of a row. */
#include "support/test.h"
#include "augur.h"
#include "support/tape.h"

/* ---- cross-entropy ---- */

typedef struct model {
    ag_params *params;
    ag_param *x;
} model;

static model make(const float *logits, ag_shape shape)
{
    model m = {ag_params_new(), NULL};
    m.x = ag_params_add(m.params, "x", shape, ag_init_constant(0), 0);
    assert_int_equal(ag_params_build(m.params, 0), AG_OK);
    memcpy(m.x->value, logits, (size_t)m.x->count * sizeof *logits);
    assert_int_equal(ag_params_to(m.params, test_device(), NULL), AG_OK);
    return m;
}

/* The loss; its gradient is in m->x->gradient. */
static double loss_of(model *m, const int32_t *label, const float *weight, float smoothing)
{
    const int n = m->x->shape.size[0], classes = m->x->shape.size[1];
    ag_tape_reset(tape);
    ag_params_reset(m->params);
    ag_tensor *loss =
        ag_cross_entropy(ag_parameter(tape, m->x), ag_input_i32(tape, label, AG_SHAPE(n)),
                         weight ? ag_input(tape, weight, AG_SHAPE(classes)) : NULL, smoothing);
    ag_backward(loss);
    assert_string_equal(ag_error(tape), "");
    ag_params_fetch(m->params, NULL);
    return (double)ag_item(loss);
}

static void expect_gradient(const model *m, const double *want)
{
    for (int i = 0; i < m->x->count; i++)
        if (!(fabs((double)m->x->gradient[i] - want[i]) < 1e-6))
            fail_msg("gradient %d is %g instead of %g", i, (double)m->x->gradient[i], want[i]);
}

static void test_labels_are_looked_at(void **state)
{
    static const float logits[3 * 4];
    static const struct {
        int32_t label[3];
        const char *sentence;
    } wrong[] = {{{0, 4, 1},
                  "cross_entropy: the label of row 1 is 4, but must be 0 to 3, since x "
                  "has 4 classes, or -1 for a row that does not count; number the "
                  "classes from 0"},
                 {{0, 3, -2}, "cross_entropy: the label of row 2 is -2, but must be 0 to 3"},
                 {{INT32_MAX, 0, 0}, "cross_entropy: the label of row 0 is 2147483647, but"},
                 {{INT32_MIN, 9, 9}, "cross_entropy: the label of row 0 is -2147483648, but"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ag_tape_reset(tape);
        ag_tensor *y = ag_cross_entropy(ag_input(tape, logits, AG_SHAPE(3, 4)),
                                        ag_input_i32(tape, wrong[i].label, AG_SHAPE(3)), NULL, 0);
        ag_backward(y);
        assert_int_equal(ag_tape_status(tape), AG_EINDEX);
        assert_non_null(strstr(ag_error(tape), wrong[i].sentence));
    }
}

static void test_other_refusals(void **state)
{
    static const float values[12];
    static const int32_t label[4];
    static const struct {
        int n, classes, labels, weights;
        float smoothing;
        const char *sentence;
    } wrong[] = {{3, 4, 2, 4, 0, "label must be [3], one for each row of x"},
                 {3, 4, 3, 3, 0, "weight must be [4], one for each class"},
                 {3, 0, 3, 0, 0, "x must be [n, classes] with a class or more"},
                 {3, 4, 3, 4, 1.5f, "the smoothing is 1.5, but must be 0 to 1"},
                 {3, 4, 3, 4, NAN, "the smoothing is nan, but must be 0 to 1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ag_tape_reset(tape);
        ag_cross_entropy(ag_input(tape, values, AG_SHAPE(wrong[i].n, wrong[i].classes)),
                         ag_input_i32(tape, label, AG_SHAPE(wrong[i].labels)),
                         ag_input(tape, values, AG_SHAPE(wrong[i].weights)), wrong[i].smoothing);
        assert_int_equal(ag_tape_status(tape), AG_ESHAPE);
        if (!strstr(ag_error(tape), wrong[i].sentence)) fail_msg("%s", ag_error(tape));
    }
    ag_tape_reset(tape);
    ag_binary_cross_entropy(ag_input(tape, values, AG_SHAPE(4)),
                            ag_input(tape, values, AG_SHAPE(4)),
                            ag_input(tape, values, AG_SHAPE(3)));
    assert_non_null(strstr(ag_error(tape), "weight is [3]: the shapes differ"));
}

/* Differences of 1e30, of 16,777,216 and of infinity: masked classes have -infinity. */
static void test_extreme_logits(void **state)
{
    static const float logits[] = {1e30f,     -1e30f, 0,         16777216, 16777218, -1e9f,
                                   -INFINITY, 1,      -INFINITY, NAN,      0,        0};
    static const int32_t label[] = {0, 0, 1, -1}, last[] = {-1, -1, -1, 0};
    const double p = 1 / (1 + exp(2.0)), loss = -log(p) / 3;
    const double want[12] = {0, 0, 0, (p - 1) / 3, (1 - p) / 3};
    model m = make(logits, AG_SHAPE(4, 3));
    assert_true(fabs(loss_of(&m, label, NULL, 0) - loss) < 1e-6);
    expect_gradient(&m, want); /* 0 where the NaN is, too */
    assert_true(isnan(loss_of(&m, last, NULL, 0)));
    ag_params_free(m.params);
}

/* Labels are the places of largest numbers; 3 and 4 are not classes of three, so these rows count
   nothing. */
static void test_labels_of_an_op(void **state)
{
    static const float from[4 * 5] = {0, 9, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 9, 9};
    static const float logits[4 * 3] = {0, 0, 0, 1, 2, 3, 1, 2, 3, 0, 0, 0};
    const double third = 1.0 / 6,
                 want[12] = {third, -2 * third, third, 0, 0, 0, 0, 0, 0, -2 * third, third, third};
    model m = make(logits, AG_SHAPE(4, 3));
    ag_tensor *label = ag_argmax(ag_input(tape, from, AG_SHAPE(4, 5)));
    ag_tensor *loss = ag_cross_entropy(ag_parameter(tape, m.x), label, NULL, 0);
    ag_backward(loss);
    assert_true(fabs((double)ag_item(loss) - log(3.0)) < 1e-6);
    ag_params_fetch(m.params, NULL);
    expect_gradient(&m, want);
    ag_params_free(m.params);
}

/* Nothing counts: no rows, or all weights that count are 0. */
static void test_nothing_counts(void **state)
{
    static const float logits[2 * 2] = {1, 2, 3, 4}, weight[] = {0, 1};
    static const int32_t label[] = {0, 0};
    model m = make(logits, AG_SHAPE(2, 2));
    assert_true(loss_of(&m, label, weight, 0.5f) == 0);
    expect_gradient(&m, (const double[4]){0});
    ag_params_free(m.params);
    m = make(logits, AG_SHAPE(0, 2));
    assert_true(loss_of(&m, label, weight, 0) == 0);
    ag_params_free(m.params);
}

/* ---- argmax ---- */

static void expect_places(const float *x, ag_shape shape, const int32_t *want)
{
    ag_tape_reset(tape);
    ag_tensor *at = ag_argmax(ag_input(tape, x, shape));
    ag_forward(at);
    assert_string_equal(ag_error(tape), "");
    const int64_t n = ag_shape_count(ag_shape_of(at));
    for (int64_t i = 0; i < n; i++) assert_int_equal(ag_values_i32(at)[i], want[i]);
}

static void test_argmax(void **state)
{
    static const float x[] = {1, 3,   3, -INFINITY, -INFINITY, -INFINITY, 2, NAN,
                              9, NAN, 5, INFINITY,  INFINITY,  -1,        0};
    static const int32_t want[] = {1, 0, 1, 0, 0}, whole[] = {7}, none[] = {-1, -1};
    expect_places(x, AG_SHAPE(5, 3), want);
    expect_places(x, AG_SHAPE(5, 1, 3), want);
    expect_places(x, AG_SHAPE(15), whole);
    expect_places(x, AG_SHAPE(2, 0), none);
    expect_places(x, AG_SHAPE(0, 3), none);
}

int main(void)
{
    return RUN_TESTS_EACH(tape_make, tape_drop, test_labels_are_looked_at, test_other_refusals,
                          test_extreme_logits, test_labels_of_an_op, test_nothing_counts,
                          test_argmax);
}
