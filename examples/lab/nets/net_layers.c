/* SPDX-License-Identifier: MIT */
/* Dense layers, activations and norms. */
#include "examples/lab/nets/net.h"

/* x * (1 + tanh(c (x + 0.044715 x^3))) / 2, the way frameworks write it */
static int gelu(lab_net *net, int x)
{
    lab_program *p = net->p;
    int cube = lab_binary(p, LAB_MULTIPLY, lab_binary(p, LAB_MULTIPLY, x, x), x);
    int inner = lab_binary(p, LAB_ADD, x, lab_net_scaled(net, cube, 0.044715f));
    int bend = lab_unary(p, LAB_TANH, lab_net_scaled(net, inner, 0.7978846f));
    return lab_binary(p, LAB_MULTIPLY, x, lab_net_scaled(net, lab_net_plus(net, bend, 1), 0.5f));
}

int lab_net_activate(lab_net *net, int x)
{
    lab_program *p = net->p;
    switch (net->activation) {
    case LAB_TANH_UNIT: return lab_unary(p, LAB_TANH, x);
    case LAB_SWISH: return lab_binary(p, LAB_MULTIPLY, x, lab_unary(p, LAB_LOGISTIC, x));
    case LAB_GELU: return gelu(net, x);
    case LAB_LEAKY: return lab_binary(p, LAB_MAXIMUM, x, lab_net_scaled(net, x, 0.125f));
    case LAB_RELU6: {
        lab_shape s = lab_net_shape(net, x);
        int low = lab_net_fill(net, 0, s);
        return lab_ternary(p, LAB_CLAMP, low, x, lab_net_fill(net, 6, s));
    }
    default: return lab_binary(p, LAB_MAXIMUM, x, lab_net_fill(net, 0, lab_net_shape(net, x)));
    }
}

int lab_net_bias(lab_net *net, int x, int axis)
{
    int size = lab_net_size(net, x, axis);
    int bias = lab_net_input(net, 1, &size);
    return lab_binary(net->p, LAB_ADD, x, lab_net_along(net, bias, x, axis));
}

int lab_net_dense(lab_net *net, int x, int width)
{
    int last = lab_net_shape(net, x).rank - 1;
    int inner = lab_net_size(net, x, last);
    int turned = lab_net_chance(net, 15); /* the weight is transposed, as in some frameworks */
    int w = lab_net_input(net, 2, turned ? (int[]){width, inner} : (int[]){inner, width});
    int y = lab_dot(net->p, x, w, (lab_dot_dims){0, last, turned});
    return lab_net_bias(net, y, lab_net_shape(net, y).rank - 1);
}

int lab_net_softmax(lab_net *net, int x, int axis)
{
    lab_program *p = net->p;
    int most = lab_net_spread(net, lab_reduce(p, x, LAB_MAX, 1, &axis), x, axis);
    int e = lab_unary(p, LAB_EXPONENTIAL, lab_binary(p, LAB_SUBTRACT, x, most));
    int sum = lab_net_spread(net, lab_reduce(p, e, LAB_SUM, 1, &axis), e, axis);
    return lab_binary(p, LAB_DIVIDE, e, sum);
}

int lab_net_norm(lab_net *net, int x)
{
    lab_program *p = net->p;
    int axis = lab_net_shape(net, x).rank - 1, n = lab_net_size(net, x, axis);
    int mean = lab_net_scaled(net, lab_reduce(p, x, LAB_SUM, 1, &axis), 1 / (float)n);
    int centred = lab_binary(p, LAB_SUBTRACT, x, lab_net_spread(net, mean, x, axis));
    int square = lab_binary(p, LAB_MULTIPLY, centred, centred);
    int variance = lab_net_scaled(net, lab_reduce(p, square, LAB_SUM, 1, &axis), 1 / (float)n);
    int factor = lab_unary(p, LAB_RSQRT, lab_net_plus(net, variance, 1e-3f));
    int y = lab_binary(p, LAB_MULTIPLY, centred, lab_net_spread(net, factor, x, axis));
    int gain = lab_net_input(net, 1, &n);
    y = lab_binary(p, LAB_MULTIPLY, y, lab_net_along(net, gain, y, axis));
    return lab_net_bias(net, y, axis);
}

int lab_net_head(lab_net *net, int x, int classes)
{
    int y = lab_net_dense(net, x, classes);
    if (classes < 3) return lab_unary(net->p, LAB_LOGISTIC, y);
    return lab_net_softmax(net, y, lab_net_shape(net, y).rank - 1);
}
