/* SPDX-License-Identifier: MIT */
/* The gradients that lab_differentiate appends, op by op, against central differences. */
#include "examples/lab/gradient/differentiate.h"
#include "support/lab_slopes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- single ops: the loss is the sum of the output times random numbers ---- */

static int weighed(lab_program *p, int y)
{
    lab_net net = {.p = p};
    lab_shape s = p->nodes[y].shape;
    int r = lab_parameter(p, LAB_F32, s.rank, s.size);
    return lab_net_total(&net, lab_binary(p, LAB_MULTIPLY, y, r));
}

static void check_output(lab_program *p, int y, const int *weight, int n)
{
    assert_int_equal(p->why.status, AG_OK);
    lab_check_slopes(p, weighed(p, y), weight, n, 2e-3, 4e-3);
    lab_program_clear(p);
}

static int tensor(lab_program *p, int rank, const int *size)
{
    return lab_parameter(p, LAB_F32, rank, size);
}

/* x * x + 1/2: for ops that need positive numbers */
static int positive(lab_program *p, int x)
{
    lab_net net = {.p = p};
    return lab_net_plus(&net, lab_binary(p, LAB_MULTIPLY, x, x), 0.5f);
}

static void unary_ops(void **state)
{
    (void)state;
    static const lab_op ops[] = {LAB_COPY,   LAB_ABS,   LAB_EXPONENTIAL, LAB_LOG, LAB_LOGISTIC,
                                 LAB_NEGATE, LAB_RSQRT, LAB_SQRT,        LAB_TANH};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        lab_program p = {.name = "unary"};
        int x = tensor(&p, 2, (int[]){3, 5}), inner = x;
        if (ops[i] == LAB_LOG || ops[i] == LAB_RSQRT || ops[i] == LAB_SQRT) inner = positive(&p, x);
        check_output(&p, lab_unary(&p, ops[i], inner), &x, 1);
    }
}

static void binary_ops(void **state)
{
    (void)state;
    static const lab_op ops[] = {LAB_ADD,    LAB_SUBTRACT, LAB_MULTIPLY,
                                 LAB_DIVIDE, LAB_MAXIMUM,  LAB_MINIMUM};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        lab_program p = {.name = "binary"};
        int w[2] = {tensor(&p, 2, (int[]){3, 5}), tensor(&p, 2, (int[]){3, 5})};
        int v = ops[i] == LAB_DIVIDE ? positive(&p, w[1]) : w[1];
        check_output(&p, lab_binary(&p, ops[i], w[0], v), w, 2);
        if (ops[i] != LAB_ADD && ops[i] != LAB_MULTIPLY) continue;
        int x = tensor(&p, 1, (int[]){7});
        check_output(&p, lab_binary(&p, ops[i], x, x), &x, 1);
    }
    lab_program p = {.name = "select"};
    int w[2] = {tensor(&p, 2, (int[]){3, 5}), tensor(&p, 2, (int[]){3, 5})};
    int other = tensor(&p, 2, (int[]){3, 5});
    int which = lab_binary(&p, LAB_COMPARE, other, w[0]);
    check_output(&p, lab_select(&p, which, w[0], w[1]), w, 2);
}

static void moving_ops(void **state)
{
    (void)state;
    lab_program p = {.name = "moving"};
    int x = tensor(&p, 2, (int[]){3, 5});
    check_output(&p, lab_broadcast(&p, x, (int[]){1, 3}, 4, (int[]){2, 3, 4, 5}), &x, 1);
    x = tensor(&p, 0, NULL);
    check_output(&p, lab_broadcast(&p, x, NULL, 2, (int[]){2, 3}), &x, 1);
    x = tensor(&p, 3, (int[]){2, 3, 4});
    check_output(&p, lab_reshape(&p, x, 2, (int[]){4, 6}), &x, 1);
    x = tensor(&p, 4, (int[]){2, 3, 4, 5});
    check_output(&p, lab_transpose(&p, x, (int[]){2, 0, 3, 1}), &x, 1);
    x = tensor(&p, 3, (int[]){2, 3, 4});
    check_output(&p, lab_reverse(&p, x, 2, (int[]){0, 2}), &x, 1);
    x = tensor(&p, 3, (int[]){4, 5, 6});
    int y = lab_slice(&p, x, (int[]){1, 0, 2}, (int[]){3, 5, 5}, (int[]){1, 1, 1});
    check_output(&p, y, &x, 1);
    x = tensor(&p, 2, (int[]){4, 5});
    y = lab_pad(&p, x, lab_constant(&p, 2), (int[]){1, 0}, (int[]){2, 3});
    check_output(&p, y, &x, 1);
    x = tensor(&p, 4, (int[]){2, 3, 4, 5});
    check_output(&p, lab_reduce(&p, x, LAB_SUM, 2, (int[]){0, 2}), &x, 1);
    int w[3] = {tensor(&p, 2, (int[]){2, 3}), tensor(&p, 2, (int[]){2, 1}),
                tensor(&p, 2, (int[]){2, 4})};
    check_output(&p, lab_concatenate(&p, 3, w, 1), w, 3);
    lab_net net = {.p = &p};
    x = tensor(&p, 3, (int[]){2, 5, 3});
    check_output(&p, lab_net_softmax(&net, x, 1), &x, 1);
}

static void window_sums(void **state)
{
    (void)state;
    static const lab_window one = {1, 1, 0, 0, 1, 1, 0};
    static const lab_window cases[] = {{2, 2, 0, 0, 1, 1, 0}, {3, 2, 1, 0, 1, 1, 0},
                                       {3, 1, 1, 1, 1, 1, 0}, {2, 3, 0, 1, 2, 1, 0},
                                       {3, 2, 2, 2, 2, 1, 0}, {2, 1, -1, -1, 1, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int in = 6; in < 9; in++) {
            lab_program p = {.name = "window"};
            int x = tensor(&p, 3, (int[]){2, in, 7});
            lab_window window[LAB_RANK] = {one, cases[i], cases[(i + 1) % 6]};
            check_output(&p, lab_reduce_window(&p, x, LAB_SUM, window), &x, 1);
        }
}

/* Every number of batch and free axes up to 2 and every place of the contracted one. */
static void dots(void **state)
{
    (void)state;
    int cases = 0;
    for (int batch = 0; batch < 3; batch++)
        for (int left = 0; left < 3; left++)
            for (int right = 0; right < 3; right++)
                for (int l = 0; l <= left; l++)
                    for (int r = 0; r <= right; r++) {
                        int a[LAB_RANK] = {2, 3}, b[LAB_RANK] = {2, 3};
                        if (batch + left + right > 5) continue;
                        for (int i = 0; i <= left; i++) a[batch + i] = i == l ? 5 : 2 + i;
                        for (int i = 0; i <= right; i++) b[batch + i] = i == r ? 5 : 4 - i;
                        lab_program p = {.name = "dot"};
                        int w[2] = {tensor(&p, batch + left + 1, a),
                                    tensor(&p, batch + right + 1, b)};
                        lab_dot_dims d = {batch, batch + l, batch + r};
                        check_output(&p, lab_dot(&p, w[0], w[1], d), w, 2);
                        cases++;
                    }
    assert_int_equal(cases, 3 * 36 - 9);
    lab_program p = {.name = "itself"};
    int x = tensor(&p, 3, (int[]){2, 4, 3});
    check_output(&p, lab_dot(&p, x, x, (lab_dot_dims){1, 2, 2}), &x, 1);
}

static void convolution(int spatial, int first, lab_window window)
{
    lab_program p = {.name = "convolution"};
    lab_conv_dims d = {.spatial = spatial, .groups = 1};
    int in[LAB_RANK] = {0}, kernel[LAB_RANK] = {0};
    lab_window windows[LAB_RANK] = {{0}};
    d.in_batch = first ? 0 : spatial + 1;
    d.in_feature = first ? 1 : 0;
    d.out_feature = first ? spatial + 1 : 1;
    d.out_batch = 0;
    d.kernel_in = first ? spatial : 1;
    d.kernel_out = first ? spatial + 1 : 0;
    for (int i = 0; i < spatial; i++) {
        d.in_spatial[i] = first ? 2 + i : 1 + i;
        d.kernel_spatial[i] = first ? i : 2 + i;
        d.out_spatial[i] = first ? 1 + i : 2 + i;
        in[d.in_spatial[i]] = 6 + i;
        kernel[d.kernel_spatial[i]] = window.size;
        windows[i] = window;
    }
    in[d.in_batch] = 2;
    in[d.in_feature] = kernel[d.kernel_in] = 3;
    kernel[d.kernel_out] = 4;
    int w[2] = {tensor(&p, spatial + 2, in), tensor(&p, spatial + 2, kernel)};
    check_output(&p, lab_convolution(&p, w[0], w[1], d, windows), w, 2);
}

static void convolutions(void **state)
{
    (void)state;
    static const lab_window cases[] = {
        {1, 1, 0, 0, 1, 1, 0}, {3, 1, 1, 1, 1, 1, 0},  {3, 2, 0, 0, 1, 1, 0},
        {3, 3, 1, 0, 1, 1, 0}, {2, 1, 2, 0, 2, 1, 0},  {3, 2, 2, 2, 2, 1, 0},
        {2, 1, 1, 0, 1, 2, 0}, {4, 1, 2, 2, 1, 2, 0},  {3, 2, 1, 2, 1, 3, 0},
        {1, 2, 0, 0, 1, 1, 0}, {2, 1, -1, 3, 1, 1, 0}, {2, 1, 3, 4, 1, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int first = 0; first < 2; first++) {
            convolution(1, first, cases[i]);
            convolution(2, first, cases[i]);
        }
    convolution(3, 0, cases[1]);
    convolution(3, 1, cases[4]);
}

/* ---- refusals, and ops without a gradient ---- */

static void expect(lab_program *p, int y, int x, const char *text)
{
    int gradient = 7, loss = weighed(p, y);
    assert_int_equal(p->why.status, AG_OK);
    lab_differentiate(&gradient, p, loss, &x, 1);
    assert_int_equal(p->why.status, AG_EUSE);
    assert_non_null(strstr(p->why.sentence, text));
    lab_differentiate(&gradient, p, loss, &x, 1); /* does nothing */
    assert_int_equal(gradient, 0);
    lab_program_clear(p);
    p->why = (ag_failure){0};
}

static void refusals(void **state)
{
    (void)state;
    lab_program p = {.name = "refused"};
    lab_net net = {.p = &p};
    int x = tensor(&p, 3, (int[]){2, 6, 4});
    expect(&p, lab_net_pool(&net, x, 2, 2, LAB_MAX, 0), x, "(reduce-window)");
    x = tensor(&p, 3, (int[]){2, 6, 4});
    expect(&p, lab_net_conv(&net, x, (lab_conv){.size = 3, .groups = 2}), x, "(convolution)");
    x = tensor(&p, 1, (int[]){6});
    expect(&p, lab_slice(&p, x, (int[]){0}, (int[]){6}, (int[]){2}), x, "(slice)");
    x = tensor(&p, 1, (int[]){6});
    expect(&p, lab_net_activate_as(&net, x, LAB_RELU6), x, "(clamp)");
    x = tensor(&p, 1, (int[]){6});
    int gradient;
    lab_differentiate(&gradient, &p, x, &x, 1);
    assert_int_equal(p.why.status, AG_EUSE);
    assert_non_null(strstr(p.why.sentence, "must be a scalar"));
    lab_program_clear(&p);
}

static void independent_weights_get_zeros(void **state)
{
    (void)state;
    lab_program p = {.name = "independent"};
    int w[2] = {tensor(&p, 2, (int[]){2, 3}), tensor(&p, 1, (int[]){4})}, gradient[2];
    lab_differentiate(gradient, &p, weighed(&p, w[1]), w, 2);
    float *v[2];
    lab_evaluate(v, &p, gradient, 2);
    assert_int_equal(p.nodes[gradient[0]].shape.rank, 2);
    for (int i = 0; i < 6; i++) assert_true(fabsf(v[0][i]) <= 0);
    for (int i = 0; i < 4; i++) assert_true(fabsf(v[1][i]) > 0);
    free(v[0]);
    free(v[1]);
    lab_program_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unary_ops),  cmocka_unit_test(binary_ops),
        cmocka_unit_test(moving_ops), cmocka_unit_test(window_sums),
        cmocka_unit_test(dots),       cmocka_unit_test(convolutions),
        cmocka_unit_test(refusals),   cmocka_unit_test(independent_weights_get_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
