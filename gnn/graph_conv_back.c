/* SPDX-License-Identifier: MIT */
/* Gradients of graph_conv, g = dy. The rows of one panel are sums of g over the messages out of a
   node, those of the second are rows of g, those of the third rows of x. Their products are dx and
   the gradients of the weights. Nodes are put in such an order that each product has consecutive
   rows. */
#include "core/gemm.h"
#include "core/parallel.h"
#include "core/shape.h"
#include "gnn/graph_conv_parts.h"

/* Rows are prefetched this many rows before they are read. */
enum { AHEAD = 8 };
#if defined(__GNUC__)
# define PREFETCH(p) __builtin_prefetch(p)
#else
# define PREFETCH(p) (void)(p)
#endif

/* Where a part's sums are, after its panels: of w, of root, of b. */
static ag_real *sums_of(ag_real *part, const sizes *s) { return part + panel_size(s, 1); }

/* The facts of nodes lo..lo+m-1: whether their dy counts, which is where it is not 0
   throughout, and the rows of the panel g that have them. */
typedef struct known {
    const ag_real *g;
    int lo, m, counts[BLOCK], row[BLOCK];
} known;

static int row_counts(const ag_args *a, const sizes *s, int64_t v)
{
    const ag_real *dy = DY(0) + v * s->out;
    int i = 0;
    while (i < s->out && dy[i] == 0) i++;
    return i < s->out;
}

static void look_at_block(known *k, const ag_args *a, const sizes *s)
{
    for (int r = 0; r < k->m; r++) {
        const int64_t v = k->lo + r;
        if (v + AHEAD < s->nodes) PREFETCH(DY(0) + (v + AHEAD) * s->out);
        k->counts[r] = row_counts(a, s, v);
    }
}

static int inside(const known *k, int v) { return v >= k->lo && v < k->lo + k->m; }

/* 1: a message to v has a part in the sums. */
static int counts(const known *k, const ag_args *a, const sizes *s, int v)
{
    if (inside(k, v)) return k->counts[v - k->lo];
    return v >= 0 && v < s->nodes && row_counts(a, s, v);
}

/* The sum of g_v over the messages out of u that count. */
static void gradient_sum(ag_real *to, const ag_args *a, const sizes *s, const known *k, int64_t u)
{
    const int32_t *target = XI(7) + 2 * (int64_t)XI(6)[2 * u];
    int found = 0;
    for (int q = 0; q < XI(6)[2 * u + 1]; q++) {
        const int v = target[2 * q], here = inside(k, v);
        if (!counts(k, a, s, v)) continue;
        const int64_t at = (int64_t)(here ? k->row[v - k->lo] : v) * s->out;
        const ag_real *from = (here ? k->g : DY(0)) + at;
        if (found++)
            take_row(to, from, s->out, 1);
        else
            take_row(to, from, s->out, 0);
    }
}

/* g_v, which joins the sum for b. */
static void gradient_row(ag_real *to, ag_real *db, const ag_args *a, const sizes *s, int v)
{
    take_row(to, DY(0) + (int64_t)v * s->out, s->out, 0);
    for (int i = 0; i < s->out; i++) db[i] += to[i];
}

/* Nodes of a block in the order: those with only a sum of g, with both, with only g; the others
   have no gradient. */
typedef struct order {
    int node[BLOCK], sums, both, own; /* how many */
} order;

static int has_sum(const known *k, const ag_args *a, const sizes *s, int64_t u)
{
    const int32_t *target = XI(7) + 2 * (int64_t)XI(6)[2 * u];
    for (int q = 0; q < XI(6)[2 * u + 1]; q++)
        if (counts(k, a, s, target[2 * q])) return 1;
    return 0;
}

static void put_in_order(order *o, const known *k, const ag_args *a, const sizes *s)
{
    const int lo = k->lo, m = k->m;
    int kind[BLOCK], at = 0;
    for (int r = 0; r < m; r++) kind[r] = 2 * has_sum(k, a, s, lo + r) + k->counts[r];
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

static void ask_for_row(const ag_real *row, int n)
{
    for (int i = 0; i < n; i += 64 / (int)sizeof *row) PREFETCH(row + i);
}

/* The rows of a node that the panels of backward want. */
static void ask_for_node(const ag_args *a, const sizes *s, int v)
{
    ask_for_row(X(0) + (int64_t)v * s->in, s->in);
    ask_for_row(DY(0) + (int64_t)v * s->out, s->out);
}

/* Block k of dx, and what it adds to the gradients of the weights. */
static void block_with_x(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds)
{
    const int in = s->in, out = s->out;
    ag_real *sum = part, *g = sum + (int64_t)s->block * out, *x = g + (int64_t)s->block * out;
    ag_real *dx = x + (int64_t)s->block * in, *dw = sums_of(part, s), *db = dw + 2 * weight_size(s);
    known there = {.g = g};
    order o;
    const int lo = there.lo = block_of(s, k, &there.m);
    look_at_block(&there, a, s);
    put_in_order(&o, &there, a, s);
    const int c = o.sums, left = c + o.both, right = o.both + o.own, all = c + right;
    for (int r = 0; r < all; r++) {
        if (r + AHEAD < all) ask_for_node(a, s, o.node[r + AHEAD]);
        take_row(x + (int64_t)r * in, X(0) + (int64_t)o.node[r] * in, in, 0);
        if (r < c) continue;
        gradient_row(g + (int64_t)(r - c) * out, db, a, s, o.node[r]);
        there.row[o.node[r] - lo] = r - c;
    }
    for (int r = 0; r < left; r++) gradient_sum(sum + (int64_t)r * out, a, s, &there, o.node[r]);
    ag__panels_rows(dx + (int64_t)c * in, g, weight_of(a, s, 1, 1), NULL, right, in, out, 0, 0,
                    right);
    for (int64_t i = 0; i < (int64_t)c * in; i++) dx[i] = 0;
    ag__panels_rows(dx, sum, weight_of(a, s, 0, 1), NULL, left, in, out, 1, 0, left);
    ag__gemm_part(dw, sum, x, 1, 0, out, in, left, in, out, in, adds);
    ag__gemm_part(dw + weight_size(s), g, x + (int64_t)c * in, 1, 0, out, in, right, in, out, in,
                  adds);
    for (int r = 0; r < there.m; r++)
        put_row(DX + (int64_t)o.node[r] * in, r < all ? dx + (int64_t)r * in : NULL, in, a->add);
}

/* Adds the part of block k to the gradients of the weights, without dx. */
static void block_without_x(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds)
{
    const int in = s->in, out = s->out;
    ag_real *sum = part, *x = sum + (int64_t)s->block * in, *g = x + (int64_t)s->block * in;
    ag_real *dw = sums_of(part, s), *db = dw + 2 * weight_size(s);
    int m, kept = 0;
    const int lo = block_of(s, k, &m);
    for (int v = lo; v < lo + m; v++) {
        if (!row_counts(a, s, v)) continue;
        ag_real *to = sum + (int64_t)kept * in;
        if (!message_row(to, a, s, v))
            for (int i = 0; i < in; i++) to[i] = 0;
        take_row(x + (int64_t)kept * in, X(0) + (int64_t)v * in, in, 0);
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
    if (DX) pack_weights(a, &s, 1);
    ag_parallel(s.parts, backward_part, (void *)(uintptr_t)a);
}
const ag_kernel ag__graph_conv_backward_x = {.name = "graph_conv_backward_x",
                                             .call = graph_conv_backward_x};

/* The sums of all parts, elements lo..hi-1 of those at `from` in each. */
static void add_parts(const ag_args *a, const sizes *s, int64_t from, int64_t lo, int64_t hi)
{
    ag_real *__restrict__ to = DX;
    for (int64_t i = lo; i < hi && !a->add; i++) to[i] = 0;
    for (int p = 0; p < s->parts; p++) {
        const ag_real *sum = sums_of(part_of(a, s, p, 1), s) + from;
        for (int64_t i = lo; i < hi; i++) to[i] += sum[i];
    }
}

static int64_t backward_w_count(const ag_args *a) { return ag_shape_count(a->xs[1]); }
static int64_t backward_w_grain(const ag_args *a)
{
    (void)a;
    return 8192;
}

static void graph_conv_backward_w(const ag_args *a, int64_t lo, int64_t hi)
{
    const sizes s = sizes_of(a);
    add_parts(a, &s, a->which == 2 ? weight_size(&s) : 0, lo, hi);
}
const ag_kernel ag__graph_conv_backward_w = {.name = "graph_conv_backward_w",
                                             .count = backward_w_count,
                                             .range = graph_conv_backward_w,
                                             .grain = backward_w_grain};

static void graph_conv_backward_b(const ag_args *a)
{
    const sizes s = sizes_of(a);
    add_parts(a, &s, 2 * weight_size(&s), 0, s.out);
}
const ag_kernel ag__graph_conv_backward_b = {.name = "graph_conv_backward_b",
                                             .call = graph_conv_backward_b};
