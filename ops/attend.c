/* SPDX-License-Identifier: MIT */
/* attend: what a layer of TGraph does with a node after its product, y = dropout(gelu(r + [v, v
   softmax(v / t)])) with v the channel attention of x, in one sweep: a node's configurations pass
   all of it while they are in the cache. Saved: x, r, the narrow hidden rows and two numbers per
   column; all else is computed again. */
#include "ops/attend.h"
#include "core/blocks.h"
#include "core/gemm.h"
#include "core/panels.h"
#include "ops/ops.h"
#include "ops/table.h"

#include <string.h>

/* Rows that pass together, at least where there are as many; pieces of nodes that each sum up
   gradients of the weights of their own. */
enum { ROWS = 256, PIECES = 16 };

enum { X_, W1, B1, W2, B2, T, R }; /* inputs */

/* x [nodes,configs,f], w1 [r,f], w2 [f,r]. */
typedef struct sizes {
    int nodes, configs, f, r;
} sizes;

static sizes sizes_of(const ag_args *a)
{
    return (sizes){a->xs[X_].size[0], a->xs[X_].size[1], a->xs[X_].size[2], a->xs[W1].size[0]};
}

static int64_t rows_of(sizes s) { return (int64_t)s.nodes * s.configs; }

static int attend_shape(ag_call *call)
{
    const ag_shape x = call->xs[X_], w1 = call->xs[W1], w2 = call->xs[W2], b1 = call->xs[B1],
                   b2 = call->xs[B2];
    const int f = x.size[2], r = w1.size[0];
    if (x.rank != 3) return ag__reject(call, "x must be [nodes, configurations, features]");
    if (w1.rank != 2 || w2.rank != 2 || w1.size[1] != f || w2.size[0] != f || w2.size[1] != r)
        return ag__reject(call, "x has %d features, so w1 must be [r,%d] and w2 [%d,r]", f, f, f);
    if (b1.rank != 1 || b1.size[0] != r || b2.rank != 1 || b2.size[0] != f)
        return ag__reject(call, "b1 must have %d elements and b2 %d", r, f);
    if (ag_shape_count(call->xs[T]) != 1) return ag__reject(call, "t must have one element");
    if (f > INT_MAX / 2) return ag__reject(call, "too many features");
    if (ag__rows(x) > INT_MAX) return ag__reject(call, "more than 2^31 rows");
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

/* Nodes that pass together. */
static int group_of(sizes s)
{
    const int n = s.configs ? ROWS / s.configs : ROWS;
    return n < 1 ? 1 : n;
}

/* ---- forward: scratch holds the panels of w1' and w2' ---- */

CALL(attend_pack)
{
    const sizes s = sizes_of(a);
    ag__panels_pack(a->scratch, X(W1), 1, s.r, s.f);
    ag__panels_pack(a->scratch + ag__panels_size(s.r, s.f), X(W2), 1, s.f, s.r);
}

static void forward_node(const ag_args *a, sizes s, int64_t node)
{
    const int64_t first = node * s.configs;
    const ag_real over = 1 / X(T)[0];
    const ag_real *x = X(X_) + first * s.f, *r = a->n_in > R ? X(R) + first * 2 * s.f : NULL;
    ag_real *y = Y(0) + first * 2 * s.f, *top = Y(2) + node * 2 * s.f, *sum = top + s.f;
    for (int j = 0; j < s.f; j++) top[j] = -INFINITY;
    for (int j = 0; j < s.f; j++) sum[j] = 0;
    for (int c = 0; c < s.configs; c++)
        attend_gate(y + 2 * (int64_t)c * s.f, top, x + (int64_t)c * s.f, X(B2), over, s.f);
    for (int c = 0; c < s.configs; c++) {
        ag_real *v = y + 2 * (int64_t)c * s.f;
        attend_weigh(v + s.f, sum, v, top, over, s.f);
    }
    for (int j = 0; j < s.f; j++) sum[j] = 1 / sum[j];
    for (int c = 0; c < s.configs; c++) {
        const int64_t at = 2 * (int64_t)c * s.f;
        attend_gelu(y + at, NULL, r ? r + at : NULL, s.f);
        attend_gelu(y + at + s.f, sum, r ? r + at + s.f : NULL, s.f);
        if (a->attr.f[0] > 0) attend_drop(y + at, a, (first + c) * 2 * s.f, 2 * s.f);
    }
}

static int64_t forward_count(const ag_args *a) { return a->xs[X_].size[0]; }
static int64_t forward_grain(const ag_args *a) { return group_of(sizes_of(a)); }

/* What the gate is made of goes to the left half of y. */
static void forward_nodes(const ag_args *a, int64_t lo, int64_t hi)
{
    const sizes s = sizes_of(a);
    const int first = (int)(lo * s.configs), last = (int)(hi * s.configs);
    const ag_real *w1 = a->scratch, *w2 = w1 + ag__panels_size(s.r, s.f);
    ag_real *h = Y(1);
    ag__panels_rows(h, X(X_), w1, NULL, (int)rows_of(s), s.r, s.f, 0, first, last);
    squeeze_rows(h + (int64_t)first * s.r, X(B1), last - first, s.r);
    const ag_product p = {.c = Y(0),
                          .a = h,
                          .c_row = 2 * (int64_t)s.f,
                          .a_row = s.r,
                          .m = (int)rows_of(s),
                          .n = s.f,
                          .k = s.r};
    ag__product_packed(&p, w2, first, last, 0, ag__panels_of(s.f));
    for (int64_t v = lo; v < hi; v++) forward_node(a, s, v);
}
static const ag_kernel attend_forward = {"attend_forward", forward_count, forward_nodes, NULL, NULL,
                                         forward_grain};

/* ---- backward: scratch holds the panels of w2', w2 and w1, the slope of each node's columns by
   1 / t, and for each piece sums of dw1, dw2, db1, db2 and what its blocks need ---- */

static int64_t whole_lines(int64_t n) { return (n + 15) / 16 * 16; }
static int64_t sums_size(sizes s) { return 2 * (int64_t)s.f * s.r + s.f + s.r; }
static int64_t panels_size(sizes s)
{
    return 2 * ag__panels_size(s.f, s.r) + ag__panels_size(s.r, s.f);
}
static int64_t slopes_size(sizes s) { return whole_lines((int64_t)s.nodes * s.f); }
static int64_t block_rows(sizes s) { return (int64_t)group_of(s) * s.configs; }

/* Gates, softmax and both halves of the gradient of GELU's input; hidden gradients; three sums. */
static int64_t piece_size(sizes s)
{
    const int64_t rows = block_rows(s);
    return whole_lines(sums_size(s)) + 4 * whole_lines(rows * s.f) + whole_lines(rows * s.r) +
           3 * whole_lines(s.f);
}

static int64_t attend_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    return backward ? panels_size(s) + slopes_size(s) + PIECES * piece_size(s)
                    : ag__panels_size(s.r, s.f) + ag__panels_size(s.f, s.r);
}

CALL(attend_pack_back)
{
    const sizes s = sizes_of(a);
    ag_real *w2 = a->scratch + ag__panels_size(s.f, s.r), *w1 = w2 + ag__panels_size(s.r, s.f);
    ag__panels_pack(a->scratch, X(W2), 1, s.f, s.r);
    ag__panels_pack(w2, X(W2), 0, s.r, s.f);
    ag__panels_pack(w1, X(W1), 0, s.f, s.r);
}

/* A piece's scratch. */
typedef struct room {
    ag_real *sums, *gate, *soft, *g, *dh, *sp, *spv, *sv;
} room;

static room room_of(const ag_args *a, sizes s, int64_t piece)
{
    const int64_t wide = whole_lines(block_rows(s) * s.f),
                  narrow = whole_lines(block_rows(s) * s.r);
    room o;
    o.sums = a->scratch + panels_size(s) + slopes_size(s) + piece * piece_size(s);
    o.gate = o.sums + whole_lines(sums_size(s));
    o.soft = o.gate + wide;
    o.g = o.soft + wide;
    o.dh = o.g + 2 * wide;
    o.sp = o.dh + narrow;
    o.spv = o.sp + whole_lines(s.f);
    o.sv = o.spv + whole_lines(s.f);
    return o;
}

/* The gradient of GELU's input of one row, and of the residual. */
static void backward_gelu(const ag_args *a, ag_real *g, const ag_real *x, const ag_real *gate,
                          const ag_real *soft, int64_t row, int f)
{
    const int64_t e = row * 2 * f;
    const ag_real *r = a->n_in > R ? X(R) + e : NULL;
    if (a->attr.f[0] > 0)
        dropout_range(g, DY(0) + e, a, e, 2 * f, 0);
    else
        memcpy(g, DY(0) + e, 2 * (size_t)f * sizeof *g);
    attend_slope(g, x, gate, NULL, r, f);
    attend_slope(g + f, x, gate, soft, r ? r + f : NULL, f);
    if (a->also && a->add_also)
        for (int j = 0; j < 2 * f; j++) a->also[e + j] += g[j];
    else if (a->also)
        memcpy(a->also + e, g, 2 * (size_t)f * sizeof *g);
}

/* Node v, whose rows begin at `at` in the block. */
static void backward_node(const ag_args *a, sizes s, const room *o, int64_t v, int64_t at)
{
    const int64_t first = v * s.configs, f = s.f;
    const ag_real over = 1 / X(T)[0], *x = X(X_) + first * f,
                  *most = (ag_real *)a->y[2] + v * 2 * f;
    ag_real *gate = o->gate + at * f, *soft = o->soft + at * f, *g = o->g + at * 2 * f;
    ag_real *dx = DX + first * f, *db2 = o->sums + 2 * f * s.r + s.r,
            *slopes = a->scratch + panels_size(s) + v * f;
    memset(o->sp, 0, 3 * (size_t)whole_lines(f) * sizeof *o->sp);
    for (int64_t c = 0; c < s.configs; c++) {
        attend_gate_again(gate + c * f, X(B2), s.f);
        attend_softmax(soft + c * f, x + c * f, gate + c * f, most, most + f, over, s.f);
        backward_gelu(a, g + c * 2 * f, x + c * f, gate + c * f, soft + c * f, first + c, s.f);
        attend_sums(o->sp, o->spv, o->sv, g + c * 2 * f + f, x + c * f, gate + c * f, soft + c * f,
                    s.f);
    }
    for (int64_t c = 0; c < s.configs; c++) {
        const ag_real *left = g + c * 2 * f;
        if (a->add)
            attend_ungate(dx + c * f, gate + c * f, db2, left, left + f, x + c * f, soft + c * f,
                          o->sp, over, s.f, 1);
        else
            attend_ungate(dx + c * f, gate + c * f, db2, left, left + f, x + c * f, soft + c * f,
                          o->sp, over, s.f, 0);
    }
    for (int j = 0; j < s.f; j++) slopes[j] = o->spv[j] - o->sp[j] * o->sv[j];
}

/* Nodes lo..hi-1, at most group_of. */
static void backward_block(const ag_args *a, sizes s, const room *o, int64_t lo, int64_t hi)
{
    const int64_t first = lo * s.configs, fr = (int64_t)s.f * s.r;
    const int n = (int)((hi - lo) * s.configs);
    const ag_real *h = (ag_real *)a->y[1] + first * s.r, *x = X(X_) + first * s.f;
    const ag_real *w2 = a->scratch + ag__panels_size(s.f, s.r),
                  *w1 = w2 + ag__panels_size(s.r, s.f);
    ag_real *dw1 = o->sums, *dw2 = dw1 + fr, *db1 = dw2 + fr;
    ag__panels_rows(o->gate, h, a->scratch, NULL, n, s.f, s.r, 0, 0, n);
    for (int64_t v = lo; v < hi; v++) backward_node(a, s, o, v, (v - lo) * s.configs);
    ag__panels_rows(o->dh, o->gate, w2, NULL, n, s.r, s.f, 0, 0, n);
    squeeze_gradient(o->dh, db1, h, n, s.r);
    ag__panels_rows(DX + first * s.f, o->dh, w1, NULL, n, s.f, s.r, 1, 0, n);
    ag__gemm_part(dw2, o->gate, h, 1, 0, s.f, s.r, n, s.r, s.f, s.r, 1);
    ag__gemm_part(dw1, o->dh, x, 1, 0, s.r, s.f, n, s.f, s.r, s.f, 1);
}

static int64_t backward_count(const ag_args *a)
{
    (void)a;
    return PIECES;
}
static int64_t backward_grain(const ag_args *a)
{
    (void)a;
    return 1;
}

static void backward_pieces(const ag_args *a, int64_t first, int64_t last)
{
    const sizes s = sizes_of(a);
    for (int64_t p = first; p < last; p++) {
        const room o = room_of(a, s, p);
        const int64_t end = (p + 1) * s.nodes / PIECES, group = group_of(s);
        memset(o.sums, 0, (size_t)sums_size(s) * sizeof *o.sums);
        for (int64_t v = p * s.nodes / PIECES; v < end; v += group)
            backward_block(a, s, &o, v, v + group < end ? v + group : end);
    }
}
static const ag_kernel attend_backward_x = {
    "attend_backward_x", backward_count, backward_pieces, NULL, NULL, backward_grain};

/* A gradient of the weights is the sum over the pieces, in order. */
static void add_pieces(const ag_args *a, int64_t offset, int64_t n)
{
    const sizes s = sizes_of(a);
    const ag_real *sums = room_of(a, s, 0).sums + offset;
    for (int64_t i = 0; i < n; i++) {
        ag_real d = a->add ? DX[i] : 0;
        for (int p = 0; p < PIECES; p++) d += sums[p * piece_size(s) + i];
        DX[i] = d;
    }
}

CALL(attend_backward_w1)
{
    const sizes s = sizes_of(a);
    add_pieces(a, 0, (int64_t)s.f * s.r);
}
CALL(attend_backward_w2)
{
    const sizes s = sizes_of(a);
    add_pieces(a, (int64_t)s.f * s.r, (int64_t)s.f * s.r);
}
CALL(attend_backward_b1)
{
    const sizes s = sizes_of(a);
    add_pieces(a, 2 * (int64_t)s.f * s.r, s.r);
}
CALL(attend_backward_b2)
{
    const sizes s = sizes_of(a);
    add_pieces(a, 2 * (int64_t)s.f * s.r + s.r, s.f);
}

/* dt = -1/t^2 times the sum of all slopes, added in order of the nodes. */
CALL(attend_backward_t)
{
    const sizes s = sizes_of(a);
    const ag_real t = X(T)[0];
    double total = 0;
    for (int v = 0; v < s.nodes; v++) {
        const ag_real *slopes = a->scratch + panels_size(s) + (int64_t)v * s.f;
        ag_real sum;
        SUM(sum, j, s.f, slopes[j]);
        total += (double)sum;
    }
    const ag_real dt = (ag_real)(-total / ((double)t * (double)t));
    DX[0] = a->add ? DX[0] + dt : dt;
}

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
 }
static const ag_case cases[] = CASES(0);
static const ag_case dropout_cases[] = CASES(0.25);

#define ATTEND_OP(NAME, FORMULA, CASE_LIST, RANDOM, REPLACES)                                      \
 {                                                                                                 \
  .name = NAME, .formula = FORMULA, .inputs = "x w1 b1 w2 b2 t r", .outputs = 3,                   \
  .shape = attend_shape, .forward = {&attend_pack_kernel, &attend_forward},                        \
  .prepare = {&attend_pack_back_kernel},                                                           \
  .backward = {&attend_backward_x,         &attend_backward_w1_kernel, &attend_backward_b1_kernel, \
               &attend_backward_w2_kernel, &attend_backward_b2_kernel, &attend_backward_t_kernel,  \
               &attend_backward_x},                                                                \
  .also = R, .first_serves_all = 1,                                                                \
  .saves = SAVE_X(X_) | SAVE_X(W1) | SAVE_X(W2) | SAVE_X(B2) | SAVE_X(T) | SAVE_X(R) | SAVE_Y(1) | \
           SAVE_Y(2),                                                                              \
  .scratch = attend_scratch, .leads = 2, .random = RANDOM, .has_kinks = 1, .cases = CASE_LIST,     \
  .n_cases = 7, .replaces = REPLACES                                                               \
 }
#define COMPOSITION "gelu(add(r, cross_attention_beside(channel_attention(x, w1, b1, w2, b2), t)))"

static const ag_op attend = ATTEND_OP(
    "attend", "y = gelu(r + [v, v softmax(v / t)]), v = x sigmoid(relu(x w1' + b1) w2' + b2)",
    cases, 0, COMPOSITION);
static const ag_op attend_dropout =
    ATTEND_OP("attend_dropout", "y = attend(...) / (1 - p) with probability 1 - p, else 0",
              dropout_cases, 1, "dropout(" COMPOSITION ")");

const ag_op *const ag__ops_attend[] = {&attend, &attend_dropout, NULL};

ag_tensor *ag_attend(ag_tensor *x, const ag_attend_weights *w, ag_tensor *r, ag_real p)
{
    ag_tensor *in[] = {x, w->w1, w->b1, w->w2, w->b2, w->t, r};
    const int drops = ag_is_training(ag_tape_of(x)) && p != 0;
    return ag__record(drops ? &attend_dropout : &attend, in, r ? R + 1 : R,
                      &(ag_attr){.f = {drops ? (double)p : 0}});
}
