/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "lab_case_kernels.h"
#include "lab_cases.h"

#define SIZES(...) ((const int[]){__VA_ARGS__})

void lab_case_tile(lab_run *run, const int *tile)
{
    ag_failure why = {0};
    if (lab_run_tile(run, tile, &why)) fail_msg("%s", why.sentence);
    float *root = run->value[run->p->n - 1].home;
    const int64_t n = lab_elements(run->p->nodes[run->p->n - 1].shape);
    for (int64_t i = 0; i < n; i++) root[i] = -12345; /* every element is written */
    lab_run_go(run);
}

float **lab_case_reference(const lab_program *p)
{
    float **values = calloc((size_t)p->n, sizeof *values);
    if (p->why.status) fail_msg("%s", p->why.sentence);
    for (int i = 0; i < p->n; i++) {
        values[i] = malloc((size_t)lab_elements(p->nodes[i].shape) * sizeof **values);
        if (p->nodes[i].op == LAB_PARAMETER)
            lab__parameter_values(values[i], p, i);
        else
            lab__ref_node(values[i], p, i, values);
    }
    return values;
}

double lab_case_size(const float *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sqrt(sum / (double)n);
}

void lab_case_compare(const float *a, const float *b, const lab_program *p, int node,
                      const char *what)
{
    const int64_t n = lab_elements(p->nodes[node].shape);
    const double size = lab_case_size(b, n);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= 2e-5 * (size + fabs((double)b[i]))))
            fail_msg("%s, node %d: element %ld is %g, not %g: %s", p->name, node, (long)i,
                     (double)a[i], (double)b[i], what);
}

/* ---- kernels ---- */

static int weights(lab_program *p, int rank, const int *size)
{
    return lab_parameter(p, LAB_F32, rank, size);
}

static int spread(lab_program *p, float value, int rank, const int *size)
{
    return lab_broadcast(p, lab_constant(p, value), SIZES(0), rank, size);
}

static void dot_bias_relu(lab_program *p)
{
    const int *shape = SIZES(37, 45);
    const int x = weights(p, 2, SIZES(37, 29)), w = weights(p, 2, SIZES(29, 45));
    const int b = lab_broadcast(p, weights(p, 1, SIZES(45)), SIZES(1), 2, shape);
    const int y = lab_dot(p, x, w, (lab_dot_dims){0, 1, 0});
    lab_binary(p, LAB_MAXIMUM, lab_binary(p, LAB_ADD, y, b), spread(p, 0, 2, shape));
}

/* The operand is computed, too, and the result turned: tanh(x)' w of batches */
static void batch_dot(lab_program *p)
{
    const int x = lab_unary(p, LAB_TANH, weights(p, 3, SIZES(3, 16, 10)));
    const int y = lab_dot(p, x, weights(p, 3, SIZES(3, 12, 16)), (lab_dot_dims){1, 1, 2});
    lab_transpose(p, lab_unary(p, LAB_ABS, y), SIZES(1, 0, 2));
}

static void convolution(lab_program *p, int groups, lab_window w, int n)
{
    const lab_conv_dims d = {2, 0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}, groups};
    const int x = lab_unary(p, LAB_NEGATE, weights(p, 4, SIZES(2, 9, n, 8)));
    const int k = weights(p, 4, SIZES(3, 3, 8 / groups, 12));
    const int y = lab_convolution(p, x, k, d, (lab_window[]){w, w});
    const lab_shape s = p->nodes[y].shape;
    const int b = lab_broadcast(p, weights(p, 1, SIZES(12)), SIZES(3), 4, s.size);
    lab_binary(p, LAB_MAXIMUM, lab_binary(p, LAB_ADD, y, b), spread(p, 0, 4, s.size));
}

static void conv_relu(lab_program *p) { convolution(p, 1, (lab_window){3, 1, 1, 1, 1, 1, 0}, 8); }
static void conv_groups(lab_program *p) { convolution(p, 4, (lab_window){3, 2, 1, 2, 1, 1, 1}, 8); }
static void conv_dilated(lab_program *p)
{
    convolution(p, 2, (lab_window){3, 1, 2, -1, 2, 3, 0}, 7);
}

/* exp(x - max(x)) of something that is needed on both sides of the reduce */
static void softmax_part(lab_program *p)
{
    const int *shape = SIZES(5, 6, 33);
    const int x = lab_binary(p, LAB_MULTIPLY, weights(p, 3, shape), spread(p, 3, 3, shape));
    const int top = lab_reduce(p, x, LAB_MAX, 1, SIZES(2));
    const int t = lab_broadcast(p, top, SIZES(0, 1), 3, shape);
    lab_unary(p, LAB_EXPONENTIAL, lab_binary(p, LAB_SUBTRACT, x, t));
}

static void reduce_two(lab_program *p)
{
    const int x = lab_unary(p, LAB_LOGISTIC, weights(p, 3, SIZES(14, 9, 21)));
    lab_reduce(p, x, LAB_SUM, 2, SIZES(0, 2));
}

/* Max pooling of a sum, padded; then parts of it side by side with borders. */
static void pool(lab_program *p)
{
    const lab_window one = {1, 1, 0, 0, 1, 1, 0}, half = {3, 2, 1, 1, 1, 1, 0};
    const int x = lab_binary(p, LAB_ADD, weights(p, 4, SIZES(2, 11, 12, 5)),
                             weights(p, 4, SIZES(2, 11, 12, 5)));
    const int y = lab_reduce_window(p, x, LAB_MAX, (lab_window[]){one, half, half, one});
    const int z = lab_concatenate(p, 3, SIZES(y, lab_unary(p, LAB_NEGATE, y), y), 2);
    lab_pad(p, z, lab_constant(p, 0.5f), SIZES(0, 3, 1, 0), SIZES(1, 2, 0, 4));
}

/* Everything that moves elements. */
static void moves(lab_program *p)
{
    const int x = weights(p, 3, SIZES(6, 10, 8)), y = weights(p, 2, SIZES(10, 6));
    const int cut = lab_slice(p, x, SIZES(1, 0, 1), SIZES(6, 10, 8), SIZES(1, 1, 2));
    const int tall = lab_transpose(p, lab_reverse(p, cut, 2, SIZES(1, 2)), SIZES(1, 0, 2));
    const int wide = lab_reshape(p, lab_unary(p, LAB_SIGN, tall), 2, SIZES(10, 20));
    const int some = lab_broadcast(p, lab_slice(p, y, SIZES(0, 1), SIZES(10, 6), NULL), SIZES(0, 2),
                                   3, SIZES(10, 4, 5));
    const int sum = lab_binary(p, LAB_ADD, wide, lab_reshape(p, some, 2, SIZES(10, 20)));
    const int count = lab_convert(p, lab_iota(p, 1, 2, SIZES(10, 20)), LAB_F32);
    const int which = lab_binary(p, LAB_COMPARE, sum, spread(p, 0, 2, SIZES(10, 20)));
    const int z = lab_select(p, which, count, sum);
    lab_reshape(p, lab_unary(p, LAB_COPY, z), 4, SIZES(2, 5, 1, 20));
}

/* The four gates of a cell out of one dot. */
static void gates(lab_program *p)
{
    const int x = weights(p, 2, SIZES(7, 18)), w = weights(p, 2, SIZES(18, 32));
    const int y = lab_dot(p, x, w, (lab_dot_dims){0, 1, 0});
    int gate[4];
    for (int i = 0; i < 4; i++)
        gate[i] = lab_unary(p, i < 3 ? LAB_LOGISTIC : LAB_TANH,
                            lab_slice(p, y, SIZES(0, 8 * i), SIZES(7, 8 * i + 8), NULL));
    const int c = lab_binary(p, LAB_MULTIPLY, gate[0], weights(p, 2, SIZES(7, 8)));
    const int next = lab_binary(p, LAB_ADD, c, lab_binary(p, LAB_MULTIPLY, gate[1], gate[3]));
    lab_binary(p, LAB_MULTIPLY, gate[2], lab_unary(p, LAB_TANH, next));
}

static void embed(lab_program *p)
{
    const int rows = lab_parameter(p, LAB_S32, 1, SIZES(19));
    const int x = lab_gather(p, weights(p, 2, SIZES(40, 14)), lab_reverse(p, rows, 1, SIZES(0)));
    lab_binary(p, LAB_ADD, x, weights(p, 2, SIZES(19, 14)));
}

void lab_case_kernel(lab_program *p, int which)
{
    static void (*const kernels[LAB_CASE_KERNELS])(lab_program *) = {
        dot_bias_relu, batch_dot, conv_relu, conv_groups, conv_dilated, softmax_part,
        reduce_two,    pool,      moves,     gates,       embed};
    kernels[which](p);
}

/* ---- nets: each has configurable nodes of several kinds in a row ---- */

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
