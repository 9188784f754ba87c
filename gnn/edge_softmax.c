/* SPDX-License-Identifier: MIT */
/* edge_add: the sum of the values at both ends of a message; edge_softmax: softmax over the
   messages into each node. */
#include "gnn/edge_softmax.h"
#include "core/shape.h"
#include "gnn/case_graphs.h"
#include "gnn/edges.h"
#include "ops/table.h"

static int edge_add_shape(ag_call *call)
{
    if (!ag_shape_equal(call->xs[0], call->xs[1]))
        return ag__reject(call, "from and to differ in shape");
    if (ag__check_edges(call, 2)) return 1;
    call->ys[0] = call->xs[0];
    call->ys[0].size[0] = call->xs[3].size[0];
    return 0;
}

static const ag_case add_cases[] = {
    {.x = {{2, {5, 4}}, {2, {5, 4}}, GRAPH(5, 6)}, .ints = {NULL, NULL, SOME}},
    {.x = {{1, {5}}, {1, {5}}, GRAPH(5, 6)}, .ints = {NULL, NULL, SOME}},
    {.x = {{3, {5, 2, 33}}, {3, {5, 2, 33}}, GRAPH(5, 6)}, .ints = {NULL, NULL, SOME}},
    {.x = {{2, {4, 3}}, {2, {4, 3}}, GRAPH(4, 0)}, .ints = {NULL, NULL, NONE}},
    {.x = {{2, {0, 3}}, {2, {0, 3}}, GRAPH(0, 0)}, .ints = {NULL, NULL, NONE}},
};

static const ag_op edge_add = {
    .name = "edge_add",
    .formula = "y[p] = from[source] + to[target]",
    .inputs = "from to rows sources rows_t targets",
    .ints = SAVE_X(2) | SAVE_X(3) | SAVE_X(4) | SAVE_X(5),
    .shape = edge_add_shape,
    .forward = {&edge_add_forward_kernel},
    .backward = {&edge_add_backward_from_kernel, &edge_add_backward_to_kernel},
    .saves = SAVE_X(2) | SAVE_X(4) | SAVE_X(5),
    AG_CASES(add_cases),
};

static const ag_case softmax_cases[] = {
    {.x = {{2, {6, 4}}, GRAPH(5, 6)}, .ints = {NULL, SOME}},
    {.x = {{1, {6}}, GRAPH(5, 6)}, .lo = -30, .hi = 30, .ints = {NULL, SOME}},
    {.x = {{2, {6, 1}}, GRAPH(5, 6)},
     .lo = 500,
     .hi = 510,
     .ints = {NULL, SOME}}, /* e^x overflows */
    {.x = {{3, {6, 2, 33}}, GRAPH(5, 6)}, .ints = {NULL, SOME}},
    {.x = {{2, {0, 3}}, GRAPH(4, 0)}, .ints = {NULL, NONE}},
    {.x = {{2, {0, 3}}, GRAPH(0, 0)}, .ints = {NULL, NONE}},
};

static const ag_op edge_softmax = {
    .name = "edge_softmax",
    .formula = "y[p] = e^x[p] / sum over the messages q into p's target of e^x[q]",
    .inputs = "x rows sources rows_t targets",
    .ints = SAVE_X(1) | SAVE_X(2) | SAVE_X(3) | SAVE_X(4),
    .shape = ag__check_messages,
    .forward = {&edge_softmax_forward_kernel},
    .backward = {&edge_softmax_backward_kernel},
    .saves = SAVE_X(1) | SAVE_Y(0),
    AG_CASES(softmax_cases),
};

const ag_op *const ag__ops_edge_softmax[] = {&edge_add, &edge_softmax, NULL};

ag_tensor *ag_edge_add(ag_tensor *from, ag_tensor *to, ag_edges e)
{
    return ag__record_messages(&edge_add, (ag_tensor *[]){from, to}, 2, e, NULL);
}

ag_tensor *ag_edge_softmax(ag_tensor *x, ag_edges e)
{
    return ag__record_messages(&edge_softmax, &x, 1, e, NULL);
}
