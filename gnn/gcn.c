/* SPDX-License-Identifier: MIT */
/* gcn_norm, gcn_conv_sum and the convolution of Kipf and Welling that they make. The weight of a
   message is a product of one number per node, so no weights of messages are stored. */
#include "gnn/gcn.h"
#include "core/shape.h"
#include "gnn/case_graphs.h"
#include "gnn/edges.h"
#include "ops/ops.h"
#include "ops/table.h"

static int gcn_norm_shape(ag_call *call)
{
    if (ag__check_graph(call, 0)) return 1;
    call->ys[0] = AG_SHAPE(call->xs[0].size[0]);
    return 0;
}

static int gcn_sum_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    call->ys[0] = x;
    if (x.rank < 2)
        return ag__reject_input(call, 0, "x needs an axis of nodes and one of features");
    if (row_too_wide(x)) return ag__reject_input(call, 0, "a row has more than 2^31 - 1 elements");
    if (!ag_shape_equal(call->xs[1], AG_SHAPE(x.size[0])))
        return ag__reject_input(call, 1,
                                "the norm needs one element per node; make it with ag_gcn_norm");
    if (call->n_in > 6 && !ag_shape_equal(call->xs[6], AG_SHAPE(ag__columns(x))))
        return ag__reject_input(call, 6, "b needs one element per feature");
    return ag__check_edges(call, 2);
}

static int64_t gcn_sum_scratch(const ag_args *a, int backward)
{
    return ag__bias_scratch(a, backward && a->n_in > 6);
}

static const ag_case norm_cases[] = {
    {.x = {GRAPH(5, 6)}, .ints = {LOOPED}},
    {.x = {GRAPH(4, 0)}, .ints = {NONE}},
    {.x = {GRAPH(0, 0)}, .ints = {NONE}},
};

static const ag_case sum_cases[] = {
    {.x = {{2, {5, 3}}, {1, {5}}, GRAPH(5, 6), {1, {3}}}, .ints = {NULL, NULL, LOOPED}},
    {.x = {{2, {5, 3}}, {1, {5}}, GRAPH(5, 6)}, .ints = {NULL, NULL, LOOPED}},
    {.x = {{3, {5, 2, 33}}, {1, {5}}, GRAPH(5, 6), {1, {33}}}, .ints = {NULL, NULL, LOOPED}},
    {.x = {{2, {5, 1025}}, {1, {5}}, GRAPH(5, 6), {1, {1025}}}, .ints = {NULL, NULL, LOOPED}},
    {.x = {{2, {4, 3}}, {1, {4}}, GRAPH(4, 0), {1, {3}}}, .ints = {NULL, NULL, NONE}},
    {.x = {{2, {0, 3}}, {1, {0}}, GRAPH(0, 0), {1, {3}}}, .ints = {NULL, NULL, NONE}},
};

static const ag_op gcn_norm = {
    .name = "gcn_norm",
    .formula = "y[v] = 1 / sqrt(1 + number of messages into v from other nodes)",
    .inputs = "rows sources rows_t targets",
    .ints = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_X(3),
    .shape = gcn_norm_shape,
    .forward = {&gcn_norm_forward_kernel},
    AG_CASES(norm_cases),
};

static const ag_op gcn_sum = {
    .name = "gcn_conv_sum",
    .formula = "y[v] = norm[v] (norm[v] x[v] + sum over other nodes of norm[u] x[u]) + b",
    .inputs = "x norm rows sources rows_t targets b",
    .ints = SAVE_X(2) | SAVE_X(3) | SAVE_X(4) | SAVE_X(5),
    .shape = gcn_sum_shape,
    .forward = {&gcn_sum_forward_kernel},
    .backward = {&gcn_sum_backward_kernel, NULL, NULL, NULL, NULL, NULL, &ag__bias_backward},
    .saves = SAVE_X(1) | SAVE_X(4) | SAVE_X(5),
    .scratch = gcn_sum_scratch,
    .leads = 1,
    AG_CASES(sum_cases),
};

const ag_op *const ag__ops_gcn[] = {&gcn_norm, &gcn_sum, NULL};

ag_tensor *ag_gcn_norm(ag_edges e) { return ag__record_messages(&gcn_norm, NULL, 0, e, NULL); }

static ag_tensor *sum(ag_tensor *x, ag_tensor *norm, ag_edges e, ag_tensor *b)
{
    ag_tensor *in[] = {x, norm, e.rows, e.sources, e.rows_t, e.targets, b};
    ag__check_arrays(e);
    return ag__record(&gcn_sum, in, b ? 7 : 6, NULL);
}

/* 1 / sqrt of 1 + the weights of the messages into each node. */
static ag_tensor *weighted_norm(ag_tensor *w, ag_edges edges)
{
    return ag_reciprocal(ag_sqrt(ag_shift(ag_message_sum(w, edges), 1)));
}

static ag_tensor *weighted_sum(ag_tensor *x, ag_tensor *w, ag_edges edges, ag_tensor *b)
{
    ag_tensor *others = ag__message_others(w, edges), *norm = weighted_norm(others, edges);
    ag_tensor *z = ag_mul_rows(x, norm);
    ag_tensor *y = ag_mul_rows(ag_add(z, ag_spmm_weighted(z, others, edges)), norm);
    return b ? ag_add_bias(y, b) : y;
}

ag_tensor *ag_gcn_conv(const ag_gcn_weights *weights, ag_tensor *x, ag_tensor *norm, ag_edges edges)
{
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    if (!ag__has_weights(weights, x, edges, "ag_gcn_conv")) return ag__poison(tape);
    ag_tensor *w = ag_parameter(tape, weights->w);
    ag_tensor *b = ag__optional(tape, weights->bias);
    if (!norm) norm = ag_gcn_norm(edges);
    if (ag_size(w, 0) > ag_size(w, 1)) return ag_linear(sum(x, norm, edges, NULL), w, b);
    return sum(ag_linear(x, w, NULL), norm, edges, b);
}

ag_tensor *ag_gcn_conv_weighted(const ag_gcn_weights *weights, ag_tensor *x, ag_tensor *w,
                                ag_edges edges)
{
    if (!w) return ag_gcn_conv(weights, x, NULL, edges);
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    if (!ag__has_weights(weights, x, edges, "ag_gcn_conv_weighted")) return ag__poison(tape);
    ag__check_axes(x, 2, "ag_gcn_conv_weighted: x", "nodes, features");
    ag__check_axes(w, 1, "ag_gcn_conv_weighted: w", "messages");
    ag_tensor *product = ag_parameter(tape, weights->w);
    ag_tensor *b = ag__optional(tape, weights->bias);
    if (ag_size(product, 0) > ag_size(product, 1))
        return ag_linear(weighted_sum(x, w, edges, NULL), product, b);
    return weighted_sum(ag_linear(x, product, NULL), w, edges, b);
}
