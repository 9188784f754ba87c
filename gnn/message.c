/* SPDX-License-Identifier: MIT */
/* Aggregates of values of messages: message_sum (or mean), message_aggregate_max (or min) and
   message_aggregate_std; gcn_conv_others; and PNA, which is made of them. */
#include "gnn/message.h"
#include "gnn/case_graphs.h"
#include "gnn/edges.h"
#include "ops/ops.h"
#include "ops/table.h"

static int aggregate_shape(ag_call *call)
{
    if (ag__check_messages(call)) return 1;
    call->ys[0].size[0] = call->xs[1].size[0];
    call->ys[1] = call->ys[0];
    return 0;
}

static int sum_shape(ag_call *call)
{
    const int kind = call->attr.i[0];
    if (kind < AG_AGGREGATE_SUM || kind > AG_AGGREGATE_MEAN)
        return ag__reject(call, "the aggregate is %d, but must be " AG__AGGREGATES, kind);
    return aggregate_shape(call);
}

static int degree_shape(ag_call *call)
{
    if (ag__check_graph(call, 0)) return 1;
    call->ys[0] = AG_SHAPE(call->xs[0].size[0]);
    return 0;
}

#define CASE(KIND, P, ...)                                                                  \
 {                                                                                          \
  .x = {__VA_ARGS__, GRAPH(5, P)}, .attr = {.i = {KIND}}, .ints = {NULL, LOOPED}, .lo = -3, \
  .hi = 3                                                                                   \
 }
#define EMPTY(KIND, N)                                                           \
 {                                                                               \
  .x = {{2, {0, 3}}, GRAPH(N, 0)}, .attr = {.i = {KIND}}, .ints = { NULL, NONE } \
 }
#define CASES(KIND)                                                                         \
 CASE(KIND, 6, {2, {6, 3}}), CASE(KIND, 6, {1, {6}}), CASE(KIND, 6, {3, {6, 2, 33}}),       \
     CASE(KIND, 6, {2, {6, 1025}}), CASE(KIND, 8, {2, {8, 3}}), CASE(KIND, 6, {2, {6, 0}}), \
     EMPTY(KIND, 4), EMPTY(KIND, 0)
static const ag_case of_two[] = {CASES(0), CASES(1)}, of_one[] = {CASES(0)};
static const ag_case degree_cases[] = {
    {.x = {GRAPH(5, 6)}, .ints = {LOOPED}},
    {.x = {GRAPH(4, 0)}, .ints = {NONE}},
    {.x = {GRAPH(0, 0)}, .ints = {NONE}},
};

enum { GRAPH_INTS = SAVE_X(1) | SAVE_X(2) | SAVE_X(3) | SAVE_X(4) };

static const ag_op message_sum = {
    .name = "message_sum",
    .formula = "y[v] = sum (i0 1: mean) over messages p into v of x[p]",
    .inputs = "x rows sources rows_t targets",
    .ints = GRAPH_INTS,
    .shape = sum_shape,
    .forward = {&message_sum_forward_kernel},
    .backward = {&message_sum_backward_kernel},
    .saves = SAVE_X(1),
    .leads = 1,
    AG_CASES(of_two),
};

static const ag_op message_max = {
    .name = "message_aggregate_max",
    .formula = "y[v] = max (i0 1: min) over messages p into v of x[p]",
    .inputs = "x rows sources rows_t targets",
    .ints = GRAPH_INTS | SAVE_Y(1),
    .outputs = 2,
    .shape = aggregate_shape,
    .forward = {&message_max_forward_kernel},
    .backward = {&message_max_backward_kernel},
    .saves = SAVE_X(1) | SAVE_Y(1),
    .has_kinks = 1,
    AG_CASES(of_two),
};

static const ag_op message_std = {
    .name = "message_aggregate_std",
    .formula = "y[v] = sqrt(mean over messages p into v of (x[p] - their mean)^2); 0 where that "
               "square is at most 1e-5",
    .inputs = "x rows sources rows_t targets",
    .ints = GRAPH_INTS,
    .outputs = 2,
    .shape = aggregate_shape,
    .forward = {&message_std_forward_kernel},
    .backward = {&message_std_backward_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_Y(0) | SAVE_Y(1),
    .has_kinks = 1,
    AG_CASES(of_one),
};

static const ag_op message_others = {
    .name = "gcn_conv_others",
    .formula = "y[p] = x[p] of messages from other nodes, 0 of those from a node to itself",
    .inputs = "x rows sources rows_t targets",
    .ints = GRAPH_INTS,
    .shape = ag__check_messages,
    .forward = {&message_others_forward_kernel},
    .backward = {&message_others_backward_kernel},
    .saves = SAVE_X(1) | SAVE_X(2),
    AG_CASES(of_one),
};

static const ag_op pna_degree = {
    .name = "message_pna_degree",
    .formula = "y[v] = ln(1 + number of messages into v, at least 1)",
    .inputs = "rows sources rows_t targets",
    .ints = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_X(3),
    .shape = degree_shape,
    .forward = {&pna_degree_forward_kernel},
    AG_CASES(degree_cases),
};

const ag_op *const ag__ops_message[] = {&message_sum,    &message_max, &message_std,
                                        &message_others, &pna_degree,  NULL};

static ag_tensor *record(const ag_op *op, ag_tensor *x, ag_edges e, int i)
{
    return ag__record_messages(op, &x, 1, e, &(ag_attr){.i = {i}});
}

ag_tensor *ag_message_sum(ag_tensor *x, ag_edges e) { return record(&message_sum, x, e, 0); }

ag_tensor *ag_message_aggregate(ag_tensor *x, ag_edges e, ag_aggregate kind)
{
    switch (kind) {
    case AG_AGGREGATE_MAX: return record(&message_max, x, e, 0);
    case AG_AGGREGATE_MIN: return record(&message_max, x, e, 1);
    case AG_AGGREGATE_STD: return record(&message_std, x, e, 0);
    default: return record(&message_sum, x, e, (int)kind);
    }
}

ag_tensor *ag__message_others(ag_tensor *x, ag_edges e) { return record(&message_others, x, e, 0); }

ag_tensor *ag__message_sent(ag_tensor *x, ag_edges e)
{
    if (x && e.rows && ag_size(x, 0) != ag_size(e.rows, 0))
        ag_tape_fail(ag_tape_of(x), AG_ESHAPE,
                     "x has %d rows, but the graph has %d nodes; give it one row for each",
                     ag_size(x, 0), ag_size(e.rows, 0));
    ag__check_arrays(e);
    return ag_gather(x, e.sources);
}

/* ---- PNA ---- */

ag_tensor *ag_message_pna(ag_tensor *x, ag_edges edges, ag_real mean_log_degree)
{
    static const ag_aggregate kinds[] = {AG_AGGREGATE_MEAN, AG_AGGREGATE_MIN, AG_AGGREGATE_MAX,
                                         AG_AGGREGATE_STD};
    ag_tensor *part[4];
    ag__check_axes(x, 2, "ag_message_pna: x", "messages, features");
    if (!(mean_log_degree > 0))
        ag_tape_fail(
            ag_tape_of(x), AG_ESHAPE,
            "ag_message_pna: the mean of ln(degree + 1) is %g, but must be above 0; take it over "
            "the nodes of the training data",
            (double)mean_log_degree);
    for (int k = 0; k < 4; k++) part[k] = ag_message_aggregate(x, edges, kinds[k]);
    ag_tensor *all = ag_concat(part, 4, 1);
    ag_tensor *degree = ag__record_messages(&pna_degree, NULL, 0, edges, NULL);
    ag_tensor *more = ag_scale(degree, 1 / mean_log_degree);
    ag_tensor *less = ag_scale(ag_reciprocal(degree), mean_log_degree);
    ag_tensor *scaled[] = {all, ag_mul_rows(all, more), ag_mul_rows(all, less)};
    return ag_concat(scaled, 3, 1);
}
