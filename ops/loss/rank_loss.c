/* SPDX-License-Identifier: MIT */
/* Ranking losses of scores [n] and dense ranks int32 [n]: pairwise_hinge and pairwise_logistic over
   the pairs with rank[i] > rank[j] of the list or of each group (starts), ListMLE over the list in
   order of rank. lambda_rank has labels and the weights of NDCG instead. They save their inputs,
   ListMLE also n sums, lambda_rank three numbers per item. Without items they are 0. */
#include "ops/loss/rank_loss.h"
#include "core/shape.h"
#include "ops/ops.h"
#include "ops/table.h"

static int rank_shape(ag_call *call)
{
    if (call->xs[0].rank != 1 || !ag_shape_equal(call->xs[0], call->xs[1]))
        return ag__reject(call, "scores and %s must have one axis of the same size",
                          call->op->ints & SAVE_X(1) ? "rank" : "labels");
    if (call->n_in > 2 && (call->xs[2].rank != 1 || call->xs[2].size[0] < 1))
        return ag__reject_input(call, 2, "starts needs one axis with one element more than groups");
    call->ys[0] = AG_SCALAR;
    call->ys[1] = call->ys[2] = call->ys[3] = call->xs[0];
    return 0;
}

static int pair_shape(ag_call *call)
{
    if (call->attr.i[0] != AG_MEAN && call->attr.i[0] != AG_SUM)
        return ag__reject(call, "the reduction is %d, but must be AG_MEAN or AG_SUM",
                          call->attr.i[0]);
    if (!(call->attr.f[0] >= 0))
        return ag__reject(call, "the margin is %g, but must be 0 or more", call->attr.f[0]);
    return rank_shape(call);
}

static int64_t pair_scratch(const ag_args *a, int backward) { return backward ? 0 : pair_count(a); }

static int64_t lambda_rank_scratch(const ag_args *a, int backward)
{
    return 2 * pair_scratch(a, backward);
}

/* A row takes a step for each item: blocks of about 2^16 steps, of LambdaRank 2^14. */
static int64_t pair_grain(const ag_args *a) { return 1 + (1 << 16) / (1 + (int64_t)pair_count(a)); }
static int64_t lambda_rank_grain(const ag_args *a)
{
    return 1 + (1 << 14) / (1 + (int64_t)pair_count(a));
}

/* The kernel `id` with blocks of grain_of(a) rows, as id_pairs. */
#define PAIRS(id, grain_of)                                         \
 static const ag_kernel id##_pairs = {.name = #id,                  \
                                      .count = id##_count,          \
                                      .range = id##_range,          \
                                      .cuda = AG__CUDA_POINTER(id), \
                                      .grain = grain_of};

PAIRS(pairwise_hinge_rows, pair_grain)
PAIRS(pairwise_hinge_backward, pair_grain)
PAIRS(pairwise_logistic_rows, pair_grain)
PAIRS(pairwise_logistic_backward, pair_grain)
PAIRS(listmle_rows, pair_grain)
PAIRS(listmle_backward, pair_grain)
PAIRS(lambda_rank_places, lambda_rank_grain)
PAIRS(lambda_rank_rows, lambda_rank_grain)
PAIRS(lambda_rank_backward, lambda_rank_grain)

static const int32_t dense[] = {2, 0, 1, 2, 3, 0, 5, 4, 4, 1, 7, 6, 8, 0, 2, 9, 3,
                                1, 5, 5, 4, 2, 6, 7, 0, 8, 3, 2, 1, 9, 4, 6, 5};
static const int32_t equal[5] = {0};
static const int32_t groups[] = {0, 4, 4, 5, 31}, within[] = {3, 20, 29}, nothing[] = {0, 0};
static const int32_t many[1025] = {[3] = 1, [17] = 2, [500] = 3, [1024] = 2};
static const int32_t all[] = {0, 31}, large[] = {0, 1025};

/* Scores within -range..range; 0: -1..1. */
#define CASE(n, ranks, range, margin, reduction)                                     \
 {                                                                                   \
  .x = {{1, {n}}, {1, {n}}}, .attr = {{margin}, {reduction}}, .ints = {NULL, ranks}, \
  .lo = -(range), .hi = range                                                        \
 }
#define CASES(...)                                                                               \
 CASE(5, dense, 0, __VA_ARGS__), CASE(5, equal, 0, __VA_ARGS__), CASE(0, equal, 0, __VA_ARGS__), \
     CASE(1, equal, 0, __VA_ARGS__), CASE(31, dense, 0, __VA_ARGS__),                            \
     CASE(32, dense, 100, __VA_ARGS__), CASE(33, dense, 0, __VA_ARGS__),                         \
     CASE(1025, many, 0, __VA_ARGS__)

/* Groups of 4, none, 1 and 26; rows outside of all groups; no group. */
#define GROUP(n, starts_n, starts, margin, reduction)                         \
 .x = {{1, {n}}, {1, {n}}, {1, {starts_n}}}, .attr = {{margin}, {reduction}}, \
 .ints = {NULL, dense, starts}
#define GROUPS(...)                                                        \
 {GROUP(31, 5, groups, __VA_ARGS__)}, {GROUP(31, 3, within, __VA_ARGS__)}, \
     {GROUP(5, 1, nothing, __VA_ARGS__)},                                  \
 {                                                                         \
  GROUP(0, 2, nothing, __VA_ARGS__)                                        \
 }

#define LAMBDA_CASE(n, starts_n, starts, reduction, from, to)             \
 {                                                                        \
  .x = {{1, {n}}, {1, {n}}, {1, {starts_n}}}, .attr = {.i = {reduction}}, \
  .ints = {NULL, NULL, starts}, .lo = from, .hi = to                      \
 }
#define LAMBDA_CASES(reduction)                                                                \
 LAMBDA_CASE(31, 2, all, reduction, 0, 1), LAMBDA_CASE(31, 5, groups, reduction, 0, 1),        \
     LAMBDA_CASE(31, 3, within, reduction, 0, 5), LAMBDA_CASE(5, 1, nothing, reduction, 0, 0), \
     LAMBDA_CASE(0, 2, nothing, reduction, 0, 0)

static const ag_case hinge_cases[] = {CASES(0.9, AG_MEAN), CASES(0.3, AG_SUM), GROUPS(0.9, AG_MEAN),
                                      GROUPS(0.3, AG_SUM)};
static const ag_case logistic_cases[] = {CASES(0, AG_MEAN), CASES(0, AG_SUM), GROUPS(0, AG_MEAN),
                                         GROUPS(0, AG_SUM)};
static const ag_case listmle_cases[] = {CASES(0, 0)};
static const ag_case lambda_cases[] = {
    LAMBDA_CASES(AG_MEAN),
    LAMBDA_CASES(AG_SUM),
    LAMBDA_CASE(31, 2, all, AG_SUM, 2, 2), /* all labels are equal */
    LAMBDA_CASE(1025, 2, large, AG_SUM, 0, 1),
};

static const ag_op pairwise_hinge = {
    .name = "pairwise_hinge",
    .formula = "y = sum over rank[i] > rank[j] of max(0, f0 - (s[i] - s[j])), over n n (with "
               "groups: the mean over them) if i0 = 0",
    .inputs = "scores rank starts",
    .ints = SAVE_X(1) | SAVE_X(2),
    .shape = pair_shape,
    .forward = {&pairwise_hinge_rows_pairs, &pair_total_kernel},
    .backward = {&pairwise_hinge_backward_pairs},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2),
    .scratch = pair_scratch,
    .has_kinks = 1,
    AG_CASES(hinge_cases),
};

static const ag_op pairwise_logistic = {
    .name = "pairwise_logistic",
    .formula = "y = sum over rank[i] > rank[j] of ln(1 + e^(s[j] - s[i])), over n n (with groups: "
               "the mean over them) if i0 = 0",
    .inputs = "scores rank starts",
    .ints = SAVE_X(1) | SAVE_X(2),
    .shape = pair_shape,
    .forward = {&pairwise_logistic_rows_pairs, &pair_total_kernel},
    .backward = {&pairwise_logistic_backward_pairs},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2),
    .scratch = pair_scratch,
    AG_CASES(logistic_cases),
};

static const ag_op listmle = {
    .name = "listmle",
    .formula = "y = sum over k of s[k] + ln sum over l at or after k of e^-s[l]",
    .inputs = "scores rank",
    .ints = SAVE_X(1),
    .outputs = 2,
    .shape = rank_shape,
    .forward = {&listmle_rows_pairs, &listmle_total_kernel},
    .backward = {&listmle_backward_pairs},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_Y(1),
    AG_CASES(listmle_cases),
};

static const ag_op lambda_rank = {
    .name = "lambda_rank",
    .formula = "y = sum over label[i] > label[j] of |D[i] - D[j]| |G[i] - G[j]| "
               "log2(1 + e^(s[j] - s[i])), over the groups if i0 = 0",
    .inputs = "scores labels starts",
    .ints = SAVE_X(2),
    .outputs = 4,
    .shape = pair_shape,
    .forward = {&lambda_rank_places_pairs, &lambda_rank_rows_pairs, &pair_total_kernel},
    .backward = {&lambda_rank_backward_pairs},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_Y(1) | SAVE_Y(2) | SAVE_Y(3),
    .scratch = lambda_rank_scratch,
    .has_kinks = 1,
    AG_CASES(lambda_cases),
};

const ag_op *const ag__ops_rank_loss[] = {&pairwise_hinge, &pairwise_logistic, &listmle,
                                          &lambda_rank, NULL};

ag_tensor *ag_pairwise_hinge(ag_tensor *scores, ag_tensor *rank, ag_real margin,
                             ag_reduction reduction)
{
    return ag__record2(&pairwise_hinge, scores, rank,
                       &(ag_attr){.f = {(double)margin}, .i = {(int)reduction}});
}

ag_tensor *ag_pairwise_logistic(ag_tensor *scores, ag_tensor *rank, ag_reduction reduction)
{
    return ag__record2(&pairwise_logistic, scores, rank, &(ag_attr){.i = {(int)reduction}});
}

ag_tensor *ag_pairwise_hinge_groups(ag_tensor *scores, ag_tensor *rank, ag_tensor *starts,
                                    ag_real margin, ag_reduction reduction)
{
    return ag__check_starts(ag__record3(&pairwise_hinge, scores, rank, starts,
                                        &(ag_attr){.f = {(double)margin}, .i = {(int)reduction}}),
                            2);
}

ag_tensor *ag_pairwise_logistic_groups(ag_tensor *scores, ag_tensor *rank, ag_tensor *starts,
                                       ag_reduction reduction)
{
    return ag__check_starts(
        ag__record3(&pairwise_logistic, scores, rank, starts, &(ag_attr){.i = {(int)reduction}}),
        2);
}

ag_tensor *ag_listmle(ag_tensor *scores, ag_tensor *rank)
{
    return ag__record2(&listmle, scores, rank, NULL);
}

ag_tensor *ag_lambda_rank(ag_tensor *scores, ag_tensor *labels, ag_tensor *starts,
                          ag_reduction reduction)
{
    return ag__check_starts(
        ag__record3(&lambda_rank, scores, labels, starts, &(ag_attr){.i = {(int)reduction}}), 2);
}
