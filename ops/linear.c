/* SPDX-License-Identifier: MIT */
/* linear: y = x w' + b, row by row. */
#include "ops/linear.h"
#include "core/cuda/device.h"
#include "core/gemm.h"
#include "core/panels.h"
#include "ops/ops.h"
#include "ops/table.h"

/* x [rows,in], w [out,in]. */
typedef struct sizes {
    int rows, in, out;
} sizes;

static sizes sizes_of(const ag_args *a)
{
    return (sizes){(int)ag__rows(a->xs[0]), a->xs[1].size[1], a->xs[1].size[0]};
}

static int linear_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], w = call->xs[1];
    if (x.rank < 1 || w.rank != 2)
        return ag__reject_input(call, x.rank < 1 ? 0 : 1, "x needs an axis and w two");
    if (ag__columns(x) != w.size[1])
        return ag__reject(call,
                          "x has %d features, but w takes %d; make w [%d,%d], or look at what x is",
                          ag__columns(x), w.size[1], w.size[0], ag__columns(x));
    if (ag__rows(x) > INT_MAX) return ag__reject_input(call, 0, "more than 2^31 rows");
    if (call->n_in == 3 && (call->xs[2].rank != 1 || call->xs[2].size[0] != w.size[0]))
        return ag__reject_input(call, 2, "b needs one element per row of w");
    call->ys[0] = x;
    call->ys[0].size[x.rank - 1] = w.size[0];
    return 0;
}

static int64_t linear_count(const ag_args *a) { return ag__rows(a->xs[0]); }

/* Of few rows the whole product, cut in columns; else the panels of w', in scratch, with which
   blocks of rows are computed, so that what follows finds them in the cache. */
static int few(sizes s) { return s.rows <= AG_FEW_ROWS; }

HOST(linear_begin)
{
    const sizes s = sizes_of(a);
    if (few(s))
        ag__gemm(a->device, Y(0), X(0), X(1), 0, 1, s.rows, s.out, s.in, 0, a->scratch);
    else
        ag__panels_pack(a->scratch, X(1), 1, s.out, s.in);
}

static int64_t forward_grain(const ag_args *a)
{
    const sizes s = sizes_of(a);
    return ag__panels_grain(s.rows, s.out);
}

static void forward_rows(const ag_args *a, int64_t lo, int64_t hi)
{
    const sizes s = sizes_of(a);
    const ag_real *__restrict__ b = a->n_in < 3 ? NULL : X(2);
    if (!few(s)) {
        ag__panels_rows(Y(0), X(0), a->scratch, b, s.rows, s.out, s.in, 0, lo, hi);
        return;
    }
    for (int64_t r = lo; b && r < hi; r++) {
        ag_real *__restrict__ y = Y(0) + r * s.out;
        for (int i = 0; i < s.out; i++) y[i] += b[i];
    }
}
static const ag_kernel linear_forward = {
    .name = "linear_forward", .count = linear_count, .range = forward_rows, .grain = forward_grain};

CALL(linear_backward_x)
{
    const sizes s = sizes_of(a);
    ag__gemm(a->device, DX, DY(0), X(1), 0, 0, s.rows, s.in, s.out, a->add, a->scratch);
}

CALL(linear_backward_w)
{
    const sizes s = sizes_of(a);
    ag__gemm(a->device, DX, DY(0), X(0), 1, 0, s.out, s.in, s.rows, a->add, a->scratch);
}

/* On a device: the whole product, with the bias or before it, and the same with a ReLU. */
static int in_one_pass(const ag_args *a, int relu)
{
    const sizes s = sizes_of(a);
    const ag_real *b = a->n_in < 3 ? NULL : X(2);
    return ag__device_linear(Y(0), X(0), X(1), b, s.rows, s.in, s.out, relu);
}

static void product_alone(const ag_args *a)
{
    const sizes s = sizes_of(a);
    ag__gemm(AG_CUDA, Y(0), X(0), X(1), 0, 1, s.rows, s.out, s.in, 0, NULL);
}

DEVICE(linear_product)
{
    if (in_one_pass(a, 0)) return;
    product_alone(a);
    linear_bias_kernel.cuda(a);
}

DEVICE(linear_relu)
{
    if (in_one_pass(a, 1)) return;
    product_alone(a);
    linear_bias_relu_kernel.cuda(a);
}

/* On a device: dw, and db where that is wanted as well. */
DEVICE(linear_backward_weights)
{
    const sizes s = sizes_of(a);
    if (a->also && !a->add && !a->add_also &&
        ag__device_linear_weights(DX, a->also, DY(0), X(0), s.rows, s.in, s.out))
        return;
    linear_backward_w(a);
    if (a->also)
        ag__column_sums(AG_CUDA, a->also, DY(0), NULL, s.rows, s.out, a->add_also, a->scratch);
}

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t linear_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    if (!backward && a->device == AG_CUDA) return 0;
    if (!backward)
        return few(s) ? ag__gemm_scratch(a->device, 0, 1, s.rows, s.out, s.in)
                      : ag__panels_size(s.out, s.in);
    return most(ag__gemm_scratch(a->device, 0, 0, s.rows, s.in, s.out),
                most(ag__gemm_scratch(a->device, 1, 0, s.out, s.in, s.rows),
                     ag__column_scratch(s.rows, s.out)));
}

static const ag_case linear_cases[] = {
    {.x = {{2, {3, 4}}, {2, {5, 4}}, {1, {5}}}},
    {.x = {{2, {3, 4}}, {2, {5, 4}}}},
    {.x = {{1, {4}}, {2, {5, 4}}, {1, {5}}}},
    {.x = {{3, {2, 3, 4}}, {2, {1, 4}}, {1, {1}}}},
    {.x = {{2, {0, 4}}, {2, {5, 4}}, {1, {5}}}},
    {.x = {{2, {3, 0}}, {2, {5, 0}}, {1, {5}}}},
    {.x = {{2, {33, 31}}, {2, {32, 31}}, {1, {32}}}},
    {.x = {{2, {2100, 3}}, {2, {2, 3}}, {1, {2}}}},
};

static const ag_kernels linear_cuda = {
    .forward = {&linear_product_kernel},
    .backward = {&linear_backward_x_kernel, &linear_backward_weights_kernel, &ag__bias_backward},
    .scratch = linear_scratch,
    .also = 2,
    .with = 1,
    .folds = "relu",
    .folded = &linear_relu_kernel,
};

static const ag_op linear = {
    .name = "linear",
    .formula = "y = x w' + b, row by row",
    .inputs = "x w b",
    .shape = linear_shape,
    .forward = {&linear_begin_kernel, &linear_forward},
    .backward = {&linear_backward_x_kernel, &linear_backward_w_kernel, &ag__bias_backward},
    .saves = SAVE_X(0) | SAVE_X(1),
    .scratch = linear_scratch,
    .cuda = &linear_cuda,
    .leads = 1,
    AG_CASES(linear_cases),
};

const ag_op *const ag__ops_linear[] = {&linear, NULL};

ag_tensor *ag_linear(ag_tensor *x, ag_tensor *w, ag_tensor *b)
{
    ag_tensor *in[] = {x, w, b};
    return ag__record(&linear, in, b ? 3 : 2, NULL);
}
