/* SPDX-License-Identifier: MIT */
/* lstm: the state after the last row of each sequence. The part of the input in the gates of all
   rows is one product, then the steps run (ops/lstm_step.c). Saved: the gates of every row, state
   and cell before it (where a backward follows), and the ranks. Backward puts the gradient of the
   gates' inputs in their place, after which every other gradient is one product. */
#include "core/columns.h"
#include "core/gemm.h"
#include "ops/lstm.h"
#include "ops/lstm_step.h"
#include "ops/ops.h"
#include "ops/table.h"

static int lstm_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], starts = call->xs[1], wi = call->xs[2], ws = call->xs[3];
    if (x.rank != 2 || wi.rank != 2 || ws.rank != 2)
        return ag__reject_input(call,
                                x.rank != 2    ? 0
                                : wi.rank != 2 ? 2
                                               : 3,
                                "x, w_input and w_state must have two axes");
    if (starts.rank != 1 || starts.size[0] < 1)
        return ag__reject_input(call, 1,
                                "starts needs one axis with one element more than sequences");
    const int n = x.size[0], h = ws.size[1], sequences = starts.size[0] - 1;
    if ((int64_t)h * 4 != ws.size[0] || wi.size[0] != ws.size[0] || wi.size[1] != x.size[1])
        return ag__reject_input(
            call, (int64_t)h * 4 != ws.size[0] ? 3 : 2,
            "x has %d features and w_state %d columns, so w_input must be [%lld,%d] "
            "and w_state [%lld,%d]",
            x.size[1], h, 4LL * h, x.size[1], 4LL * h, h);
    if (call->n_in == 5 && (call->xs[4].rank != 1 || call->xs[4].size[0] != ws.size[0]))
        return ag__reject_input(call, 4, "bias must have %d elements", ws.size[0]);
    if (2LL * sequences + n >= INT_MAX)
        return ag__reject(call, "rows and twice the sequences are more than 2^31 - 2");
    call->ys[0] = AG_SHAPE(sequences, h);
    call->ys[1] = AG_SHAPE(n, ws.size[0]);
    call->ys[2] = AG_SHAPE(2, n, h);
    call->ys[3] = AG_SHAPE(2 * sequences + n + 1);
    return 0;
}

HOST(lstm_forward)
{
    const lstm_sizes s = lstm_sizes_of(a);
    ag__gemm(a->device, Y(1), X(0), X(2), 0, 1, s.n, 4 * s.h, s.in, 0, a->scratch);
    ag__lstm_forward(a);
}

HOST(lstm_steps_back) { ag__lstm_backward(a); }

/* On a device. */
DEVICE(lstm_input)
{
    const lstm_sizes s = lstm_sizes_of(a);
    ag__gemm(AG_CUDA, Y(1), X(0), X(2), 0, 1, s.n, 4 * s.h, s.in, 0, NULL);
}
DEVICE(lstm_all_steps) { ag__lstm_forward_there(a); }
DEVICE(lstm_all_steps_back) { ag__lstm_backward_there(a); }

CALL(lstm_backward_x)
{
    const lstm_sizes s = lstm_sizes_of(a);
    ag__gemm(a->device, DX, Y(1), X(2), 0, 0, s.n, s.in, 4 * s.h, a->add, a->scratch);
}

CALL(lstm_backward_input)
{
    const lstm_sizes s = lstm_sizes_of(a);
    ag__gemm(a->device, DX, Y(1), X(0), 1, 0, 4 * s.h, s.in, s.n, a->add, a->scratch);
}

CALL(lstm_backward_state)
{
    const lstm_sizes s = lstm_sizes_of(a);
    ag__gemm(a->device, DX, Y(1), Y(2), 1, 0, 4 * s.h, s.h, s.n, a->add, a->scratch);
}

CALL(lstm_backward_bias)
{
    const lstm_sizes s = lstm_sizes_of(a);
    ag__column_sums(a->device, DX, Y(1), NULL, s.n, 4 * s.h, a->add, a->scratch);
}

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t lstm_scratch(const ag_args *a, int backward)
{
    const lstm_sizes s = lstm_sizes_of(a);
    const int h = s.h, h4 = 4 * s.h;
    const int64_t steps = ag__lstm_scratch(s, backward);
    if (!backward) return most(steps, ag__gemm_scratch(a->device, 0, 1, s.n, h4, s.in));
    const int64_t weights = most(ag__gemm_scratch(a->device, 1, 0, h4, s.in, s.n),
                                 ag__gemm_scratch(a->device, 1, 0, h4, h, s.n)),
                  rows = most(ag__gemm_scratch(a->device, 0, 0, s.n, s.in, h4),
                              ag__column_scratch(s.n, h4));
    return most(steps, most(weights, rows));
}

static int64_t cuda_scratch(const ag_args *a, int backward)
{
    const lstm_sizes s = lstm_sizes_of(a);
    return most(ag__lstm_scratch_there(s), backward ? ag__column_scratch(s.n, 4 * s.h) : 0);
}

static const ag_kernels cuda = {
    .forward = {&lstm_input_kernel, &lstm_all_steps_kernel},
    .prepare = {&lstm_all_steps_back_kernel},
    .backward = {&lstm_backward_x_kernel, NULL, &lstm_backward_input_kernel,
                 &lstm_backward_state_kernel, &lstm_backward_bias_kernel},
    .scratch = cuda_scratch,
};

static const int32_t four[] = {0, 3, 3, 4, 9}, inner[] = {1, 3, 5}, none[] = {0, 0, 0},
                     one[] = {0, 40};

#define WEIGHTS(in, h) \
 {2, {4 * (h), in}},   \
 {                     \
  2, { 4 * (h), h }    \
 }
static const ag_case cases[] = {
    {.x = {{2, {9, 5}}, {1, {5}}, WEIGHTS(5, 3), {1, {12}}}, .ints = {NULL, four}},
    {.x = {{2, {9, 5}}, {1, {5}}, WEIGHTS(5, 3)}, .ints = {NULL, four}},
    {.x = {{2, {7, 2}}, {1, {3}}, WEIGHTS(2, 2), {1, {8}}}, .ints = {NULL, inner}},
    {.x = {{2, {0, 5}}, {1, {3}}, WEIGHTS(5, 3), {1, {12}}}, .ints = {NULL, none}},
    {.x = {{2, {3, 5}}, {1, {3}}, WEIGHTS(5, 3), {1, {12}}}, .ints = {NULL, none}},
    {.x = {{2, {3, 5}}, {1, {1}}, WEIGHTS(5, 3), {1, {12}}}, .ints = {NULL, none}},
    {.x = {{2, {9, 0}}, {1, {5}}, WEIGHTS(0, 1), {1, {4}}}, .ints = {NULL, four}},
    {.x = {{2, {9, 3}}, {1, {5}}, WEIGHTS(3, 0), {1, {0}}}, .ints = {NULL, four}},
    {.x = {{2, {40, 3}}, {1, {2}}, WEIGHTS(3, 4), {1, {16}}}, .ints = {NULL, one}},
    {.x = {{2, {9, 4}}, {1, {5}}, WEIGHTS(4, 31), {1, {124}}}, .ints = {NULL, four}},
    {.x = {{2, {9, 33}}, {1, {5}}, WEIGHTS(33, 33), {1, {132}}}, .ints = {NULL, four}},
};

static const ag_op lstm = {
    .name = "lstm",
    .formula = "i, f, o = sigmoid, g = tanh of (x w_input' + h w_state' + b); c = f c + i g, "
               "h = o tanh(c), row by row of each sequence; y = the last h",
    .inputs = "x starts w_input w_state bias",
    .ints = SAVE_X(1) | SAVE_Y(3),
    .outputs = 4,
    .shape = lstm_shape,
    .given = SAVE_X(1),
    .forward = {&lstm_forward_kernel},
    .prepare = {&lstm_steps_back_kernel},
    .backward = {&lstm_backward_x_kernel, NULL, &lstm_backward_input_kernel,
                 &lstm_backward_state_kernel, &lstm_backward_bias_kernel},
    .spare = SAVE_Y(2),
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_X(3) | SAVE_Y(1) | SAVE_Y(2) | SAVE_Y(3),
    .scratch = lstm_scratch,
    .cuda = &cuda,
    .cases = cases,
    .n_cases = sizeof cases / sizeof *cases,
};

const ag_op *const ag__ops_lstm[] = {&lstm, NULL};

ag_tensor *ag_lstm(ag_tensor *x, ag_tensor *starts, ag_tensor *w_input, ag_tensor *w_state,
                   ag_tensor *bias)
{
    ag_tensor *in[] = {x, starts, w_input, w_state, bias};
    return ag__record(&lstm, in, bias ? 5 : 4, NULL);
}
