/* SPDX-License-Identifier: MIT */
/* Graph attention: a composition of ops. */
#include "gnn/edges.h"
#include "ops/ops.h"

/* [heads,d]; as PyG has it, [1,heads,d]. */
static ag_shape vectors_of(const ag_param *p)
{
    const ag_shape s = p->shape;
    return s.rank == 3 && s.size[0] == 1 ? AG_SHAPE(s.size[1], s.size[2]) : s;
}

static ag_tensor *vectors(ag_tape *tape, ag_param *p)
{
    ag_tensor *x = ag_parameter(tape, p);
    return ag_block_diagonal(p->shape.rank == 3 ? ag_reshape(x, vectors_of(p)) : x);
}

/* The weight of every message in every head, [p,heads]. */
static ag_tensor *attention(const ag_gat_weights *weights, ag_tensor *z, ag_edges edges, int heads,
                            ag_real slope)
{
    ag_tape *tape = ag_tape_of(z);
    ag_tensor *from = vectors(tape, weights->from);
    ag_tensor *to = vectors(tape, weights->to);
    ag_tensor *both = ag_linear(z, ag_concat2(from, to, 0), NULL); /* one pass through z */
    ag_tensor *score =
        ag_edge_add(ag_slice(both, 1, 0, heads), ag_slice(both, 1, heads, heads), edges);
    return ag_edge_softmax(ag_leaky_relu(score, slope), edges);
}

/* The mean of `heads` parts of each row. */
static ag_tensor *mean_of(ag_tensor *y, int heads)
{
    const int d = ag_size(y, 1) / heads;
    ag_tensor *sum = ag_slice(y, 1, 0, d);
    for (int h = 1; h < heads; h++) sum = ag_add(sum, ag_slice(y, 1, h * d, d));
    return ag_scale(sum, 1 / (ag_real)heads);
}

/* 1: x is [n,in], from and to are [heads,d], w [heads d, in]; else the tape has failed. */
static int sizes_fit(const ag_gat_weights *weights, ag_tape *tape, const ag_tensor *x, int heads)
{
    char w[64], from[64], to[64];
    const ag_param *p[] = {weights->w, weights->from, weights->to};
    for (int i = 0; i < 3; i++)
        if (!p[i]) {
            ag_tape_fail(tape, AG_EUSE,
                         "ag_gat: one of w, from and to is NULL; only the bias may be");
            return 0;
        }
    if (x && ag_shape_of(x).rank != 2)
        ag_tape_fail(tape, AG_ESHAPE, "ag_gat: x is %s, but must be [nodes, features]",
                     ag_shape_text(w, ag_shape_of(x)));
    const ag_shape vector = vectors_of(p[1]);
    if (heads >= 1 && p[0]->shape.rank == 2 && ag_shape_equal(vector, vectors_of(p[2])) &&
        vector.rank == 2 && vector.size[0] == heads &&
        (int64_t)heads * vector.size[1] == p[0]->shape.size[0])
        return 1;
    ag_tape_fail(tape, AG_ESHAPE,
                 "ag_gat: w is %s, from is %s and to is %s, but with %d heads they must be "
                 "[heads d,in], [heads,d] and [heads,d], and there must be a head",
                 ag_shape_text(w, p[0]->shape), ag_shape_text(from, p[1]->shape),
                 ag_shape_text(to, p[2]->shape), heads);
    return 0;
}

ag_tensor *ag_gat(const ag_gat_weights *weights, ag_tensor *x, ag_edges edges, int heads, int mean,
                  ag_real slope)
{
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    if (!ag__has_weights(weights, x, edges, "ag_gat") || !sizes_fit(weights, tape, x, heads))
        return ag__poison(tape);
    ag_tensor *z = ag_linear(x, ag_parameter(tape, weights->w), NULL);
    ag_tensor *y = ag_spmm_weighted(z, attention(weights, z, edges, heads, slope), edges);
    if (mean) y = mean_of(y, heads);
    return weights->bias ? ag_add_bias(y, ag_parameter(tape, weights->bias)) : y;
}
