/* SPDX-License-Identifier: MIT */
/* Graph attention, of two kinds: compositions of ops. */
#include "gnn/edges.h"
#include "core/params.h"
#include "core/shape.h"
#include "ops/ops.h"

/* The mean of `heads` parts of each row. */
static ag_tensor *mean_of(ag_tensor *y, int heads)
{
    const int d = ag_size(y, 1) / heads;
    ag_tensor *sum = ag_slice(y, 1, 0, d);
    for (int h = 1; h < heads; h++) sum = ag_add(sum, ag_slice(y, 1, h * d, d));
    return ag_scale(sum, 1 / (ag_real)heads);
}

/* Scores [p,heads] become weights; with them sums of z over the messages, and what becomes of the
   heads. */
typedef struct heads_end {
    int heads, mean;
    ag_real dropout;
    ag_param *bias;
} heads_end;

static ag_tensor *attended(ag_tensor *z, ag_tensor *score, ag_edges edges, const heads_end *end)
{
    ag_tensor *w = ag_dropout(ag_edge_softmax(score, edges), end->dropout);
    ag_tensor *y = ag_spmm_weighted(z, w, edges);
    if (end->mean) y = mean_of(y, end->heads);
    return end->bias ? ag_add_bias(y, ag_parameter(ag_tape_of(y), end->bias)) : y;
}

/* ---- sizes ---- */

/* 1: p is [heads,d] or [1,heads,d] with heads d = rows. */
static int are_heads(const ag_param *p, int heads, int rows)
{
    const ag_shape s = p->shape;
    const int at = s.rank - 2;
    if (s.rank != 2 && !(s.rank == 3 && s.size[0] == 1)) return 0;
    return s.size[at] == heads && (int64_t)heads * s.size[at + 1] == rows;
}

/* A parameter that are_heads, with its row h in the columns of head h. */
static ag_tensor *of_heads(ag_tape *tape, ag_param *p, int heads)
{
    ag_tensor *x = ag_parameter(tape, p);
    if (p->shape.rank == 3) x = ag_reshape(x, AG_SHAPE(heads, p->shape.size[2]));
    return ag_block_diagonal(x);
}

/* Fails the tape when one of n parameters is NULL. */
static int are_there(ag_tape *tape, ag_param *const *p, int n, const char *who)
{
    for (int i = 0; i < n; i++)
        if (!p[i]) ag_tape_fail(tape, AG_EUSE, "%s is NULL; only the bias may be", who);
    return !ag_failed(tape);
}

/* Features of edges come with their weights, or neither is there. */
static void check_edge(ag_tape *tape, const ag_tensor *edge, int weights, const char *who)
{
    if (weights != !!edge)
        ag_tape_fail(tape, AG_EUSE, "%s: features of edges need their weights, and these need them",
                     who);
}

/* ---- Velickovic et al. ---- */

static ag_tensor *scores(const ag_gat_weights *weights, ag_tensor *z, ag_tensor *edge,
                         ag_edges edges, int heads)
{
    ag_tape *tape = ag_tape_of(z);
    ag_tensor *from = of_heads(tape, weights->from, heads);
    ag_tensor *to = of_heads(tape, weights->to, heads);
    ag_tensor *both = ag_linear(z, ag_concat2(from, to, 0), NULL); /* one pass through z */
    ag_tensor *score =
        ag_edge_add(ag_slice(both, 1, 0, heads), ag_slice(both, 1, heads, heads), edges);
    if (!edge) return score;
    ag_tensor *w =
        ag_matmul(of_heads(tape, weights->edge, heads), ag_parameter(tape, weights->edge_w));
    return ag_add(score, ag_linear(edge, w, NULL));
}

static int gat_fits(const ag_gat_weights *w, ag_tape *tape, const ag_tensor *edge, int heads)
{
    char rows[64], from[64], to[64];
    if (!are_there(tape, (ag_param *const[]){w->w, w->from, w->to}, 3,
                   "ag_gat: one of w, from and to"))
        return 0;
    check_edge(tape, edge, w->edge && w->edge_w, "ag_gat");
    const int n = heads >= 1 && w->w->shape.rank == 2 ? w->w->shape.size[0] : -1;
    if (!are_heads(w->from, heads, n) || !are_heads(w->to, heads, n))
        ag_tape_fail(tape, AG_ESHAPE,
                     "ag_gat: w is %s, from is %s and to is %s, but with %d heads they must be "
                     "[heads d,in], [heads,d] and [heads,d], and there must be a head",
                     ag_shape_text(rows, w->w->shape), ag_shape_text(from, w->from->shape),
                     ag_shape_text(to, w->to->shape), heads);
    else if (edge && w->edge && !are_heads(w->edge, heads, n))
        ag_tape_fail(tape, AG_ESHAPE, "ag_gat: edge is %s, but must have the shape of from",
                     ag_shape_text(rows, w->edge->shape));
    return !ag_failed(tape);
}

ag_tensor *ag_gat(const ag_gat_weights *weights, ag_tensor *x, ag_tensor *edge, ag_edges edges,
                  int heads, int mean, ag_real slope, ag_real dropout)
{
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    ag__check_axes(x, 2, "ag_gat: x", "nodes, features");
    if (!ag__has_weights(weights, x, edges, "ag_gat") || !gat_fits(weights, tape, edge, heads))
        return ag__poison(tape);
    ag_tensor *z = ag_linear(x, ag_parameter(tape, weights->w), NULL);
    ag_tensor *score = ag_leaky_relu(scores(weights, z, edge, edges, heads), slope);
    return attended(z, score, edges, &(heads_end){heads, mean, dropout, weights->bias});
}

/* ---- Brody et al. ---- */

static int gat2_fits(const ag_gat2_weights *w, ag_tape *tape, const ag_tensor *edge, int heads)
{
    char from[64], to[64], attention[64];
    if (!are_there(tape, (ag_param *const[]){w->from, w->to, w->attention}, 3,
                   "ag_gat2: one of from, to and attention"))
        return 0;
    check_edge(tape, edge, !!w->edge_w, "ag_gat2");
    const int n = heads >= 1 && w->from->shape.rank == 2 ? w->from->shape.size[0] : -1;
    if (!are_heads(w->attention, heads, n) || !ag_shape_equal(w->from->shape, w->to->shape))
        ag_tape_fail(tape, AG_ESHAPE,
                     "ag_gat2: from is %s, to is %s and attention is %s, but with %d heads they "
                     "must be [heads d,in], [heads d,in] and [heads,d], and there must be a head",
                     ag_shape_text(from, w->from->shape), ag_shape_text(to, w->to->shape),
                     ag_shape_text(attention, w->attention->shape), heads);
    return !ag_failed(tape);
}

ag_tensor *ag_gat2(const ag_gat2_weights *weights, ag_tensor *x, ag_tensor *edge, ag_edges edges,
                   int heads, int mean, ag_real slope, ag_real dropout)
{
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    ag__check_axes(x, 2, "ag_gat2: x", "nodes, features");
    if (!ag__has_weights(weights, x, edges, "ag_gat2") || !gat2_fits(weights, tape, edge, heads))
        return ag__poison(tape);
    ag_tensor *z = ag__linear(x, weights->from, weights->from_bias);
    ag_tensor *sum = ag_edge_add(z, ag__linear(x, weights->to, weights->to_bias), edges);
    if (edge) sum = ag_add(sum, ag__linear(edge, weights->edge_w, NULL));
    ag_tensor *w = of_heads(tape, weights->attention, heads);
    ag_tensor *score = ag_linear(ag_leaky_relu(sum, slope), w, NULL);
    return attended(z, score, edges, &(heads_end){heads, mean, dropout, weights->bias});
}
