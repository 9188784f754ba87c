/* SPDX-License-Identifier: MIT */
/* topk_edges: the graph of the nodes that a pooling keeps, by receivers and by senders, with
   messages in their old order. It depends on the scores, so a run makes it; its arrays are as large
   as those of the whole graph, and nothing is allocated. */
#include "gnn/topk_edges.h"
#include "core/cuda/device.h"
#include "gnn/case_graphs.h"
#include "gnn/edges.h"
#include "gnn/pool.h"
#include "ops/table.h"

static int topk_edges_shape(ag_call *call)
{
    const int k = call->xs[4].size[0], p = call->xs[1].size[0];
    if (ag__check_graph(call, 0)) return 1;
    if (call->xs[4].rank != 1 || call->xs[5].rank != 1 ||
        call->xs[5].size[0] != call->xs[0].size[0])
        return ag__reject(call, "perm must have one axis, and place one element per node");
    call->ys[0] = call->ys[2] = AG_SHAPE(k, 2);
    call->ys[1] = AG_SHAPE(p);
    call->ys[3] = AG_SHAPE(p, 2);
    return 0;
}

static int64_t topk_edges_scratch(const ag_args *a, int backward)
{
    const int64_t ints = sizeof(ag_real) / sizeof(int32_t);
    return backward ? 0 : (a->xs[1].size[0] + ints - 1) / ints;
}

/* Rows follow each other; returns where the last one ends. */
static int place_rows(int32_t *rows, int n)
{
    int at = 0;
    for (int v = 0; v < n; v++) {
        rows[2 * (int64_t)v] = at;
        at += rows[2 * (int64_t)v + 1];
    }
    return at;
}

static void scan(const ag_args *a)
{
    const int k = a->xs[4].size[0], p = a->xs[1].size[0];
    for (int i = place_rows(YI(0), k); i < p; i++) YI(1)[i] = -1;
    for (int i = place_rows(YI(2), k); i < p; i++)
        YI(3)[2 * (int64_t)i] = YI(3)[2 * (int64_t)i + 1] = -1;
}
static const ag_kernel topk_edges_scan = {.name = "topk_edges_scan", .call = scan};

static int64_t there_ints(const ag_args *a)
{
    return a->xs[1].size[0] + 4 * ((int64_t)a->xs[4].size[0] + 1);
}

static int64_t scratch_there(const ag_args *a, int backward)
{
    return backward ? 0 : there_ints(a) + ag__device_scan_scratch(a->xs[4].size[0] + 1);
}

DEVICE(topk_edges_place)
{
    const int n = a->xs[4].size[0] + 1;
    int32_t *numbers = numbers_of(a), *sums = numbers + 2 * (int64_t)n;
    topk_edges_numbers_kernel.cuda(a);
    for (int out = 0; out < 2; out++)
        ag__device_scan(sums + out * (int64_t)n, numbers + out * (int64_t)n, n,
                        a->scratch + there_ints(a));
    topk_edges_places_kernel.cuda(a);
}

static const ag_kernels cuda = {
    .forward = {&topk_edges_count_kernel, &topk_edges_place_kernel, &topk_edges_fill_kernel},
    .scratch = scratch_there,
};

static const int32_t all[] = {0, 1, 2, 3, 4}, few[] = {0, 1, 3}, few_place[] = {0, 1, -1, 2, -1};
static const int32_t alone[] = {4}, alone_place[] = {-1, -1, -1, -1, 0};

#define CASE(N, P, K, ARRAYS, PERM, PLACE)                                \
 {                                                                        \
  .x = {GRAPH(N, P), {1, {K}}, {1, {N}}}, .ints = { ARRAYS, PERM, PLACE } \
 }
static const ag_case cases[] = {
    CASE(5, 6, 5, SOME, all, all),           CASE(5, 6, 3, SOME, few, few_place),
    CASE(5, 6, 1, SOME, alone, alone_place), CASE(5, 0, 3, NONE, few, few_place),
    CASE(0, 0, 0, NONE, nobody, nobody),
};

static const ag_op topk_edges = {
    .name = "topk_edges",
    .formula = "the messages between nodes that stay: perm has their old numbers, place the new",
    .inputs = "rows sources rows_t targets perm place",
    .ints = 0x3fu | SAVE_Y(0) | SAVE_Y(1) | SAVE_Y(2) | SAVE_Y(3),
    .outputs = 4,
    .shape = topk_edges_shape,
    .forward = {&topk_edges_count_kernel, &topk_edges_scan, &topk_edges_fill_kernel},
    .scratch = topk_edges_scratch,
    .cuda = &cuda,
    AG_CASES(cases),
};

const ag_op *const ag__ops_topk_edges[] = {&topk_edges, NULL};

ag_edges ag__topk_edges(ag_edges e, ag_tensor *perm, ag_tensor *place, ag_tensor *starts)
{
    ag_tensor *in[] = {e.rows, e.sources, e.rows_t, e.targets, perm, place};
    ag_tensor *y = ag__record(&topk_edges, in, 6, NULL);
    ag_tensor *made[] = {y, ag__output(y, 1), ag__output(y, 2), ag__output(y, 3)};
    ag__set_fit(made, 4);
    return (ag_edges){made[0], made[1], made[2], made[3], starts};
}
