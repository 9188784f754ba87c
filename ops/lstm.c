/* SPDX-License-Identifier: MIT */
/* lstm: the state behind the last row of each sequence. Sequences are ranked by length, the longest
   first, so that step t runs on the first of them alone: nothing is padded. Rows stay where they
   are. Saved: the gates of every row, state and cell before it, and the ranks. Backward puts the
   gradient of the gates in their place, after which the other gradients are one product each. */
#include "ops/lstm.h"
#include "core/columns.h"
#include "core/gemm.h"
#include "core/parallel.h"
#include "ops/ops.h"
#include "ops/table.h"

#include <string.h>

/* x [n,in], w_input [4h,in], w_state [4h,h]. */
typedef struct sizes {
    int n, in, h, sequences;
} sizes;

static sizes sizes_of(const ag_args *a)
{
    return (sizes){a->xs[0].size[0], a->xs[0].size[1], a->xs[3].size[1], a->xs[1].size[0] - 1};
}

static int lstm_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], starts = call->xs[1], wi = call->xs[2], ws = call->xs[3];
    if (x.rank != 2 || wi.rank != 2 || ws.rank != 2)
        return ag__reject(call, "x, w_input and w_state must have two axes");
    if (starts.rank != 1 || starts.size[0] < 1)
        return ag__reject(call, "starts needs one axis with one element more than sequences");
    const int n = x.size[0], h = ws.size[1], sequences = starts.size[0] - 1;
    if ((int64_t)h * 4 != ws.size[0] || wi.size[0] != ws.size[0] || wi.size[1] != x.size[1])
        return ag__reject(call,
                          "x has %d features and w_state %d columns, so w_input must be [%lld,%d] "
                          "and w_state [%lld,%d]",
                          x.size[1], h, 4LL * h, x.size[1], 4LL * h, h);
    if (call->n_in == 5 && (call->xs[4].rank != 1 || call->xs[4].size[0] != ws.size[0]))
        return ag__reject(call, "bias must have %d elements", ws.size[0]);
    if (2LL * sequences + n >= INT_MAX)
        return ag__reject(call, "rows and twice the sequences are more than 2^31 - 2");
    call->ys[0] = AG_SHAPE(sequences, h);
    call->ys[1] = AG_SHAPE(n, ws.size[0]);
    call->ys[2] = AG_SHAPE(2, n, h);
    call->ys[3] = AG_SHAPE(2 * sequences + n + 1);
    return 0;
}

/* ---- Y(3): by rank, the sequence and its first row; then the number of sequences with at least t
        rows, t = 0..n ---- */

typedef struct ranks {
    int32_t *sequence, *first, *at_least;
} ranks;

static ranks ranks_of(const ag_args *a, sizes s)
{
    return (ranks){YI(3), YI(3) + s.sequences, YI(3) + 2 * (int64_t)s.sequences};
}

/* A start outside of the rows is taken as the nearest end, one below its predecessor as that. */
static int start_of(const ag_args *a, sizes s, int g, int least)
{
    const int start = XI(1)[g] < s.n ? XI(1)[g] : s.n;
    return start > least ? start : least;
}

/* Counting sort by length; sequences of one length stay in order. */
static void rank_sequences(const ag_args *a, sizes s, ranks by)
{
    int longer = 0, first = start_of(a, s, 0, 0);
    memset(by.at_least, 0, (size_t)(s.n + 1) * sizeof *by.at_least);
    for (int g = 0, row = first; g < s.sequences; g++) {
        const int end = start_of(a, s, g + 1, row);
        by.at_least[end - row]++;
        row = end;
    }
    for (int t = s.n; t >= 0; t--) {
        const int count = by.at_least[t];
        by.at_least[t] = longer;
        longer += count;
    }
    for (int g = 0, row = first; g < s.sequences; g++) {
        const int end = start_of(a, s, g + 1, row), rank = by.at_least[end - row]++;
        by.sequence[rank] = g;
        by.first[rank] = row;
        row = end;
    }
}

/* Rows of an array outside of all sequences become 0. */
static void clear_outside(const ag_args *a, sizes s, ag_real *rows, int64_t width)
{
    int first = start_of(a, s, 0, 0), end = first;
    for (int g = 0; g < s.sequences; g++) end = start_of(a, s, g + 1, end);
    memset(rows, 0, (size_t)(first * width) * sizeof *rows);
    memset(rows + end * width, 0, (size_t)((s.n - end) * width) * sizeof *rows);
}

/* ---- a step: the rows t of the sequences that have one, arrays in order of rank ---- */

typedef struct step {
    const ag_args *a;
    sizes s;
    ranks by;
    int t, active;
    ag_real *state, *cell, *product; /* backward: their gradients; that of the gates */
    ag_real *weight, *more;          /* forward: w_state'; scratch of products */
} step;

static step step_of(const ag_args *a)
{
    const sizes s = sizes_of(a);
    const int64_t state = (int64_t)s.sequences * s.h;
    step p = {a,    s,          ranks_of(a, s),     0,
              0,    a->scratch, a->scratch + state, a->scratch + 2 * state,
              NULL, NULL};
    p.weight = p.product + 4 * state;
    p.more = p.weight;
    return p;
}

static int set_step(step *p, int t)
{
    p->t = t;
    p->active = t < p->s.n ? p->by.at_least[t + 1] : 0;
    return p->active;
}

/* Ranks in a block of work. */
static int block_ranks(int h) { return 1 + 4095 / (h + 1); }

static void each_block(step *p, void (*body)(void *context, int64_t block, int thread))
{
    const int ranks = block_ranks(p->s.h);
    ag__parallel((p->active + ranks - 1) / ranks, body, p);
}

static void forward_block(void *context, int64_t block, int thread)
{
    const step *p = context;
    const ag_args *a = p->a;
    const int64_t h = p->s.h, lo = block * block_ranks(p->s.h), end = lo + block_ranks(p->s.h);
    ag_real *gates = Y(1), *before_state = Y(2), *before_cell = before_state + p->s.n * h;
    (void)thread;
    for (int64_t k = lo; k < end && k < p->active; k++) {
        const int64_t r = p->by.first[k] + p->t;
        lstm_row(gates + 4 * r * h, before_state + r * h, before_cell + r * h, p->state + k * h,
                 p->cell + k * h, p->product + 4 * k * h, a->n_in == 5 ? X(4) : NULL, p->s.h);
    }
}

static void backward_block(void *context, int64_t block, int thread)
{
    const step *p = context;
    const ag_args *a = p->a;
    const int64_t h = p->s.h, lo = block * block_ranks(p->s.h), end = lo + block_ranks(p->s.h);
    ag_real *gates = Y(1), *before_cell = Y(2) + p->s.n * h;
    (void)thread;
    for (int64_t k = lo; k < end && k < p->active; k++) {
        const int64_t r = p->by.first[k] + p->t;
        lstm_row_back(gates + 4 * r * h, p->product + 4 * k * h, p->cell + k * h, p->state + k * h,
                      before_cell + r * h, p->s.h);
    }
}

/* ---- kernels ---- */

static void turn(ag_real *to, const ag_real *from, int64_t rows, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) to[j * rows + i] = from[i * columns + j];
}

static void lstm_forward(const ag_args *a)
{
    step p = step_of(a);
    const sizes s = p.s;
    const size_t row = (size_t)s.h * sizeof(ag_real), all = (size_t)s.sequences * row;
    p.more = p.weight + 4 * (int64_t)s.h * s.h;
    rank_sequences(a, s, p.by);
    ag__gemm(Y(1), X(0), X(2), 0, 1, s.n, 4 * s.h, s.in, 0, p.more);
    turn(p.weight, X(3), 4 * (int64_t)s.h, s.h);
    clear_outside(a, s, Y(2), s.h);
    clear_outside(a, s, Y(2) + (int64_t)s.n * s.h, s.h);
    memset(p.state, 0, all);
    memset(p.cell, 0, all);
    memset(p.product, 0, 4 * all);
    for (int t = 0; set_step(&p, t); t++) {
        if (t) ag__gemm(p.product, p.state, p.weight, 0, 0, p.active, 4 * s.h, s.h, 0, p.more);
        each_block(&p, forward_block);
    }
    for (int64_t k = 0; k < s.sequences; k++)
        memcpy(Y(0) + (int64_t)p.by.sequence[k] * s.h, p.state + k * s.h, row);
}
static const ag_kernel lstm_forward_kernel = {"lstm_forward", NULL, NULL, lstm_forward, NULL, NULL};

/* From here on Y(1) holds the gradient of the gates' inputs. */
static void lstm_steps_back(const ag_args *a)
{
    step p = step_of(a);
    const sizes s = p.s;
    const size_t row = (size_t)s.h * sizeof(ag_real), all = (size_t)s.sequences * row;
    int t = 0;
    for (int64_t k = 0; k < s.sequences; k++)
        memcpy(p.state + k * s.h, DY(0) + (int64_t)p.by.sequence[k] * s.h, row);
    memset(p.cell, 0, all);
    clear_outside(a, s, Y(1), 4 * (int64_t)s.h);
    while (set_step(&p, t)) t++;
    while (t-- > 0) {
        set_step(&p, t);
        each_block(&p, backward_block);
        if (t) ag__gemm(p.state, p.product, X(3), 0, 0, p.active, s.h, 4 * s.h, 0, p.more);
    }
}
static const ag_kernel lstm_steps_back_kernel = {"lstm_steps_back", NULL, NULL,
                                                 lstm_steps_back,   NULL, NULL};

static void lstm_backward_x(const ag_args *a)
{
    const sizes s = sizes_of(a);
    ag__gemm(DX, Y(1), X(2), 0, 0, s.n, s.in, 4 * s.h, a->add, a->scratch);
}
static const ag_kernel lstm_backward_x_kernel = {"lstm_backward_x", NULL, NULL,
                                                 lstm_backward_x,   NULL, NULL};

static void lstm_backward_input(const ag_args *a)
{
    const sizes s = sizes_of(a);
    ag__gemm(DX, Y(1), X(0), 1, 0, 4 * s.h, s.in, s.n, a->add, a->scratch);
}
static const ag_kernel lstm_backward_input_kernel = {"lstm_backward_input", NULL, NULL,
                                                     lstm_backward_input,   NULL, NULL};

static void lstm_backward_state(const ag_args *a)
{
    const sizes s = sizes_of(a);
    ag__gemm(DX, Y(1), Y(2), 1, 0, 4 * s.h, s.h, s.n, a->add, a->scratch);
}
static const ag_kernel lstm_backward_state_kernel = {"lstm_backward_state", NULL, NULL,
                                                     lstm_backward_state,   NULL, NULL};

static void lstm_backward_bias(const ag_args *a)
{
    const sizes s = sizes_of(a);
    ag__column_sums(DX, Y(1), NULL, s.n, 4 * s.h, a->add, a->scratch);
}
static const ag_kernel lstm_backward_bias_kernel = {"lstm_backward_bias", NULL, NULL,
                                                    lstm_backward_bias,   NULL, NULL};

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t lstm_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    const int64_t steps = 6 * (int64_t)s.sequences * s.h;
    const int h = s.h, h4 = 4 * s.h;
    int64_t more = backward ? 0 : ag__gemm_scratch(s.n, h4, s.in);
    for (int k = 1; k <= s.sequences; k++)
        more = most(more, backward ? ag__gemm_scratch(k, h, h4) : ag__gemm_scratch(k, h4, h));
    if (!backward) return steps + (int64_t)h4 * h + more;
    const int64_t weights = most(ag__gemm_scratch(h4, s.in, s.n), ag__gemm_scratch(h4, h, s.n)),
                  rows = most(ag__gemm_scratch(s.n, s.in, h4), ag__column_scratch(s.n, h4));
    return most(steps + more, most(weights, rows));
}

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
    .forward = {&lstm_forward_kernel},
    .prepare = {&lstm_steps_back_kernel},
    .backward = {&lstm_backward_x_kernel, NULL, &lstm_backward_input_kernel,
                 &lstm_backward_state_kernel, &lstm_backward_bias_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_X(3) | SAVE_Y(1) | SAVE_Y(2) | SAVE_Y(3),
    .scratch = lstm_scratch,
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
