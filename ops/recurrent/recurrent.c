/* SPDX-License-Identifier: MIT */
/* lstm, gru: the state after the last row of each sequence, or after every row. The part of the
   input in the gates of all rows is one product, then the steps run (recurrent_step.c). Saved:
   the gates of every row, and the ranks; where a backward follows, also the state before every row
   and, of an LSTM, the cell before it or, of a GRU, the part of the state in the gates. Backward
   puts the gradients of the gates, and of the part of the state, in their place; then every other
   gradient is one product. */
#include "ops/recurrent/recurrent.h"
#include "core/columns.h"
#include "core/gemm.h"
#include "ops/ops.h"
#include "ops/recurrent/recurrent_step.h"
#include "ops/table.h"

static int shape_of(ag_call *call, int gates)
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
    const int64_t wide = (int64_t)gates * h;
    if (wide != ws.size[0] || wi.size[0] != ws.size[0] || wi.size[1] != x.size[1])
        return ag__reject_input(
            call, wide != ws.size[0] ? 3 : 2,
            "x has %d features and w_state %d columns, so w_input must be [%lld,%d] "
            "and w_state [%lld,%d]",
            x.size[1], h, (long long)wide, x.size[1], (long long)wide, h);
    for (int i = 4; i < call->n_in; i++)
        if (call->xs[i].rank != 1 || call->xs[i].size[0] != ws.size[0])
            return ag__reject_input(call, i, "a bias must have %d elements", ws.size[0]);
    if (2LL * sequences + n >= INT_MAX)
        return ag__reject(call, "rows and twice the sequences are more than 2^31 - 2");
    call->ys[0] = AG_SHAPE(call->attr.i[ALL_STATES] ? n : sequences, h);
    call->ys[1] = AG_SHAPE(n, ws.size[0]);
    call->ys[2] = AG_SHAPE(gates == 3 ? 4 : 2, n, h);
    call->ys[3] = AG_SHAPE(2 * sequences + n + 1);
    return 0;
}

static int lstm_shape(ag_call *call) { return shape_of(call, 4); }
static int gru_shape(ag_call *call) { return shape_of(call, 3); }

/* ---- forward, and the steps of backward ---- */

/* The part of the input in all gates. */
CALL(recurrent_input)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    ag__gemm(a->device, Y(1), X(0), X(2), 0, 1, s.n, s.wide, s.in, 0, a->scratch);
}

CALL(lstm_steps) { ag__recurrent_forward(a, &lstm_step_kernel); }
CALL(gru_steps) { ag__recurrent_forward(a, &gru_step_kernel); }
CALL(lstm_steps_back) { ag__recurrent_backward(a, &lstm_step_back_kernel); }
CALL(gru_steps_back) { ag__recurrent_backward(a, &gru_step_back_kernel); }

/* ---- gradients of the inputs ---- */

/* The gradient of the state's part in the gates: that of the input's part, except in a GRU. */
static const ag_real *state_gates(const ag_args *a, recurrent_sizes s)
{
    return a->ys[2].size[0] == 2 ? Y(1) : Y(2) + (int64_t)s.n * s.h;
}

CALL(recurrent_backward_x)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    ag__gemm(a->device, DX, Y(1), X(2), 0, 0, s.n, s.in, s.wide, a->add, a->scratch);
}

CALL(recurrent_backward_input)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    ag__gemm(a->device, DX, Y(1), X(0), 1, 0, s.wide, s.in, s.n, a->add, a->scratch);
}

CALL(recurrent_backward_state)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    ag__gemm(a->device, DX, state_gates(a, s), Y(2), 1, 0, s.wide, s.h, s.n, a->add, a->scratch);
}

CALL(recurrent_backward_bias)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    const ag_real *gates = a->which == 4 ? Y(1) : state_gates(a, s);
    ag__column_sums(a->device, DX, gates, NULL, s.n, s.wide, a->add, a->scratch);
}

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t scratch_of(const ag_args *a, int backward)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    const int64_t steps = ag__recurrent_scratch(a, backward);
    if (!backward) return most(steps, ag__gemm_scratch(a->device, 0, 1, s.n, s.wide, s.in));
    const int64_t weights = most(ag__gemm_scratch(a->device, 1, 0, s.wide, s.in, s.n),
                                 ag__gemm_scratch(a->device, 1, 0, s.wide, s.h, s.n)),
                  rows = most(ag__gemm_scratch(a->device, 0, 0, s.n, s.in, s.wide),
                              ag__column_scratch(s.n, s.wide));
    return most(steps, most(weights, rows));
}

/* ---- the table ---- */

#define GRADIENTS                                                      \
 &recurrent_backward_x_kernel, NULL, &recurrent_backward_input_kernel, \
     &recurrent_backward_state_kernel, &recurrent_backward_bias_kernel

static const int32_t four[] = {0, 3, 3, 4, 9}, inner[] = {1, 3, 5}, none[] = {0, 0, 0},
                     one[] = {0, 40}, alone[] = {0}, tall[] = {0, 1025, 1030};

enum { SAVED = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_X(3) | SAVE_Y(1) | SAVE_Y(2) | SAVE_Y(3) };

/* Attributes follow; of an LSTM the second bias is not an input. */
#define CASE(gates, biased, n, in, ends, h, ...)                                                 \
 {                                                                                               \
  .x = {{2, {n, in}},        {1, {sizeof ends / sizeof *ends}}, {2, {gates * h, in}},            \
        {2, {gates * h, h}}, {biased, {biased * gates * h}},    {biased, {biased * gates * h}}}, \
  .ints = {NULL, ends}, .attr = {                                                                \
      .i = {__VA_ARGS__}                                                                         \
  }                                                                                              \
 }
#define CASES(gates, ...)                                                                     \
 CASE(gates, 1, 9, 5, four, 3, __VA_ARGS__), CASE(gates, 0, 9, 5, four, 3, __VA_ARGS__),      \
     CASE(gates, 1, 7, 2, inner, 2, __VA_ARGS__), CASE(gates, 1, 0, 5, none, 3, __VA_ARGS__), \
     CASE(gates, 1, 3, 5, none, 3, __VA_ARGS__), CASE(gates, 1, 3, 5, alone, 3, __VA_ARGS__), \
     CASE(gates, 1, 9, 0, four, 1, __VA_ARGS__), CASE(gates, 1, 9, 3, four, 0, __VA_ARGS__),  \
     CASE(gates, 1, 40, 3, one, 4, __VA_ARGS__), CASE(gates, 1, 9, 4, four, 31, __VA_ARGS__), \
     CASE(gates, 1, 9, 33, four, 33, __VA_ARGS__), CASE(gates, 1, 1030, 2, tall, 1, __VA_ARGS__)
static const ag_case lstm_cases[] = {CASES(4, 0), CASES(4, 1), CASES(4, 1, 1)};
static const ag_case gru_cases[] = {CASES(3, 0), CASES(3, 1), CASES(3, 1, 1)};

static const ag_op lstm = {
    .name = "lstm",
    .formula = "i, f, o = sigmoid, g = tanh of (x w_input' + h w_state' + b); c = f c + i g, "
               "h = o tanh(c), row by row of each sequence (i1 = 1: from its last row); "
               "y = the last h (i0 = 1: all)",
    .inputs = "x starts w_input w_state bias",
    .ints = SAVE_X(1) | SAVE_Y(3),
    .outputs = 4,
    .shape = lstm_shape,
    .given = SAVE_X(1),
    .forward = {&recurrent_input_kernel, &lstm_steps_kernel},
    .prepare = {&lstm_steps_back_kernel},
    .backward = {GRADIENTS},
    .spare = SAVE_Y(2),
    .saves = SAVED,
    .scratch = scratch_of,
    AG_CASES(lstm_cases),
};

static const ag_op gru = {
    .name = "gru",
    .formula =
        "p = x w_input' + b_input, q = h w_state' + b_state; r, z = sigmoid(p + q), n = tanh(p "
        "+ r q) of their thirds; h = (1 - z) n + z h, row by row of each sequence (i1 = 1: "
        "from its last row); y = the last h (i0 = 1: all)",
    .inputs = "x starts w_input w_state b_input b_state",
    .ints = SAVE_X(1) | SAVE_Y(3),
    .outputs = 4,
    .shape = gru_shape,
    .given = SAVE_X(1),
    .forward = {&recurrent_input_kernel, &gru_steps_kernel},
    .prepare = {&gru_steps_back_kernel},
    .backward = {GRADIENTS, &recurrent_backward_bias_kernel},
    .spare = SAVE_Y(2),
    .saves = SAVED,
    .scratch = scratch_of,
    AG_CASES(gru_cases),
};

const ag_op *const ag__ops_recurrent[] = {&lstm, &gru, NULL};

ag_tensor *ag_lstm(ag_tensor *x, ag_tensor *starts, ag_tensor *w_input, ag_tensor *w_state,
                   ag_tensor *bias)
{
    ag_tensor *in[] = {x, starts, w_input, w_state, bias};
    return ag__check_starts(ag__record(&lstm, in, bias ? 5 : 4, NULL), 1);
}

ag_tensor *ag_lstm_states(ag_tensor *x, ag_tensor *starts, ag_tensor *w_input, ag_tensor *w_state,
                          ag_tensor *bias, int backwards)
{
    ag_tensor *in[] = {x, starts, w_input, w_state, bias};
    return ag__check_starts(
        ag__record(&lstm, in, bias ? 5 : 4, &(ag_attr){.i = {1, backwards != 0}}), 1);
}

ag_tensor *ag_gru(ag_tensor *x, ag_tensor *starts, ag_tensor *w_input, ag_tensor *w_state,
                  ag_tensor *b_input, ag_tensor *b_state)
{
    ag_tensor *in[] = {x, starts, w_input, w_state, b_input, b_state};
    return ag__check_starts(ag__record(&gru, in, b_input || b_state ? 6 : 4, NULL), 1);
}

ag_tensor *ag_gru_states(ag_tensor *x, ag_tensor *starts, ag_tensor *w_input, ag_tensor *w_state,
                         ag_tensor *b_input, ag_tensor *b_state, int backwards)
{
    ag_tensor *in[] = {x, starts, w_input, w_state, b_input, b_state};
    return ag__check_starts(
        ag__record(&gru, in, b_input || b_state ? 6 : 4, &(ag_attr){.i = {1, backwards != 0}}), 1);
}
