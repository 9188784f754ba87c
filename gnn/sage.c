/* SPDX-License-Identifier: MIT */
/* GraphSAGE convolutions: compositions of ops. */
#include "gnn/edges.h"
#include "ops/ops.h"

/* The sums of neighbours, taken after one product with both weights. */
static ag_tensor *both_products(ag_tensor *w, ag_tensor *root, ag_tensor *b, ag_tensor *x,
                                ag_edges edges, ag_aggregate kind)
{
    return ag__sage_sum(ag_linear(x, ag_concat2(w, root, 0), NULL), b, edges, kind);
}

ag_tensor *ag_sage(const ag_sage_weights *weights, ag_tensor *x, ag_edges edges, ag_aggregate kind,
                   int l2)
{
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    if (!ag__has_weights(weights, x, edges, "ag_sage")) return ag__poison(tape);
    ag_tensor *w = ag_parameter(tape, weights->neighbour);
    ag_tensor *b = ag__optional(tape, weights->bias);
    ag_tensor *root = ag__optional(tape, weights->root);
    ag_tensor *y;
    if (kind > AG_AGGREGATE_MEAN || ag_size(w, 0) >= ag_size(w, 1)) {
        y = ag_linear(ag_spmm(x, edges, kind), w, b);
        if (root) y = ag_add(y, ag_linear(x, root, NULL));
    } else if (root && b) {
        y = both_products(w, root, b, x, edges, kind);
    } else {
        y = ag_spmm(ag_linear(x, w, NULL), edges, kind);
        if (root) y = ag_add(y, ag_linear(x, root, NULL));
        if (b) y = ag_add_bias(y, b);
    }
    return l2 ? ag_l2_norm(y, (ag_real)1e-12) : y;
}

/* Of nodes with one row each, all of it is one op; of several (configurations), a composition. */
ag_tensor *ag_graph_conv(const ag_sage_weights *weights, ag_tensor *x, ag_edges edges)
{
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    if (!ag__has_weights(weights, x, edges, "ag_graph_conv")) return ag__poison(tape);
    ag_tensor *w = ag_parameter(tape, weights->neighbour);
    if (weights->root && weights->bias && ag_shape_of(x).rank == 2)
        return ag__graph_conv(x, w, ag_parameter(tape, weights->root),
                              ag_parameter(tape, weights->bias), edges);
    return ag_sage(weights, x, edges, AG_AGGREGATE_SUM, 0);
}

ag_tensor *ag_graph_conv_weighted(const ag_sage_weights *weights, ag_tensor *x, ag_tensor *w,
                                  ag_edges edges)
{
    if (!w) return ag_graph_conv(weights, x, edges);
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    if (!ag__has_weights(weights, x, edges, "ag_graph_conv_weighted")) return ag__poison(tape);
    ag__check_axes(w, 1, "ag_graph_conv_weighted: w", "messages");
    ag_tensor *neighbour = ag_parameter(tape, weights->neighbour), *y;
    ag_tensor *b = ag__optional(tape, weights->bias);
    if (ag_size(neighbour, 0) >= ag_size(neighbour, 1)) {
        y = ag_linear(ag_spmm_weighted(x, w, edges), neighbour, b);
    } else {
        y = ag_spmm_weighted(ag_linear(x, neighbour, NULL), w, edges);
        if (b) y = ag_add_bias(y, b);
    }
    if (!weights->root) return y;
    return ag_add(y, ag_linear(x, ag_parameter(tape, weights->root), NULL));
}

static ag_tensor *feed_forward(ag_param *weight, ag_param *bias, ag_tensor *x)
{
    return ag_relu(ag__linear(x, weight, bias));
}

ag_tensor *ag_sage_concat(const ag_sage_concat_weights *weights, ag_tensor *x, ag_edges operands,
                          const ag_edges *users, ag_aggregate kind, int l2)
{
    if (!ag__has_weights(weights, x, operands, "ag_sage_concat"))
        return ag__poison(x ? ag_tape_of(x) : ag_tape_of(operands.rows));
    ag_tensor *sent = feed_forward(weights->operands, weights->operands_bias, x), *parts[3] = {x};
    parts[1] = ag_spmm(sent, operands, kind);
    if (users && weights->users) sent = feed_forward(weights->users, weights->users_bias, x);
    if (users) parts[2] = ag_spmm(sent, *users, kind);
    ag_tensor *y =
        feed_forward(weights->join, weights->join_bias, ag_concat(parts, users ? 3 : 2, -1));
    return l2 ? ag_l2_norm(y, (ag_real)1e-12) : y;
}
