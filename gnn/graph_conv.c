/* SPDX-License-Identifier: MIT */
/* graph_conv, graph_conv_relu: blocks of nodes pass through panels that stay in the cache, between
   the sums over neighbours and the products; nothing as large as the graph is made but the result
   and the gradient. Nodes that hear nobody have no part in the product with w, and none of backward
   has a part where g = dy (where y > 0) is 0: of nodes that a pooling drops. Host only. */
#include "gnn/graph_conv.h"
#include "core/gemm.h"
#include "core/parallel.h"
#include "gnn/edges.h"
#include "gnn/sage.h"
#include "ops/ops.h"
#include "ops/table.h"
#include "ops/turn.h"

/* Nodes of a block; parts that the blocks are shared out to. */
enum { BLOCK = 128, PARTS = 16 };

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

/* Scratch: the weights, a number per node, then each part's panels and, backward, its sums. */
static int64_t whole_lines(int64_t n) { return (n + 15) / 16 * 16; }

static int64_t weight_size(const sizes *s) { return (int64_t)s->in * s->out; }

static int64_t panel_size(const sizes *s, int backward)
{
    return whole_lines((int64_t)s->block * (s->in + s->out) * (backward ? 2 : 1));
}

static int64_t part_size(const sizes *s, int backward)
{
    return panel_size(s, backward) + (backward ? whole_lines(2 * weight_size(s) + s->out) : 0);
}

static int64_t parts_at(const sizes *s)
{
    return 2 * whole_lines(weight_size(s)) + whole_lines(s->nodes);
}

static int64_t graph_conv_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    return parts_at(&s) + s.parts * part_size(&s, backward);
}

/* w is 0, root 1. */
static ag_real *weight_of(const ag_args *a, const sizes *s, int which)
{
    return a->scratch + which * whole_lines(weight_size(s));
}

static int32_t *marks_of(const ag_args *a, const sizes *s)
{
    return (int32_t *)(void *)weight_of(a, s, 2);
}

static ag_real *part_of(const ag_args *a, const sizes *s, int64_t part, int backward)
{
    return a->scratch + parts_at(s) + part * part_size(s, backward);
}

/* The first node of block k, and how many it has. */
static int block_of(const sizes *s, int64_t k, int *count)
{
    const int lo = (int)k * s->block, left = s->nodes - lo;
    *count = left < s->block ? left : s->block;
    return lo;
}

typedef void block_body(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds);

/* The blocks of a part. */
static void each_block(const ag_args *a, const sizes *s, int64_t part, int backward,
                       block_body *body)
{
    const int64_t first = part * s->blocks / s->parts, end = (part + 1) * s->blocks / s->parts;
    for (int64_t k = first; k < end; k++) body(a, s, part_of(a, s, part, backward), k, k > first);
}

/* The sum over the messages into v; 0: there are none. */
static int message_row(ag_real *to, const ag_args *a, const sizes *s, int v)
{
    const int first = XI(4)[2 * (int64_t)v], n = XI(4)[2 * (int64_t)v + 1];
    return gather_rows(to, X(0), NULL, XI(5) + first, 1, n, NULL, s->nodes, s->in);
}

/* ---- forward --------------------------------------------------------------------------------- */

/* y += sent + b, and max(y, 0) where the op has it. */
static void finish_row(ag_real *to, const ag_real *sent, const ag_real *b, int out, int relu)
{
    ag_real *__restrict__ y = to;
    if (sent)
        for (int i = 0; i < out; i++) y[i] += sent[i];
    for (int i = 0; i < out; i++) y[i] += b[i];
    for (int i = 0; relu && i < out; i++) y[i] = y[i] < 0 ? 0 : y[i];
}

static void forward_block(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds)
{
    ag_real *sums = part, *sent = part + (int64_t)s->block * s->in;
    int m, heard = 0, place[BLOCK];
    const int lo = block_of(s, k, &m), in = s->in, out = s->out;
    ag_real *y = Y(0) + (int64_t)lo * out;
    (void)adds;
    ag__gemm_part(y, X(0) + (int64_t)lo * in, weight_of(a, s, 1), 0, 0, m, out, in, out, in, out,
                  0);
    for (int r = 0; r < m; r++) {
        const int hears = message_row(sums + (int64_t)heard * in, a, s, lo + r);
        place[r] = hears ? heard++ : -1;
    }
    ag__gemm_part(sent, sums, weight_of(a, s, 0), 0, 0, heard, out, in, out, in, out, 0);
    for (int r = 0; r < m; r++)
        finish_row(y + (int64_t)r * out, place[r] < 0 ? NULL : sent + (int64_t)place[r] * out, X(3),
                   out, a->attr.i[0]);
}

static void forward_part(void *context, int64_t part, int thread)
{
    const ag_args *a = context;
    const sizes s = sizes_of(a);
    (void)thread;
    each_block(a, &s, part, 0, forward_block);
}

static void graph_conv_forward(const ag_args *a)
{
    const sizes s = sizes_of(a);
    turn(weight_of(a, &s, 0), X(1), s.out, s.in, s.out, s.in);
    turn(weight_of(a, &s, 1), X(2), s.out, s.in, s.out, s.in);
    ag__parallel(s.parts, forward_part, (void *)(uintptr_t)a);
}
static const ag_kernel forward_kernel = {"graph_conv_forward", NULL, NULL,
                                         graph_conv_forward,   NULL, NULL};

/* ---- backward -------------------------------------------------------------------------------- */

/* Where a part's sums stand, behind its panels: of w, of root, of b. */
static ag_real *sums_of(ag_real *part, const sizes *s) { return part + panel_size(s, 1); }

static const ag_real *positive_of(const ag_args *a) { return a->attr.i[0] ? Y(0) : NULL; }

/* Mark of a node: 1 where its dy is not 0 throughout. */
static void mark_block(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds)
{
    int m;
    const int lo = block_of(s, k, &m);
    (void)part;
    (void)adds;
    for (int v = lo; v < lo + m; v++) {
        const ag_real *dy = DY(0) + (int64_t)v * s->out;
        int i = 0;
        while (i < s->out && dy[i] == 0) i++;
        marks_of(a, s)[v] = i < s->out;
    }
}

static void mark_part(void *context, int64_t part, int thread)
{
    const ag_args *a = context;
    const sizes s = sizes_of(a);
    (void)thread;
    each_block(a, &s, part, 1, mark_block);
}

/* The sum of g_v over the messages out of u; 0: there are none that count. */
static int gradient_sum(ag_real *to, const ag_args *a, const sizes *s, int64_t u)
{
    return gather_rows(to, DY(0), positive_of(a), XI(7) + 2 * (int64_t)XI(6)[2 * u], 2,
                       XI(6)[2 * u + 1], marks_of(a, s), s->nodes, s->out);
}

/* g_v, which joins the sum for b. */
static void gradient_row(ag_real *to, ag_real *db, const ag_args *a, const sizes *s, int v)
{
    const ag_real *y = positive_of(a);
    take_row(to, DY(0) + (int64_t)v * s->out, y ? y + (int64_t)v * s->out : NULL, s->out, 0);
    for (int i = 0; i < s->out; i++) db[i] += to[i];
}

/* Nodes of a block in the order: those with a sum of g alone, with both, with g alone; the others
   have no gradient. */
typedef struct order {
    int node[BLOCK], sums, both, own; /* how many */
} order;

static int has_sum(const ag_args *a, const sizes *s, int64_t u)
{
    const int32_t *target = XI(7) + 2 * (int64_t)XI(6)[2 * u], *mark = marks_of(a, s);
    for (int q = 0; q < XI(6)[2 * u + 1]; q++)
        if (target[2 * q] >= 0 && target[2 * q] < s->nodes && mark[target[2 * q]]) return 1;
    return 0;
}

static void put_in_order(order *o, const ag_args *a, const sizes *s, int lo, int m)
{
    int kind[BLOCK], at = 0;
    for (int r = 0; r < m; r++) kind[r] = 2 * has_sum(a, s, lo + r) + marks_of(a, s)[lo + r];
    static const int turns[] = {2, 3, 1};
    int count[3];
    for (int t = 0; t < 3; t++) {
        const int first = at;
        for (int r = 0; r < m; r++)
            if (kind[r] == turns[t]) o->node[at++] = lo + r;
        count[t] = at - first;
    }
    o->sums = count[0], o->both = count[1], o->own = count[2];
    for (int r = 0; r < m; r++)
        if (!kind[r]) o->node[at++] = lo + r;
}

/* Block k of dx, and what it adds to the gradients of the weights. */
static void block_with_x(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds)
{
    const int in = s->in, out = s->out;
    ag_real *sum = part, *g = sum + (int64_t)s->block * out, *x = g + (int64_t)s->block * out;
    ag_real *dx = x + (int64_t)s->block * in, *dw = sums_of(part, s), *db = dw + 2 * weight_size(s);
    order o;
    int m;
    const int lo = block_of(s, k, &m);
    put_in_order(&o, a, s, lo, m);
    const int c = o.sums, left = c + o.both, right = o.both + o.own, all = c + right;
    for (int r = 0; r < all; r++) {
        if (r < left) gradient_sum(sum + (int64_t)r * out, a, s, o.node[r]);
        if (r >= c) gradient_row(g + (int64_t)(r - c) * out, db, a, s, o.node[r]);
        take_row(x + (int64_t)r * in, X(0) + (int64_t)o.node[r] * in, NULL, in, 0);
    }
    ag__gemm_part(dx + (int64_t)c * in, g, weight_of(a, s, 1), 0, 0, right, in, out, in, out, in,
                  0);
    for (int64_t i = 0; i < (int64_t)c * in; i++) dx[i] = 0;
    ag__gemm_part(dx, sum, weight_of(a, s, 0), 0, 0, left, in, out, in, out, in, 1);
    ag__gemm_part(dw, sum, x, 1, 0, out, in, left, in, out, in, adds);
    ag__gemm_part(dw + weight_size(s), g, x + (int64_t)c * in, 1, 0, out, in, right, in, out, in,
                  adds);
    for (int r = 0; r < m; r++)
        put_row(DX + (int64_t)o.node[r] * in, r < all ? dx + (int64_t)r * in : NULL, in, a->add);
}

/* What block k adds to the gradients of the weights, without dx. */
static void block_without_x(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds)
{
    const int in = s->in, out = s->out;
    ag_real *sum = part, *x = sum + (int64_t)s->block * in, *g = x + (int64_t)s->block * in;
    ag_real *dw = sums_of(part, s), *db = dw + 2 * weight_size(s);
    int m, kept = 0;
    const int lo = block_of(s, k, &m);
    for (int v = lo; v < lo + m; v++) {
        if (!marks_of(a, s)[v]) continue;
        ag_real *to = sum + (int64_t)kept * in;
        if (!message_row(to, a, s, v))
            for (int i = 0; i < in; i++) to[i] = 0;
        take_row(x + (int64_t)kept * in, X(0) + (int64_t)v * in, NULL, in, 0);
        gradient_row(g + (int64_t)kept++ * out, db, a, s, v);
    }
    ag__gemm_part(dw, g, sum, 1, 0, out, in, kept, in, out, in, adds);
    ag__gemm_part(dw + weight_size(s), g, x, 1, 0, out, in, kept, in, out, in, adds);
}

static void backward_part(void *context, int64_t part, int thread)
{
    const ag_args *a = context;
    const sizes s = sizes_of(a);
    ag_real *db = sums_of(part_of(a, &s, part, 1), &s) + 2 * weight_size(&s);
    (void)thread;
    for (int i = 0; i < s.out; i++) db[i] = 0;
    each_block(a, &s, part, 1, DX ? block_with_x : block_without_x);
}

static void graph_conv_backward_x(const ag_args *a)
{
    const sizes s = sizes_of(a);
    const size_t bytes = (size_t)weight_size(&s) * sizeof(ag_real);
    for (int which = 0; which < 2 && DX && bytes; which++)
        memcpy(weight_of(a, &s, which), X(1 + which), bytes);
    ag__parallel(s.parts, mark_part, (void *)(uintptr_t)a);
    ag__parallel(s.parts, backward_part, (void *)(uintptr_t)a);
}
static const ag_kernel backward_x = {"graph_conv_backward_x", NULL, NULL,
                                     graph_conv_backward_x,   NULL, NULL};

/* The sums of all parts, n elements at `from` in each. */
static void add_parts(const ag_args *a, const sizes *s, int64_t from, int64_t n)
{
    ag_real *__restrict__ to = DX;
    for (int64_t i = 0; i < n && !a->add; i++) to[i] = 0;
    for (int p = 0; p < s->parts; p++) {
        const ag_real *sum = sums_of(part_of(a, s, p, 1), s) + from;
        for (int64_t i = 0; i < n; i++) to[i] += sum[i];
    }
}

static void graph_conv_backward_w(const ag_args *a)
{
    const sizes s = sizes_of(a);
    add_parts(a, &s, a->which == 2 ? weight_size(&s) : 0, weight_size(&s));
}
static const ag_kernel backward_w = {"graph_conv_backward_w", NULL, NULL,
                                     graph_conv_backward_w,   NULL, NULL};

static void graph_conv_backward_b(const ag_args *a)
{
    const sizes s = sizes_of(a);
    add_parts(a, &s, 2 * weight_size(&s), s.out);
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
