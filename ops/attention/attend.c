/* SPDX-License-Identifier: MIT */
/* attend: what a layer of TGraph does with a node after its product, y = dropout(gelu(r + [v, v
   softmax(v / t)])) with v the channel attention of x, in one sweep: a node's configurations pass
   all its parts while they are in the cache. Saved: x, r, the narrow hidden rows and two numbers
   per column; all else is computed again. */
#include "core/shape.h"
#include "ops/attention/attend.h"
#include "ops/attention/attend_internal.h"
#include "ops/ops.h"
#include "ops/table.h"

static int attend_shape(ag_call *call)
{
    const ag_shape x = call->xs[X_];
    const int f = x.size[2], r = call->xs[W1].size[0];
    if (x.rank != 3) return ag__reject(call, "x must be [nodes, configurations, features]");
    if (refuse_weights(call, f)) return 1;
    if (ag_shape_count(call->xs[T]) != 1) return ag__reject(call, "t must have one element");
    if (f > INT_MAX / 2) return ag__reject(call, "too many features");
    if (!(call->attr.f[0] >= 0 && call->attr.f[0] <= 1 - 1.0 / 65536))
        return ag__reject(call, "p is %g, but must be at least 0 and at most 1 - 2^-16",
                          call->attr.f[0]);
    call->ys[0] = AG_SHAPE(x.size[0], x.size[1], 2 * f);
    call->ys[1] = AG_SHAPE(x.size[0], x.size[1], r);
    call->ys[2] = AG_SHAPE(x.size[0], 2, f);
    if (call->n_in > R && !ag_shape_equal(call->xs[R], call->ys[0]))
        return ag__reject(call, "r must be [%d,%d,%d]", x.size[0], x.size[1], 2 * f);
    return 0;
}

static int64_t forward_count(const ag_args *a) { return a->xs[X_].size[0]; }
static int64_t forward_grain(const ag_args *a) { return group_of(sizes_of(a)); }

static const ag_kernel attend_forward = {.name = "attend_forward",
                                         .count = forward_count,
                                         .range = ag__attend_nodes,
                                         .grain = forward_grain};

static int64_t attend_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    return panels_size(s.f, s.r, backward) +
           (backward ? slopes_size(s) + PIECES * piece_size(s) : 0);
}

static const ag_kernel attend_backward_x = {.name = "attend_backward_x",
                                            .count = pieces_count,
                                            .range = ag__attend_pieces,
                                            .grain = pieces_grain};

HOST(attend_backward_weight)
{
    const sizes s = sizes_of(a);
    add_weight(a, room_of(a, s, 0).sums, piece_size(s), s.f, s.r);
}

/* dt = -1/t^2 times the sum of all slopes, added in order of the nodes. */
HOST(attend_backward_t)
{
    const sizes s = sizes_of(a);
    const ag_real t = X(T)[0];
    double total = 0;
    for (int v = 0; v < s.nodes; v++) {
        const ag_real *slopes = a->scratch + panels_size(s.f, s.r, 1) + (int64_t)v * s.f;
        ag_real sum;
        SUM(sum, j, s.f, slopes[j]);
        total += (double)sum;
    }
    const ag_real dt = (ag_real)(-total / ((double)t * (double)t));
    DX[0] = a->add ? DX[0] + dt : dt;
}

/* ---- on a device ---- */

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* The gradient of all that precedes the gates is one kernel where the weights fit
 * (core/cuda/device.h). */
static int one_kernel(sizes s) { return ag__device_channel_fits(s.f, s.r); }

static int64_t hidden_scratch(sizes s)
{
    return one_kernel(s) ? ag__device_channel_scratch(rows_of(s), s.f, s.r) : rows_of(s) * s.r;
}
static ag_real *sums_of(const ag_args *a)
{
    return attend_room_of(a).dh + hidden_scratch(sizes_of(a));
}

static int64_t cuda_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    const int64_t nodes = s.nodes, rows = rows_of(s);
    if (!backward) return attend_fits(s) ? 0 : rows * s.f;
    return rows * (attend_back_fits(s) ? 1 : 3) * s.f + (2 * nodes + 1) * s.f + hidden_scratch(s) +
           most(ag__column_scratch(rows, s.r), ag__column_scratch(nodes, s.f));
}

DEVICE(attend_hidden)
{
    const sizes s = sizes_of(a);
    ag__gemm(AG_CUDA, Y(1), X(X_), X(W1), 0, 1, (int)rows_of(s), s.r, s.f, 0, NULL);
}
static void attend_wide(const ag_args *a)
{
    const sizes s = sizes_of(a);
    ag__gemm(AG_CUDA, a->scratch, Y(1), X(W2), 0, 1, (int)rows_of(s), s.f, s.r, 0, NULL);
}
DEVICE(attend_rest)
{
    if (attend_fits(sizes_of(a))) {
        attend_tile_kernel.cuda(a);
        return;
    }
    attend_wide(a);
    attend_columns_kernel.cuda(a);
}
DEVICE(attend_all_back_x)
{
    const sizes s = sizes_of(a);
    const attend_room o = attend_room_of(a);
    const int rows = (int)rows_of(s);
    if (attend_back_fits(s)) {
        attend_tile_back_kernel.cuda(a);
    } else {
        attend_wide(a);
        attend_columns_back_kernel.cuda(a);
    }
    if (one_kernel(s)) {
        const ag__channel in = {X(X_), X(W1), NULL, X(W2), NULL, rows, s.f, s.r};
        ag__device_channel_backward(DX, o.dh, NULL, o.gate, Y(1), &in, 1);
        return;
    }
    ag__gemm(AG_CUDA, o.dh, o.gate, X(W2), 0, 0, rows, s.r, s.f, 0, NULL);
    attend_squeeze_back_kernel.cuda(a);
    ag__gemm(AG_CUDA, DX, o.dh, X(W1), 0, 0, rows, s.f, s.r, 1, NULL);
}
DEVICE(attend_all_back_weight)
{
    const sizes s = sizes_of(a);
    const attend_room o = attend_room_of(a);
    if (a->which == B2 && !one_kernel(s))
        ag__column_sums(AG_CUDA, DX, o.db, NULL, s.nodes, s.f, a->add, sums_of(a));
    else
        add_weight_there(a, o.dh, o.gate, sums_of(a), (int)rows_of(s), s.f, s.r);
}
DEVICE(attend_all_back_t)
{
    const sizes s = sizes_of(a);
    const attend_room o = attend_room_of(a);
    ag__column_sums(AG_CUDA, o.total, o.slopes, NULL, s.nodes, s.f, 0, sums_of(a));
    attend_slope_of_t_kernel.cuda(a);
}

static const ag_kernels cuda = {
    .forward = {&attend_hidden_kernel, &attend_squeeze_kernel, &attend_rest_kernel},
    .backward = {&attend_all_back_x_kernel, WEIGHTS(attend_all_back_weight_kernel),
                 &attend_all_back_t_kernel, &attend_all_back_x_kernel},
    .scratch = cuda_scratch,
};

/* ---- the table ---- */

#define INPUTS(N, C, F, NARROW)                                               \
 {3, {N, C, F}}, {2, {NARROW, F}}, {1, {NARROW}}, {2, {F, NARROW}}, {1, {F}}, \
 {                                                                            \
  1, { 1 }                                                                    \
 }
#define RESIDUAL(N, C, F) \
 {                        \
  3, { N, C, 2 * (F) }    \
 }
#define CASES(P)                                                                                  \
 {                                                                                                \
  {.x = {INPUTS(2, 5, 4, 3), RESIDUAL(2, 5, 4)}, .attr = {.f = {P}}, .lo = 0.3, .hi = 2},         \
      {.x = {INPUTS(2, 5, 4, 3)}, .attr = {.f = {P}}, .lo = 0.3, .hi = 1},                        \
      {.x = {INPUTS(3, 7, 33, 4), RESIDUAL(3, 7, 33)}, .attr = {.f = {P}}, .lo = 0.2, .hi = 0.8}, \
      {.x = {INPUTS(0, 4, 3, 2), RESIDUAL(0, 4, 3)}, .attr = {.f = {P}}, .lo = 0.3, .hi = 1},     \
      {.x = {INPUTS(2, 0, 3, 2), RESIDUAL(2, 0, 3)}, .attr = {.f = {P}}, .lo = 0.3, .hi = 1},     \
      {.x = {INPUTS(40, 1, 8, 1)}, .attr = {.f = {P}}, .lo = 0.2, .hi = 1},                       \
      {.x = {INPUTS(1, 300, 8, 2), RESIDUAL(1, 300, 8)}, .attr = {.f = {P}}, .lo = 0.3, .hi = 1}, \
      {.x = {INPUTS(2, 9, 40, 70)}, .attr = {.f = {P}}, .lo = 0.1, .hi = 0.3},                    \
      {.x = {INPUTS(1, 400, 3, 2), RESIDUAL(1, 400, 3)}, .attr = {.f = {P}}, .lo = 0.3, .hi = 1}, \
 }
static const ag_case cases[] = CASES(0);
static const ag_case dropout_cases[] = CASES(0.25);

#define ATTEND_OP(NAME, FORMULA, CASE_LIST, RANDOM, REPLACES)                                      \
 {                                                                                                 \
  .name = NAME, .formula = FORMULA, .inputs = "x w1 b1 w2 b2 t r", .outputs = 3,                   \
  .shape = attend_shape, .forward = {&channel_pack_kernel, &attend_forward},                       \
  .prepare = {&channel_pack_back_kernel},                                                          \
  .backward = {&attend_backward_x, WEIGHTS(attend_backward_weight_kernel),                         \
               &attend_backward_t_kernel, &attend_backward_x},                                     \
  .also = R, .first_serves_all = 1,                                                                \
  .saves = SAVE_X(X_) | SAVE_X(W1) | SAVE_X(W2) | SAVE_X(B2) | SAVE_X(T) | SAVE_X(R) | SAVE_Y(1) | \
           SAVE_Y(2),                                                                              \
  .scratch = attend_scratch, .cuda = &cuda, .leads = 2, .random = RANDOM, .has_kinks = 1,          \
  AG_CASES(CASE_LIST), .replaces = REPLACES                                                        \
 }
#define COMPOSITION                                                                               \
 "gelu(add(r, concat2(v, cross_attention(v, t), -1))), v = mul(x, sigmoid(linear(relu(linear(x, " \
 "w1, b1)), w2, b2)))"

static const ag_op attend = ATTEND_OP(
    "attend", "y = gelu(r + [v, v softmax(v / t)]), v = x sigmoid(relu(x w1' + b1) w2' + b2)",
    cases, 0, COMPOSITION);
static const ag_op attend_dropout =
    ATTEND_OP("attend_dropout", "y = attend(...) / (1 - p) with probability 1 - p, else 0",
              dropout_cases, 1, "dropout of " COMPOSITION);

const ag_op *const ag__ops_attend[] = {&attend, &attend_dropout, NULL};

ag_tensor *ag_attend(ag_tensor *x, const ag_attend_weights *w, ag_tensor *r, ag_real p)
{
    const ag_attend_weights none = {NULL, NULL, NULL, NULL, NULL}, *all = w ? w : &none;
    ag_tensor *in[] = {x, all->w1, all->b1, all->w2, all->b2, all->t, r};
    const int drops = ag_is_training(ag_tape_of(x)) && p != 0;
    return ag__record(drops ? &attend_dropout : &attend, in, r ? R + 1 : R,
                      &(ag_attr){.f = {drops ? (double)p : 0}});
}
