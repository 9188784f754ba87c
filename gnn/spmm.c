/* SPDX-License-Identifier: MIT */
/* spmm, spmm_weighted, sddmm: sums over messages and products along them; each is the other's
 * gradient. */
#include "gnn/spmm.h"
#include "core/shape.h"
#include "gnn/case_graphs.h"
#include "gnn/edges.h"
#include "gnn/gnn.h"
#include "ops/table.h"

static int spmm_shape(ag_call *call)
{
    const int kind = call->attr.i[0];
    call->ys[0] = call->ys[1] = call->xs[0];
    if (kind < SPMM_SUM || kind > SPMM_MAX)
        return ag__reject(call, "the aggregate is %d, but must be " AG__AGGREGATES, kind);
    return ag__check_edges(call, 1);
}

static int check_heads(ag_call *call, int heads)
{
    const int64_t f = values_of(call->xs[0]);
    if (heads < 1 || f % heads)
        return ag__reject(call, "%lld features do not split into %d heads", (long long)f, heads);
    return 0;
}

static int spmm_weighted_shape(ag_call *call)
{
    const ag_shape w = call->xs[1];
    call->ys[0] = call->xs[0];
    if (ag__check_edges(call, 2)) return 1;
    if ((w.rank != 1 && w.rank != 2) || w.size[0] != call->xs[3].size[0])
        return ag__reject_input(call, 1, "w needs one row for each of the %d messages",
                                call->xs[3].size[0]);
    return check_heads(call, w.rank == 2 ? w.size[1] : 1);
}

static int sddmm_shape(ag_call *call)
{
    if (!ag_shape_equal(call->xs[0], call->xs[1]))
        return ag__reject(call, "a and b differ in shape");
    call->ys[0] = AG_SHAPE(call->xs[3].size[0], call->attr.i[0]);
    return ag__check_edges(call, 2) || check_heads(call, call->attr.i[0]);
}

#define CASE(KIND, N, P, ARRAYS, ...)                                              \
 {                                                                                 \
  .x = {__VA_ARGS__, GRAPH(N, P)}, .attr = {.i = {KIND}}, .ints = { NULL, ARRAYS } \
 }
#define CASES(KIND)                                                                    \
 {                                                                                     \
  CASE(KIND, 5, 6, SOME, {2, {5, 3}}), CASE(KIND, 5, 6, SOME, {1, {5}}),               \
      CASE(KIND, 5, 6, SOME, {3, {5, 2, 33}}), CASE(KIND, 5, 6, SOME, {2, {5, 1100}}), \
      CASE(KIND, 4, 0, NONE, {2, {4, 3}}), CASE(KIND, 0, 0, NONE, {2, {0, 3}})         \
 }
static const ag_case sum_cases[] = CASES(SPMM_SUM);
static const ag_case mean_cases[] = CASES(SPMM_MEAN);
static const ag_case max_cases[] = CASES(SPMM_MAX);

enum { GRAPH_INTS_1 = SAVE_X(1) | SAVE_X(2) | SAVE_X(3) | SAVE_X(4) };
enum { GRAPH_INTS_2 = SAVE_X(2) | SAVE_X(3) | SAVE_X(4) | SAVE_X(5) };

#define SPMM_OP(OP_NAME, FORMULA, CASE_LIST)                                                   \
 {                                                                                             \
  .name = OP_NAME, .formula = FORMULA, .inputs = "x rows sources rows_t targets",              \
  .ints = GRAPH_INTS_1, .shape = spmm_shape, .forward = {&spmm_forward_kernel},                \
  .backward = {&spmm_backward_kernel}, .saves = SAVE_X(1) | SAVE_X(3) | SAVE_X(4), .leads = 1, \
  AG_CASES(CASE_LIST)                                                                          \
 }
static const ag_op spmm_sum =
    SPMM_OP("spmm_sum", "y[v] = sum over messages of x[source]", sum_cases);
static const ag_op spmm_mean =
    SPMM_OP("spmm_mean", "y[v] = mean over messages of x[source]", mean_cases);

static const ag_op spmm_max = {
    .name = "spmm_max",
    .formula = "y[v] = max over messages of x[source]",
    .inputs = "x rows sources rows_t targets",
    .ints = GRAPH_INTS_1 | SAVE_Y(1),
    .outputs = 2,
    .shape = spmm_shape,
    .forward = {&spmm_max_forward_kernel},
    .backward = {&spmm_max_backward_kernel},
    .saves = SAVE_X(3) | SAVE_X(4) | SAVE_Y(1),
    .has_kinks = 1,
    AG_CASES(max_cases),
};

/* Heads of 1, 2, 3, 4, 8, 13, 16 and 17 values. */
#define OF_HEADS(CASE)                                                                      \
 CASE(6, 2), CASE(33, 33), CASE(18, 9), CASE(20, 5), CASE(24, 3), CASE(26, 2), CASE(32, 2), \
     CASE(34, 2)
#define WEIGHTED(F, HEADS)                                                       \
 {                                                                               \
  .x = {{2, {5, F}}, {2, {6, HEADS}}, GRAPH(5, 6)}, .ints = { NULL, NULL, SOME } \
 }
#define PRODUCT(F, HEADS)                                                             \
 {                                                                                    \
  .x = {{2, {5, F}}, {2, {5, F}}, GRAPH(5, 6)}, .ints = {NULL, NULL, SOME}, .attr = { \
      .i = {HEADS}                                                                    \
  }                                                                                   \
 }
static const ag_case weighted_cases[] = {
    {.x = {{2, {5, 4}}, {1, {6}}, GRAPH(5, 6)}, .ints = {NULL, NULL, SOME}},
    {.x = {{3, {5, 2, 33}}, {2, {6, 2}}, GRAPH(5, 6)}, .ints = {NULL, NULL, SOME}},
    OF_HEADS(WEIGHTED),
    WEIGHTED(1030, 1030), /* more than HEAD_CHUNK */
    {.x = {{2, {4, 3}}, {1, {0}}, GRAPH(4, 0)}, .ints = {NULL, NULL, NONE}},
    {.x = {{2, {0, 3}}, {1, {0}}, GRAPH(0, 0)}, .ints = {NULL, NULL, NONE}},
};

static const ag_op spmm_weighted = {
    .name = "spmm_weighted",
    .formula = "y[v,h,:] = sum over messages p of w[p,h] x[source,h,:]",
    .inputs = "x w rows sources rows_t targets",
    .ints = GRAPH_INTS_2,
    .shape = spmm_weighted_shape,
    .forward = {&spmm_weighted_forward_kernel},
    .backward = {&spmm_weighted_backward_x_kernel, &spmm_weighted_backward_w_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | GRAPH_INTS_2,
    .leads = 1,
    AG_CASES(weighted_cases),
};

static const ag_case sddmm_cases[] = {
    PRODUCT(4, 1),
    PRODUCT(66, 2),
    OF_HEADS(PRODUCT),
    {.x = {{2, {4, 3}}, {2, {4, 3}}, GRAPH(4, 0)}, .attr = {.i = {1}}, .ints = {NULL, NULL, NONE}},
};

static const ag_op sddmm = {
    .name = "sddmm",
    .formula = "y[p,h] = <a[target,h,:], b[source,h,:]>",
    .inputs = "a b rows sources rows_t targets",
    .ints = GRAPH_INTS_2,
    .shape = sddmm_shape,
    .forward = {&sddmm_forward_kernel},
    .backward = {&sddmm_backward_a_kernel, &sddmm_backward_b_kernel},
    .saves = SAVE_X(0) | SAVE_X(1) | GRAPH_INTS_2,
    AG_CASES(sddmm_cases),
};

const ag_op *const ag__ops_spmm[] = {&spmm_sum,      &spmm_mean, &spmm_max,
                                     &spmm_weighted, &sddmm,     NULL};

ag_tensor *ag_spmm(ag_tensor *x, ag_edges e, ag_aggregate kind)
{
    if (kind == AG_AGGREGATE_MIN || kind == AG_AGGREGATE_STD)
        return ag_message_aggregate(ag__message_sent(x, e), e, kind);
    const ag_op *op = kind == AG_AGGREGATE_MAX    ? &spmm_max
                      : kind == AG_AGGREGATE_MEAN ? &spmm_mean
                                                  : &spmm_sum;
    return ag__record_messages(op, &x, 1, e, &(ag_attr){.i = {(int)kind}});
}

ag_tensor *ag_spmm_weighted(ag_tensor *x, ag_tensor *w, ag_edges e)
{
    return ag__record_messages(&spmm_weighted, (ag_tensor *[]){x, w}, 2, e, NULL);
}

ag_tensor *ag_sddmm(ag_tensor *a, ag_tensor *b, ag_edges e, int heads)
{
    return ag__record_messages(&sddmm, (ag_tensor *[]){a, b}, 2, e, &(ag_attr){.i = {heads}});
}
