/* SPDX-License-Identifier: MIT */
/* topk, sag_pool: the nodes with the highest scores of every graph stay, in their old order, each
   times its score. A unit of forward is a graph: its rows are read once, scored, chosen, and scaled
   while the caches hold them. */
#include "core/gemm.h"
#include "core/shape.h"
#include "gnn/pool.h"
#include "gnn/topk_parts.h"
#include "ops/table.h"

static int topk_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (x.rank < 1) return ag__reject_input(call, 0, "an axis of nodes is missing");
    if (ag_shape_count(call->xs[1]) != row_elements(x))
        return ag__reject_input(call, 1, "p needs one element per feature of a node");
    return ag__pool_shape(call);
}

static int sag_pool_shape(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (x.rank < 1) return ag__reject_input(call, 0, "an axis of nodes is missing");
    if (ag_shape_count(call->xs[1]) != x.size[0])
        return ag__reject_input(call, 1, "the score needs one element per node");
    return ag__pool_shape(call);
}

/* ---- forward ---- */

/* Graph g, after its nodes have their scores. */
static void keep_best(const ag_args *a, int64_t g)
{
    const int f = row_width(a->xs[0]);
    choose_nodes(a, g);
    for (int64_t j = XI(3)[g]; j < XI(3)[g + 1]; j++) {
        const int v = YI(2)[j];
        pool_scale(Y(0) + j * f, X(0) + (int64_t)v * f, Y(1)[v], f);
    }
}

static void topk_graphs(const ag_args *a, int64_t lo, int64_t hi)
{
    const int f = row_width(a->xs[0]);
    const ag_real unit = topk_unit(a);
    for (int64_t g = lo; g < hi; g++) {
        for (int64_t v = XI(2)[g]; v < XI(2)[g + 1]; v++)
            Y(1)[v] = pool_dot(X(0) + v * f, X(1), f) * unit;
        pool_tanh(Y(1), Y(1), XI(2)[g], XI(2)[g + 1]);
        keep_best(a, g);
    }
}
static const ag_kernel topk_forward = {
    .name = "topk_forward", .count = pool_graphs, .range = topk_graphs};

static void sag_pool_graphs(const ag_args *a, int64_t lo, int64_t hi)
{
    for (int64_t g = lo; g < hi; g++) {
        pool_tanh(Y(1), X(1), XI(2)[g], XI(2)[g + 1]);
        keep_best(a, g);
    }
}
static const ag_kernel sag_pool_forward = {
    .name = "sag_pool_forward", .count = pool_graphs, .range = sag_pool_graphs};

/* ---- backward of topk ---- */

/* A row of features per block. */
static int64_t topk_scratch(const ag_args *a, int backward)
{
    return backward ? topk_blocks(a) * row_elements(a->xs[0]) : 0;
}

/* dx of the rows of a block, and their part of dp: the sum of t x. */
KERNEL void topk_block(const ag_args *a, int64_t block, ag_real unit, const int add)
{
    const int f = row_width(a->xs[0]);
    const int64_t first = block * TOPK_BLOCK, left = a->xs[0].size[0] - first;
    ag_real *__restrict__ part = a->scratch + block * f;
    for (int i = 0; i < f; i++) part[i] = 0;
    for (int64_t v = first; v < first + (left < TOPK_BLOCK ? left : TOPK_BLOCK); v++) {
        const ag_real *x = X(0) + v * f, *dy = pool_dy(a, v, f);
        const ag_real t = pool_slope(a, v, f) * unit;
        const int scored = dy || DY(1);
        pool_row_back(DX + v * f, dy, Y(1)[v], scored ? X(1) : NULL, t, f, add);
        for (int i = 0; scored && i < f; i++) part[i] += t * x[i];
    }
}

static void topk_back(const ag_args *a, int64_t lo, int64_t hi)
{
    const ag_real unit = topk_unit(a);
    for (int64_t block = lo; block < hi; block++) AG__WITH_ADD(topk_block(a, block, unit, add));
}
static const ag_kernel topk_backward_x = {
    .name = "topk_backward_x", .count = topk_blocks, .range = topk_back};

/* With g the sum of all parts: dp = g - p <g, p> / |p|^2. The first part takes up the others. */
static void topk_back_p(const ag_args *a)
{
    const int f = row_width(a->xs[0]), add = a->add;
    const ag_real unit = topk_unit(a);
    const int64_t blocks = topk_blocks(a);
    ag_real *sum = a->scratch;
    for (int64_t b = 1; b < blocks; b++)
        for (int i = 0; i < f; i++) sum[i] += sum[b * f + i];
    const ag_real along = blocks ? pool_dot(sum, X(1), f) * unit * unit : 0;
    for (int i = 0; i < f; i++) PUT(DX, i, blocks ? sum[i] - X(1)[i] * along : 0);
}
const ag_kernel ag__topk_backward_p = {.name = "topk_backward_p", .call = topk_back_p};

/* ---- on a device ---- */

DEVICE(pool_choose) { choose_there(a); }

static int64_t topk_scratch_there(const ag_args *a, int backward)
{
    return backward ? row_elements(a->xs[0]) + a->xs[0].size[0] : 0;
}

DEVICE(topk_product_back)
{
    const int f = row_width(a->xs[0]), nodes = a->xs[0].size[0];
    ag__gemm(AG_CUDA, a->scratch, a->scratch + f, X(0), 0, 0, 1, f, nodes, 0, NULL);
    topk_along_back_kernel.cuda(a);
}

static const ag_kernels topk_cuda = {
    .forward = {&topk_score_kernel, &pool_choose_kernel, &pool_keep_kernel},
    .backward = {&topk_row_back_kernel, &topk_product_back_kernel},
    .scratch = topk_scratch_there,
};
static const ag_kernels sag_pool_cuda = {
    .forward = {&sag_pool_score_kernel, &pool_choose_kernel, &pool_keep_kernel},
    .backward = {&sag_pool_backward_x_kernel, &sag_pool_backward_score_kernel},
};

/* ---- the table ---- */

static const int32_t whole[] = {0, 5}, three[] = {0, 3}, four[] = {0, 1, 1, 8, 12};
static const int32_t some[] = {0, 1, 1, 5, 7}, none[] = {0, 0, 0}, one[] = {0, 1};
static const int32_t big[] = {0, 300, 301}, part[] = {0, 150, 151};

#define CASE(GRAPHS, KEPT, STARTS, KEPT_STARTS, FROM, TO, ...)             \
 {                                                                         \
  .x = {__VA_ARGS__, {1, {GRAPHS}}, {1, {GRAPHS}}}, .attr = {.i = {KEPT}}, \
  .ints = {NULL, NULL, STARTS, KEPT_STARTS}, .lo = FROM, .hi = TO          \
 }
#define CASES(BY, BY_EMPTY, BY_WIDE, BY_BIG)                                                       \
 CASE(2, 3, whole, three, 0, 0, {2, {5, 4}}, BY), CASE(2, 5, whole, whole, 0, 0, {2, {5, 4}}, BY), \
     CASE(2, 3, whole, three, 40, 41, {2, {5, 4}}, BY), /* tanh is 1 */                            \
     CASE(3, 0, none, none, 0, 0, {2, {0, 4}}, BY_EMPTY),                                          \
     CASE(5, 7, four, some, 0, 0, {3, {12, 3, 11}}, BY_WIDE),                                      \
     CASE(3, 151, big, part, 0, 0, {2, {301, 2}}, BY_BIG),                                         \
     CASE(2, 1, one, one, 0, 0, {1, {1}}, {1, {1}})
#define SHAPE(...) \
 {                 \
  __VA_ARGS__      \
 }
static const ag_case topk_cases[] = {
    CASES(SHAPE(1, {4}), SHAPE(2, {1, 4}), SHAPE(1, {33}), SHAPE(1, {2}))};
static const ag_case sag_pool_cases[] = {
    CASES(SHAPE(1, {5}), SHAPE(1, {0}), SHAPE(2, {12, 1}), SHAPE(1, {301}))};

enum { POOL_INTS = SAVE_X(2) | SAVE_X(3) | SAVE_Y(2) | SAVE_Y(3) };

static const ag_op topk = {
    .name = "topk",
    .formula = "s = tanh(<x[v], p> / |p|); y = s x of the nodes with the largest s of each graph",
    .inputs = "x p starts kept",
    .ints = POOL_INTS,
    .outputs = 4,
    .shape = topk_shape,
    .forward = {&topk_forward},
    .backward = {&topk_backward_x, &ag__topk_backward_p},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_Y(1) | SAVE_Y(3),
    .flows = SAVE_Y(0) | SAVE_Y(1),
    .first_serves_all = 1,
    .scratch = topk_scratch,
    .cuda = &topk_cuda,
    .has_kinks = 1,
    AG_CASES(topk_cases),
};

static const ag_op sag_pool = {
    .name = "sag_pool",
    .formula = "s = tanh(score[v]); y = s x of the nodes with the largest s of each graph",
    .inputs = "x score starts kept",
    .ints = POOL_INTS,
    .outputs = 4,
    .shape = sag_pool_shape,
    .forward = {&sag_pool_forward},
    .backward = {&sag_pool_backward_x_kernel, &sag_pool_backward_score_kernel},
    .saves = SAVE_X(0) | SAVE_Y(1) | SAVE_Y(3),
    .flows = SAVE_Y(0) | SAVE_Y(1),
    .cuda = &sag_pool_cuda,
    .has_kinks = 1,
    AG_CASES(sag_pool_cases),
};

const ag_op *const ag__ops_topk[] = {&topk, &sag_pool, NULL};

ag_pooled ag_topk(ag_tensor *x, ag_tensor *p, ag_edges edges, ag_real ratio)
{
    return ag__pool(&topk, x, p, edges, ratio);
}

ag_pooled ag_sag_pool(ag_tensor *x, ag_tensor *score, ag_edges edges, ag_real ratio)
{
    return ag__pool(&sag_pool, x, score, edges, ratio);
}
