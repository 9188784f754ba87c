/* SPDX-License-Identifier: MIT */
/* lambda_rank: LambdaRank with the weights of NDCG over the pairs of each group. Saves scores,
   labels, starts and three numbers per item. */
#include "ops/loss/lambda_rank.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

static int lambda_rank_shape(ag_call *call)
{
    if (call->xs[0].rank != 1 || !ag_shape_equal(call->xs[0], call->xs[1]))
        return ag__reject(call, "scores and labels must have one axis of the same size");
    if (call->xs[2].rank != 1 || call->xs[2].size[0] < 1)
        return ag__reject_input(call, 2, "starts needs one axis with one element more than groups");
    if (call->attr.i[0] != AG_MEAN && call->attr.i[0] != AG_SUM)
        return ag__reject(call, "the reduction is %d, but must be AG_MEAN or AG_SUM",
                          call->attr.i[0]);
    call->ys[0] = AG_SCALAR;
    call->ys[1] = call->ys[2] = call->ys[3] = call->xs[0];
    return 0;
}

static int64_t lambda_rank_scratch(const ag_args *a, int backward)
{
    return backward ? 0 : 2 * (int64_t)pair_count(a);
}

/* A row takes up to n steps: blocks of about 2^14 of them. */
static int64_t lambda_rank_grain(const ag_args *a)
{
    return 1 + (1 << 14) / (1 + (int64_t)pair_count(a));
}

PAIRS(lambda_rank_places, lambda_rank_grain)
PAIRS(lambda_rank_rows, lambda_rank_grain)
PAIRS(lambda_rank_backward, lambda_rank_grain)

static const int32_t all[] = {0, 31}, groups[] = {0, 4, 4, 5, 31}, within[] = {3, 20, 29};
static const int32_t none[] = {0, 0}, large[] = {0, 1025};

#define CASE(n, starts_n, starts, reduction, from, to)                    \
 {                                                                        \
  .x = {{1, {n}}, {1, {n}}, {1, {starts_n}}}, .attr = {.i = {reduction}}, \
  .ints = {NULL, NULL, starts}, .lo = from, .hi = to                      \
 }
#define CASES(reduction)                                                      \
 CASE(31, 2, all, reduction, 0, 1), CASE(31, 5, groups, reduction, 0, 1),     \
     CASE(31, 3, within, reduction, 0, 5), CASE(5, 1, none, reduction, 0, 0), \
     CASE(0, 2, none, reduction, 0, 0)

static const ag_case cases[] = {
    CASES(AG_MEAN),
    CASES(AG_SUM),
    CASE(31, 2, all, AG_SUM, 2, 2), /* all labels are equal */
    CASE(1025, 2, large, AG_SUM, 0, 1),
};

static const ag_op lambda_rank = {
    .name = "lambda_rank",
    .formula = "y = sum over label[i] > label[j] of |D[i] - D[j]| |G[i] - G[j]| "
               "log2(1 + e^(s[j] - s[i])), over the groups if i0 = 0",
    .inputs = "scores labels starts",
    .ints = SAVE_X(2),
    .outputs = 4,
    .shape = lambda_rank_shape,
    .forward = {&lambda_rank_places_pairs, &lambda_rank_rows_pairs, &lambda_rank_total_kernel},
    .backward = {&lambda_rank_backward_pairs},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_Y(1) | SAVE_Y(2) | SAVE_Y(3),
    .scratch = lambda_rank_scratch,
    .has_kinks = 1,
    AG_CASES(cases),
};

const ag_op *const ag__ops_lambda_rank[] = {&lambda_rank, NULL};

ag_tensor *ag_lambda_rank(ag_tensor *scores, ag_tensor *labels, ag_tensor *starts,
                          ag_reduction reduction)
{
    return ag__check_starts(
        ag__record3(&lambda_rank, scores, labels, starts, &(ag_attr){.i = {(int)reduction}}), 2);
}
