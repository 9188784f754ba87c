/* SPDX-License-Identifier: MIT */
/* sage_sum, sage_mean: y_v = sum or mean over the messages of the left half of z_u, plus the right
   half of z_v, plus b: what GraphSAGE does after one product with both of its weights. */
#include "gnn/sage_sum.h"
#include "gnn/case_graphs.h"
#include "gnn/edges.h"
#include "ops/table.h"

static int sage_sum_shape(ag_call *call)
{
    const ag_shape z = call->xs[0], b = call->xs[1];
    if (z.rank < 2)
        return ag__reject_input(call, 0, "z needs an axis of nodes and one of features");
    if (b.rank != 1 || ag__columns(z) != 2 * (int64_t)b.size[0])
        return ag__reject(call, "z must have twice as many features as b elements");
    call->ys[0] = z;
    call->ys[0].size[z.rank - 1] = b.size[0];
    return ag__check_edges(call, 2);
}

#define CASE(KIND, N, P, ARRAYS, O, ...)                                                           \
 {                                                                                                 \
  .x = {__VA_ARGS__, {1, {O}}, GRAPH(N, P)}, .attr = {.i = {KIND}}, .ints = { NULL, NULL, ARRAYS } \
 }
#define CASES(KIND)                                                                            \
 {                                                                                             \
  CASE(KIND, 5, 6, SOME, 3, {2, {5, 6}}), CASE(KIND, 5, 6, SOME, 33, {3, {5, 2, 66}}),         \
      CASE(KIND, 5, 6, SOME, 1, {3, {5, 4, 2}}), CASE(KIND, 5, 6, SOME, 33, {3, {5, 40, 66}}), \
      CASE(KIND, 4, 0, NONE, 3, {2, {4, 6}}), CASE(KIND, 0, 0, NONE, 3, {2, {0, 6}})           \
 }
static const ag_case sum_cases[] = CASES(SAGE_SUM), mean_cases[] = CASES(SAGE_MEAN);

#define SAGE_OP(NAME, FORMULA, CASE_LIST, REPLACES)                                    \
 {                                                                                     \
  .name = NAME, .formula = FORMULA, .inputs = "z b rows sources rows_t targets",       \
  .ints = SAVE_X(2) | SAVE_X(3) | SAVE_X(4) | SAVE_X(5), .shape = sage_sum_shape,      \
  .forward = {&sage_sum_forward_kernel},                                               \
  .backward = {&sage_sum_backward_z_kernel, &ag__bias_backward},                       \
  .saves = SAVE_X(2) | SAVE_X(4) | SAVE_X(5), .scratch = ag__bias_scratch, .leads = 1, \
  AG_CASES(CASE_LIST), .replaces = REPLACES                                            \
 }
static const ag_op sage_sum =
    SAGE_OP("sage_sum", "y[v] = sum over messages of left(z[source]) + right(z[v]) + b", sum_cases,
            "add_bias(add(spmm_sum(left half of z), right half of z), b)");
static const ag_op sage_mean =
    SAGE_OP("sage_mean", "y[v] = mean over messages of left(z[source]) + right(z[v]) + b",
            mean_cases, "add_bias(add(spmm_mean(left half of z), right half of z), b)");

const ag_op *const ag__ops_sage_sum[] = {&sage_sum, &sage_mean, NULL};

ag_tensor *ag__sage_sum(ag_tensor *z, ag_tensor *b, ag_edges e, ag_aggregate kind)
{
    const int mean = kind == AG_AGGREGATE_MEAN;
    return ag__record_messages(mean ? &sage_mean : &sage_sum, (ag_tensor *[]){z, b}, 2, e,
                               &(ag_attr){.i = {mean ? SAGE_MEAN : SAGE_SUM}});
}
