/* SPDX-License-Identifier: MIT */
/* Small nets for the tests of the lab: each has configurable nodes of several kinds in a row. */
#include "lab_cases.h"

#define SIZES(...) ((const int[]){__VA_ARGS__})

static int weights(lab_program *p, int rank, const int *size)
{
    return lab_parameter(p, LAB_F32, rank, size);
}

static int spread(lab_program *p, float value, int rank, const int *size)
{
    return lab_broadcast(p, lab_constant(p, value), SIZES(0), rank, size);
}

/* max(x w + b, 0) */
static int dense(lab_program *p, int x, int rows, int in, int out)
{
    const int w = weights(p, 2, SIZES(in, out)), b = weights(p, 1, &out);
    const int y = lab_dot(p, x, w, (lab_dot_dims){0, 1, 0});
    const int z = lab_binary(p, LAB_ADD, y, lab_broadcast(p, b, SIZES(1), 2, SIZES(rows, out)));
    return lab_binary(p, LAB_MAXIMUM, z, spread(p, 0, 2, SIZES(rows, out)));
}

static void perceptron(lab_program *p)
{
    int x = weights(p, 2, SIZES(9, 20));
    x = dense(p, x, 9, 20, 33);
    dense(p, dense(p, x, 9, 33, 16), 9, 16, 7);
}

/* Batch, height, width, features; same size. */
static int convolve(lab_program *p, int x, int in, int out)
{
    const lab_conv_dims d = {2, 0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}, 1};
    const lab_window w = {3, 1, 1, 1, 1, 1, 0};
    return lab_convolution(p, x, weights(p, 4, SIZES(3, 3, in, out)), d, (lab_window[]){w, w});
}

static void image(lab_program *p)
{
    const lab_window one = {1, 1, 0, 0, 1, 1, 0}, half = {2, 2, 0, 0, 1, 1, 0};
    const int x = convolve(p, weights(p, 4, SIZES(2, 8, 8, 3)), 3, 8);
    const int r = lab_binary(p, LAB_MAXIMUM, x, spread(p, 0, 4, SIZES(2, 8, 8, 8)));
    const int y = lab_binary(p, LAB_ADD, convolve(p, r, 8, 8), r);
    const int m = lab_reduce_window(p, y, LAB_MAX, (lab_window[]){one, half, half, one});
    const int both = lab_concatenate(p, 2, SIZES(m, lab_unary(p, LAB_TANH, m)), 3);
    dense(p, lab_reshape(p, both, 2, SIZES(2, 256)), 2, 256, 5);
}

/* Two heads of eight: softmax(q k / sqrt 8) v */
static void attention(lab_program *p)
{
    int part[3];
    const int x = weights(p, 2, SIZES(12, 16)), *shape = SIZES(2, 12, 12);
    for (int i = 0; i < 3; i++) {
        const int y = lab_dot(p, x, weights(p, 2, SIZES(16, 16)), (lab_dot_dims){0, 1, 0});
        part[i] = lab_transpose(p, lab_reshape(p, y, 3, SIZES(12, 2, 8)), SIZES(1, 0, 2));
    }
    const int s = lab_dot(p, part[0], part[1], (lab_dot_dims){1, 2, 2});
    const int t = lab_binary(p, LAB_MULTIPLY, s, spread(p, 0.35f, 3, shape));
    const int top = lab_reduce(p, t, LAB_MAX, 1, SIZES(2));
    const int e =
        lab_unary(p, LAB_EXPONENTIAL,
                  lab_binary(p, LAB_SUBTRACT, t, lab_broadcast(p, top, SIZES(0, 1), 3, shape)));
    const int sum = lab_reduce(p, e, LAB_SUM, 1, SIZES(2));
    const int a = lab_binary(p, LAB_DIVIDE, e, lab_broadcast(p, sum, SIZES(0, 1), 3, shape));
    const int y = lab_transpose(p, lab_dot(p, a, part[2], (lab_dot_dims){1, 2, 1}), SIZES(1, 0, 2));
    lab_dot(p, lab_reshape(p, y, 2, SIZES(12, 16)), weights(p, 2, SIZES(16, 16)),
            (lab_dot_dims){0, 1, 0});
}

/* Two steps of a recurrent cell over embedded words. */
static void cell(lab_program *p)
{
    const int words = lab_parameter(p, LAB_S32, 1, SIZES(10));
    const int x = lab_gather(p, weights(p, 2, SIZES(13, 8)), words);
    const int w = weights(p, 2, SIZES(16, 16));
    int h = spread(p, 0, 2, SIZES(5, 8));
    for (int t = 0; t < 2; t++) {
        const int at = lab_slice(p, x, SIZES(5 * t, 0), SIZES(5 * t + 5, 8), NULL);
        const int in = lab_concatenate(p, 2, SIZES(at, h), 1);
        const int y = lab_dot(p, in, w, (lab_dot_dims){0, 1, 0});
        const int gate =
            lab_unary(p, LAB_LOGISTIC, lab_slice(p, y, SIZES(0, 0), SIZES(5, 8), NULL));
        const int next = lab_unary(p, LAB_TANH, lab_slice(p, y, SIZES(0, 8), SIZES(5, 16), NULL));
        h = lab_binary(p, LAB_MULTIPLY, gate, next);
    }
    lab_reshape(p, lab_reverse(p, h, 1, SIZES(1)), 3, SIZES(8, 5, 1));
}

void lab_case_net(lab_program *p, int which)
{
    static void (*const nets[LAB_CASE_NETS])(lab_program *) = {perceptron, image, attention, cell};
    nets[which](p);
}
