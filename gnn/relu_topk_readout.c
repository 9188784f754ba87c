/* SPDX-License-Identifier: MIT */
/* relu_topk_readout: the ReLU, the pooling and the readout between two convolutions of a network.
   The rows of a graph are in the cache from the ReLU to the readout, and backward reads each row of
   x once. On a device there is a kernel for each of the three. */
#include "gnn/relu_topk_readout.h"
#include "core/columns.h"
#include "core/parallel.h"
#include "core/shape.h"
#include "gnn/pool.h"
#include "gnn/topk_parts.h"
#include "ops/table.h"

static int relu_topk_readout_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], starts = call->xs[2];
    if (x.rank != 2)
        return ag__reject_input(call, 0, "x must have an axis of nodes and one of features");
    if (ag_shape_count(call->xs[1]) != x.size[1])
        return ag__reject_input(call, 1, "p needs one element per feature of a node");
    if (x.size[1] > INT_MAX / 2)
        return ag__reject_input(call, 0, "there are more than 2^30 features");
    if (ag__pool_shape(call)) return 1;
    call->ys[4] = AG_SHAPE(starts.size[0] - 1, 2 * x.size[1]);
    call->ys[5] = AG_SHAPE(starts.size[0] - 1, x.size[1]);
    return 0;
}

static int least(int64_t a, int64_t b) { return (int)(a < b ? a : b); }

/* ---- forward ---- */

/* A row of features per unit of work; backward, one per block for its part of dp, and one for the
   gradient of a row of y. */
static int64_t relu_topk_readout_scratch(const ag_args *a, int backward)
{
    const int64_t blocks = topk_blocks(a), graphs = pool_graphs(a);
    return (backward ? 2 * blocks : blocks > graphs ? blocks : graphs) * row_elements(a->xs[0]);
}

/* Scores of nodes lo..hi-1; unit is that of topk_unit. */
static void score_nodes(const ag_args *a, ag_real *row, int lo, int hi, ag_real unit)
{
    const int f = a->xs[0].size[1];
    for (int64_t v = lo; v < hi; v++) {
        rectify(row, X(0) + v * f, f);
        Y(1)[v] = pool_dot(row, X(1), f) * unit;
    }
    pool_tanh(Y(1), Y(1), lo, hi);
}

/* Rows lo..hi-1 of y. */
static void keep_rows(const ag_args *a, int lo, int hi)
{
    const int f = a->xs[0].size[1];
    for (int64_t j = lo; j < hi; j++) {
        const int v = YI(2)[j];
        const ag_real *x = X(0) + (int64_t)v * f, s = Y(1)[v];
        ag_real *__restrict__ y = Y(0) + j * f;
        for (int i = 0; i < f; i++) y[i] = rectified(x[i]) * s;
    }
}

static void do_graph(void *context, int64_t g, int thread)
{
    const ag_args *a = context;
    const int f = a->xs[0].size[1];
    (void)thread;
    score_nodes(a, a->scratch + g * f, XI(2)[g], XI(2)[g + 1], topk_unit(a));
    choose_nodes(a, g);
    keep_rows(a, XI(3)[g], XI(3)[g + 1]);
    for (int c = 0; c < f; c += AG_STRIP) read_columns(a, g, c, least(AG_STRIP, f - c));
}

/* Few graphs are cut in blocks of rows and strips of columns, for all threads to have some. */
enum { FEW = 8, COLUMNS = 32 };

static void score_block(void *context, int64_t block, int thread)
{
    const ag_args *a = context;
    const int64_t lo = block * TOPK_BLOCK;
    (void)thread;
    score_nodes(a, a->scratch + block * a->xs[0].size[1], (int)lo,
                least(lo + TOPK_BLOCK, a->xs[0].size[0]), topk_unit(a));
}

static void keep_block(void *context, int64_t block, int thread)
{
    const ag_args *a = context;
    const int64_t lo = block * TOPK_BLOCK;
    (void)thread;
    keep_rows(a, (int)lo, least(lo + TOPK_BLOCK, a->ys[0].size[0]));
}

static int64_t strips_of(const ag_args *a) { return (a->xs[0].size[1] + COLUMNS - 1) / COLUMNS; }

static void read_strip(void *context, int64_t k, int thread)
{
    const ag_args *a = context;
    const int c = (int)(k % strips_of(a)) * COLUMNS;
    (void)thread;
    read_columns(a, k / strips_of(a), c, least(COLUMNS, a->xs[0].size[1] - c));
}

static void relu_topk_readout_call(const ag_args *a)
{
    const int64_t graphs = pool_graphs(a), work = ag_shape_count(a->xs[0]),
                  kept = ag_shape_count(a->ys[0]);
    void *context = (void *)(uintptr_t)a;
    if (graphs > FEW) {
        ag__parallel_work(work, graphs, do_graph, context);
        return;
    }
    ag__parallel_work(work, topk_blocks(a), score_block, context);
    for (int64_t g = 0; g < graphs; g++) choose_nodes(a, g);
    ag__parallel_work(kept, (a->ys[0].size[0] + (int64_t)TOPK_BLOCK - 1) / TOPK_BLOCK, keep_block,
                      context);
    ag__parallel_work(kept, graphs * strips_of(a), read_strip, context);
}
static const ag_kernel relu_topk_readout_forward = {.name = "relu_topk_readout_forward",
                                                    .call = relu_topk_readout_call};

/* ---- backward ---- */

static inline void block_back(const ag_args *a, int64_t block, ag_real unit, const int add)
{
    const int f = a->xs[0].size[1], nodes = a->xs[0].size[0];
    const int64_t first = block * TOPK_BLOCK, left = nodes - first;
    ag_real *part = a->scratch + block * f, *dy = part + topk_blocks(a) * f;
    int64_t g = cut_segment(cut_of(XI(2), pool_graphs(a), nodes, 0), first);
    for (int i = 0; i < f; i++) part[i] = dy[i] = 0;
    for (int64_t v = first; v < first + least(TOPK_BLOCK, left); v++) {
        while (v >= XI(2)[g + 1]) g++;
        node_back(part, dy, a, g, v, unit, f, add);
    }
}

static void relu_topk_readout_back(const ag_args *a, int64_t lo, int64_t hi)
{
    const ag_real unit = topk_unit(a);
    for (int64_t block = lo; block < hi; block++) AG__WITH_ADD(block_back(a, block, unit, add));
}
static const ag_kernel relu_topk_readout_backward_x = {
    .name = "relu_topk_readout_backward_x", .count = topk_blocks, .range = relu_topk_readout_back};

/* ---- on a device ---- */

DEVICE(relu_topk_choose) { choose_there(a); }

static int64_t scratch_there(const ag_args *a, int backward)
{
    const int f = a->xs[0].size[1];
    return backward ? f + 2 * ag_shape_count(a->xs[0]) + ag__column_scratch(a->xs[0].size[0], f)
                    : 0;
}

DEVICE(relu_topk_parts_back)
{
    const int f = a->xs[0].size[1], nodes = a->xs[0].size[0];
    ag_real *part = a->scratch + f;
    ag__column_sums(AG_CUDA, a->scratch, part, NULL, nodes, f, 0, part + 2 * (int64_t)nodes * f);
    topk_along_back_kernel.cuda(a);
}

static const ag_kernels cuda = {
    .forward = {&relu_topk_score_kernel, &relu_topk_choose_kernel, &relu_topk_keep_kernel,
                &relu_topk_read_kernel},
    .backward = {&relu_topk_row_back_kernel, &relu_topk_parts_back_kernel},
    .scratch = scratch_there,
};

/* ---- the table ---- */

static const int32_t whole[] = {0, 5}, three[] = {0, 3}, four[] = {0, 1, 1, 8, 12};
static const int32_t some[] = {0, 1, 1, 5, 7}, none[] = {0, 0, 0}, one[] = {0, 1};
static const int32_t big[] = {0, 300, 301}, part[] = {0, 150, 151};
static const int32_t many[] = {0, 1, 3, 3, 5, 8, 9, 11, 12, 15, 16}; /* more than FEW */
static const int32_t most[] = {0, 1, 2, 2, 4, 6, 7, 8, 9, 10, 11};

#define CASE(NODES, F, GRAPHS, KEPT, ...)                                                \
 {                                                                                       \
  .x = {{2, {NODES, F}}, {1, {F}}, {1, {GRAPHS}}, {1, {GRAPHS}}}, .attr = {.i = {KEPT}}, \
  __VA_ARGS__                                                                            \
 }
static const ag_case cases[] = {
    CASE(5, 4, 2, 3, .ints = {NULL, NULL, whole, three}),
    CASE(5, 4, 2, 5, .ints = {NULL, NULL, whole, whole}),
    CASE(5, 4, 2, 3, .lo = 40, .hi = 41, .ints = {NULL, NULL, whole, three}), /* tanh is 1 */
    CASE(5, 4, 2, 3, .lo = -2, .hi = -1, .ints = {NULL, NULL, whole, three}), /* nothing passes */
    CASE(0, 4, 3, 0, .ints = {NULL, NULL, none, none}),
    CASE(12, 33, 5, 7, .ints = {NULL, NULL, four, some}),
    CASE(3, 1025, 2, 3, .ints = {NULL, NULL, three, three}),
    CASE(16, 17, 11, 11, .ints = {NULL, NULL, many, most}),
    CASE(16, 1027, 11, 11, .ints = {NULL, NULL, many, most}),
    CASE(301, 2, 3, 151, .ints = {NULL, NULL, big, part}),
    CASE(1, 1, 2, 1, .ints = {NULL, NULL, one, one}),
};

static const ag_op relu_topk_readout = {
    .name = "relu_topk_readout",
    .formula = "x+ = max(x, 0); y, s = topk(x+, p); r[g,:] = largest, then mean of the rows of y "
               "of graph g, by column",
    .inputs = "x p starts kept",
    .ints = SAVE_X(2) | SAVE_X(3) | SAVE_Y(2) | SAVE_Y(3) | SAVE_Y(5),
    .outputs = 6,
    .shape = relu_topk_readout_shape,
    .forward = {&relu_topk_readout_forward},
    .backward = {&relu_topk_readout_backward_x, &ag__topk_backward_p},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_X(3) | SAVE_Y(1) | SAVE_Y(3) | SAVE_Y(5),
    .flows = SAVE_Y(0) | SAVE_Y(1) | SAVE_Y(4),
    .first_serves_all = 1,
    .scratch = relu_topk_readout_scratch,
    .cuda = &cuda,
    .has_kinks = 1,
    AG_CASES(cases),
    .replaces = "y = topk(relu(x), p, starts, kept); r = concat2(segment_max(y, kept), "
                "segment_mean(y, kept), -1)",
};

const ag_op *const ag__ops_relu_topk_readout[] = {&relu_topk_readout, NULL};

ag_pooled ag_relu_topk_readout(ag_tensor *x, ag_tensor *p, ag_edges edges, ag_real ratio)
{
    ag_pooled pooled = ag__pool(&relu_topk_readout, x, p, edges, ratio);
    pooled.readout = ag__output(pooled.x, 4);
    return pooled;
}
