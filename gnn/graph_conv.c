/* SPDX-License-Identifier: MIT */
/* graph_conv, graph_conv_relu: blocks of nodes pass through panels that stay in the cache, between
   the sums over neighbours and one product with both weights; nothing as large as the graph is made
   but the result and the gradient. Host only.

   Forward a panel has rows [sum of x_u, x_v]. Backward, where x wants a gradient, its rows are
   [sum of g_v over the messages out of u, g_u] with g = dy (where y > 0): times the weights that is
   dx, and its transpose times x is the gradient of both weights. Where x wants none, g' times the
   panel of forward is the same, and narrow inputs make it cheaper. */
#include "gnn/graph_conv.h"
#include "core/gemm.h"
#include "core/parallel.h"
#include "gnn/edges.h"
#include "gnn/sage.h"
#include "ops/ops.h"
#include "ops/table.h"
#include "ops/turn.h"

/* Nodes of a block; parts that the blocks are shared out to; what the scratch says at its head. */
enum { BLOCK = 256, PARTS = 16, HEAD = 16 };

typedef struct sizes {
    int nodes, in, out, block, blocks, parts;
} sizes;

static sizes sizes_of(const ag_args *a)
{
    sizes s = {a->xs[0].size[0], a->xs[1].size[1], a->xs[1].size[0], BLOCK, 0, 0};
    if (s.nodes < 2 * BLOCK) s.block = ((s.nodes + 1) / 2 + 15) / 16 * 16;
    if (s.nodes > 0) s.blocks = (s.nodes + s.block - 1) / s.block;
    s.parts = s.blocks < PARTS ? s.blocks : PARTS;
    return s;
}

static int graph_conv_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], w = call->xs[1], root = call->xs[2], b = call->xs[3];
    if (x.rank != 2 || w.rank != 2) return ag__reject(call, "x and w need two axes");
    if (x.size[1] != w.size[1])
        return ag__reject(call, "x has %d features, but w takes %d", x.size[1], w.size[1]);
    if (!ag_shape_equal(w, root)) return ag__reject(call, "w and root must have one shape");
    if (!ag_shape_equal(b, AG_SHAPE(w.size[0])))
        return ag__reject(call, "b needs one element per row of w");
    if (ag_shape_count(w) > INT_MAX / 2) return ag__reject(call, "w has more than 2^30 elements");
    call->ys[0] = AG_SHAPE(x.size[0], w.size[0]);
    return ag__check_edges(call, 4);
}

/* Scratch: the weights together, then each part's panels and, backward, its sums. */
static int64_t weights_size(const sizes *s) { return 2 * (int64_t)s->in * s->out; }

static int64_t panel_size(const sizes *s, int backward)
{
    const int width = s->in > s->out || !backward ? s->in : s->out;
    return (int64_t)s->block * (2 * width + (backward ? s->out : 0));
}

static int64_t part_size(const sizes *s, int backward)
{
    const int64_t size = panel_size(s, backward) + (backward ? weights_size(s) + s->out : 0);
    return (size + 15) / 16 * 16;
}

static int64_t graph_conv_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    return HEAD + (weights_size(&s) + 15) / 16 * 16 + s.parts * part_size(&s, backward);
}

static ag_real *weights_of(const ag_args *a) { return a->scratch + HEAD; }

static ag_real *part_of(const ag_args *a, const sizes *s, int64_t part, int backward)
{
    return a->scratch + HEAD + (weights_size(s) + 15) / 16 * 16 + part * part_size(s, backward);
}

/* A panel's rows of forward: [sum over the messages into v, the node itself]. */
static void message_row(ag_real *to, const ag_args *a, const sizes *s, int v)
{
    const int first = XI(4)[2 * (int64_t)v], n = XI(4)[2 * (int64_t)v + 1];
    gather_rows(to, X(0), NULL, XI(5) + first, 1, n, s->nodes, s->in);
    take_row(to + s->in, X(0) + (int64_t)v * s->in, NULL, s->in, 0);
}

/* ---- forward --------------------------------------------------------------------------------- */

/* y += b, and max(y, 0) where the op has it. */
static void finish_rows(ag_real *y, const ag_args *a, int rows, int out)
{
    const ag_real *__restrict__ b = X(3);
    const int relu = a->attr.i[0];
    for (int r = 0; r < rows; r++, y += out) {
        ag_real *__restrict__ row = y;
        if (relu)
            for (int i = 0; i < out; i++) row[i] = row[i] + b[i] < 0 ? 0 : row[i] + b[i];
        else
            for (int i = 0; i < out; i++) row[i] += b[i];
    }
}

static void forward_part(void *context, int64_t part, int thread)
{
    const ag_args *a = context;
    const sizes s = sizes_of(a);
    ag_real *panel = part_of(a, &s, part, 0);
    (void)thread;
    for (int64_t k = part * s.blocks / s.parts; k < (part + 1) * s.blocks / s.parts; k++) {
        const int lo = (int)k * s.block, left = s.nodes - lo, m = left < s.block ? left : s.block;
        ag_real *y = Y(0) + (int64_t)lo * s.out;
        for (int r = 0; r < m; r++) message_row(panel + (int64_t)r * 2 * s.in, a, &s, lo + r);
        ag__gemm_part(y, panel, weights_of(a), 0, 0, m, s.out, 2 * s.in, s.out, 2 * s.in, s.out, 0);
        finish_rows(y, a, m, s.out);
    }
}

static void graph_conv_forward(const ag_args *a)
{
    const sizes s = sizes_of(a);
    turn(weights_of(a), X(1), s.out, s.in, s.out, s.in);
    turn(weights_of(a) + (int64_t)s.in * s.out, X(2), s.out, s.in, s.out, s.in);
    ag__parallel(s.parts, forward_part, (void *)(uintptr_t)a);
}
static const ag_kernel forward_kernel = {"graph_conv_forward", NULL, NULL,
                                         graph_conv_forward,   NULL, NULL};

/* ---- backward -------------------------------------------------------------------------------- */

/* Where a part's sums stand, behind its panels. */
static ag_real *sums_of(ag_real *part, const sizes *s) { return part + panel_size(s, 1); }

static const ag_real *positive_of(const ag_args *a) { return a->attr.i[0] ? Y(0) : NULL; }

/* g_v. */
static void gradient_row(ag_real *to, const ag_args *a, const sizes *s, int v)
{
    const ag_real *y = positive_of(a);
    take_row(to, DY(0) + (int64_t)v * s->out, y ? y + (int64_t)v * s->out : NULL, s->out, 0);
}

static void add_bias_row(ag_real *db, const ag_real *g, int out)
{
    for (int i = 0; i < out; i++) db[i] += g[i];
}

/* Block k of dx, and what it adds to the gradients of the weights, [2 out, in]. */
static void block_with_x(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds)
{
    const int lo = (int)k * s->block, left = s->nodes - lo, m = left < s->block ? left : s->block;
    ag_real *sums = sums_of(part, s), *db = sums + weights_size(s);
    for (int r = 0; r < m; r++) {
        ag_real *row = part + (int64_t)r * 2 * s->out;
        const int64_t u = lo + r;
        gather_rows(row, DY(0), positive_of(a), XI(7) + 2 * (int64_t)XI(6)[2 * u], 2,
                    XI(6)[2 * u + 1], s->nodes, s->out);
        gradient_row(row + s->out, a, s, (int)u);
        add_bias_row(db, row + s->out, s->out);
    }
    ag__gemm_part(DX + (int64_t)lo * s->in, part, weights_of(a), 0, 0, m, s->in, 2 * s->out, s->in,
                  2 * s->out, s->in, a->add);
    ag__gemm_part(sums, part, X(0) + (int64_t)lo * s->in, 1, 0, 2 * s->out, s->in, m, s->in,
                  2 * s->out, s->in, adds);
}

/* What block k adds to the gradients of the weights, side by side: [out, 2 in]. */
static void block_without_x(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds)
{
    const int lo = (int)k * s->block, left = s->nodes - lo, m = left < s->block ? left : s->block;
    ag_real *sums = sums_of(part, s), *db = sums + weights_size(s);
    ag_real *g = part + (int64_t)s->block * 2 * s->in;
    for (int r = 0; r < m; r++) {
        message_row(part + (int64_t)r * 2 * s->in, a, s, lo + r);
        gradient_row(g + (int64_t)r * s->out, a, s, lo + r);
        add_bias_row(db, g + (int64_t)r * s->out, s->out);
    }
    ag__gemm_part(sums, g, part, 1, 0, s->out, 2 * s->in, m, 2 * s->in, s->out, 2 * s->in, adds);
}

static void backward_part(void *context, int64_t part, int thread)
{
    const ag_args *a = context;
    const sizes s = sizes_of(a);
    const int64_t first = part * s.blocks / s.parts;
    ag_real *own = part_of(a, &s, part, 1), *db = sums_of(own, &s) + weights_size(&s);
    (void)thread;
    for (int i = 0; i < s.out; i++) db[i] = 0;
    for (int64_t k = first; k < (part + 1) * s.blocks / s.parts; k++)
        if (DX)
            block_with_x(a, &s, own, k, k > first);
        else
            block_without_x(a, &s, own, k, k > first);
}

static void graph_conv_backward_x(const ag_args *a)
{
    const sizes s = sizes_of(a);
    const size_t bytes = (size_t)s.in * (size_t)s.out * sizeof(ag_real);
    a->scratch[0] = DX != NULL;
    if (DX && bytes) {
        memcpy(weights_of(a), X(1), bytes);
        memcpy(weights_of(a) + (int64_t)s.in * s.out, X(2), bytes);
    }
    ag__parallel(s.parts, backward_part, (void *)(uintptr_t)a);
}
static const ag_kernel backward_x = {"graph_conv_backward_x", NULL, NULL,
                                     graph_conv_backward_x,   NULL, NULL};

/* dw: row r stands at `from` + r step in the sums of the parts. */
static void add_parts(const ag_args *a, const sizes *s, int64_t from, int64_t step, int rows,
                      int columns)
{
    for (int r = 0; r < rows; r++) {
        ag_real *__restrict__ to = DX + (int64_t)r * columns;
        if (!a->add)
            for (int i = 0; i < columns; i++) to[i] = 0;
        for (int p = 0; p < s->parts; p++) {
            const ag_real *sum = sums_of(part_of(a, s, p, 1), s) + from + r * step;
            for (int i = 0; i < columns; i++) to[i] += sum[i];
        }
    }
}

static void graph_conv_backward_w(const ag_args *a)
{
    const sizes s = sizes_of(a);
    const int below = a->scratch[0] != 0, root = a->which == 2;
    const int64_t from = !root ? 0 : below ? (int64_t)s.out * s.in : s.in;
    add_parts(a, &s, from, below ? s.in : 2 * s.in, s.out, s.in);
}
static const ag_kernel backward_w = {"graph_conv_backward_w", NULL, NULL,
                                     graph_conv_backward_w,   NULL, NULL};

static void graph_conv_backward_b(const ag_args *a)
{
    const sizes s = sizes_of(a);
    add_parts(a, &s, weights_size(&s), 0, 1, s.out);
}
static const ag_kernel backward_b = {"graph_conv_backward_b", NULL, NULL,
                                     graph_conv_backward_b,   NULL, NULL};

/* ---- the table ------------------------------------------------------------------------------- */

/* 5 nodes with messages 1->0, 2->0, 2->1, 0->3, 1->3, 2->3. */
static const int32_t rows[] = {0, 2, 2, 1, 3, 0, 3, 3, 6, 0}, sources[] = {1, 2, 2, 0, 1, 2};
static const int32_t rows_t[] = {0, 1, 1, 2, 3, 3, 6, 0, 6, 0};
static const int32_t targets[] = {3, 3, 0, 0, 3, 4, 0, 1, 1, 2, 3, 5}, nobody[2 * 600];
#define CASE(RELU, N, P, IN, OUT, ...)                              \
 {                                                                  \
  .x = {{2, {N, IN}}, {2, {OUT, IN}}, {2, {OUT, IN}}, {1, {OUT}},   \
        {2, {N, 2}},  {1, {P}},       {2, {N, 2}},    {2, {P, 2}}}, \
  .attr = {.i = {RELU}}, .ints = {                                  \
      NULL,                                                         \
      NULL,                                                         \
      NULL,                                                         \
      NULL,                                                         \
      __VA_ARGS__                                                   \
  }                                                                 \
 }
#define NONE nobody, nobody, nobody, nobody
#define SOME rows, sources, rows_t, targets
#define CASES(RELU)                                                                              \
 {                                                                                               \
  CASE(RELU, 5, 6, 3, 2, SOME), CASE(RELU, 5, 6, 2, 3, SOME), CASE(RELU, 5, 6, 17, 33, SOME),    \
      CASE(RELU, 1, 0, 4, 4, NONE), CASE(RELU, 0, 0, 3, 2, NONE), CASE(RELU, 600, 0, 2, 3, NONE) \
 }
static const ag_case plain_cases[] = CASES(0), relu_cases[] = CASES(1);

#define GRAPH_CONV(NAME, FORMULA, REPLACES, RELU, CASE_LIST)                                      \
 {                                                                                                \
  .name = NAME, .formula = FORMULA, .inputs = "x w root b rows sources rows_t targets",           \
  .ints = SAVE_X(4) | SAVE_X(5) | SAVE_X(6) | SAVE_X(7), .shape = graph_conv_shape,               \
  .forward = {&forward_kernel}, .backward = {&backward_x, &backward_w, &backward_w, &backward_b}, \
  .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_X(4) | SAVE_X(5) | SAVE_X(6) | SAVE_X(7) |    \
           (RELU ? SAVE_Y(0) : 0u),                                                               \
  .first_serves_all = 2, .scratch = graph_conv_scratch, .has_kinks = RELU, .cases = CASE_LIST,    \
  .n_cases = sizeof CASE_LIST / sizeof *CASE_LIST, .replaces = REPLACES                           \
 }
static const ag_op graph_conv =
    GRAPH_CONV("graph_conv", "y[v] = w (sum over messages of x[source]) + root x[v] + b",
               "add(linear(spmm_sum(x), w, b), linear(x, root))", 0, plain_cases);
static const ag_op graph_conv_relu = GRAPH_CONV(
    "graph_conv_relu", "y[v] = max(0, w (sum over messages of x[source]) + root x[v] + b)",
    "relu(add(linear(spmm_sum(x), w, b), linear(x, root)))", 1, relu_cases);

const ag_op *const ag__ops_graph_conv[] = {&graph_conv, &graph_conv_relu, NULL};

ag_tensor *ag__graph_conv(ag_tensor *x, ag_tensor *w, ag_tensor *root, ag_tensor *b, ag_edges e,
                          int relu)
{
    ag_tensor *in[] = {x, w, root, b, e.rows, e.sources, e.rows_t, e.targets};
    ag__check_arrays(e);
    return ag__record(relu ? &graph_conv_relu : &graph_conv, in, 8, &(ag_attr){.i = {relu}});
}
