/* SPDX-License-Identifier: MIT */
/* graph_conv: sums over the neighbours of a block of nodes, then products, in panels that stay in
   the cache; only the result and the gradient are as large as the graph. Nodes without messages are
   left out of the product with w. Backward leaves out rows of dy that are 0, such as those of nodes
   that a pooling drops. On a device: graph_conv_cuda.c. */
#include "gnn/graph_conv_parts.h"
#include "core/parallel.h"
#include "core/shape.h"
#include "gnn/case_graphs.h"
#include "gnn/edges.h"
#include "ops/table.h"

static int graph_conv_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], w = call->xs[1], root = call->xs[2], b = call->xs[3];
    if (x.rank != 2 || w.rank != 2)
        return ag__reject_input(call, x.rank != 2 ? 0 : 1, "x and w need two axes");
    if (x.size[1] != w.size[1])
        return ag__reject(call,
                          "x has %d features, but w takes %d; make w [%d,%d], or look at what x is",
                          x.size[1], w.size[1], w.size[0], x.size[1]);
    if (!ag_shape_equal(w, root))
        return ag__reject_input(call, 2, "w and root must have one shape");
    if (!ag_shape_equal(b, AG_SHAPE(w.size[0])))
        return ag__reject_input(call, 3, "b needs one element per row of w");
    if (ag_shape_count(w) > INT_MAX / 2)
        return ag__reject_input(call, 1, "w has more than 2^30 elements");
    call->ys[0] = AG_SHAPE(x.size[0], w.size[0]);
    return ag__check_edges(call, 4);
}

static int64_t graph_conv_scratch(const ag_args *a, int backward)
{
    const sizes s = sizes_of(a);
    return parts_at(&s, backward) + s.parts * part_size(&s, backward);
}

/* ---- forward ---- */

/* y += sent + b */
static void finish_row(ag_real *to, const ag_real *sent, const ag_real *b, int out)
{
    ag_real *__restrict__ y = to;
    if (sent)
        for (int i = 0; i < out; i++) y[i] += sent[i];
    for (int i = 0; i < out; i++) y[i] += b[i];
}

static void forward_block(const ag_args *a, const sizes *s, ag_real *part, int64_t k, int adds)
{
    ag_real *sums = part, *sent = part + (int64_t)s->block * s->in;
    int m, heard = 0, place[BLOCK];
    const int lo = block_of(s, k, &m), in = s->in, out = s->out;
    ag_real *y = Y(0) + (int64_t)lo * out;
    (void)adds;
    ag__panels_rows(y, X(0) + (int64_t)lo * in, weight_of(a, s, 1, 0), NULL, m, out, in, 0, 0, m);
    for (int r = 0; r < m; r++) {
        const int gets = message_row(sums + (int64_t)heard * in, a, s, lo + r);
        place[r] = gets ? heard++ : -1;
    }
    ag__panels_rows(sent, sums, weight_of(a, s, 0, 0), NULL, heard, out, in, 0, 0, heard);
    for (int r = 0; r < m; r++)
        finish_row(y + (int64_t)r * out, place[r] < 0 ? NULL : sent + (int64_t)place[r] * out, X(3),
                   out);
}

static void forward_part(void *context, int64_t part, int thread)
{
    const ag_args *a = context;
    const sizes s = sizes_of(a);
    (void)thread;
    each_block(a, &s, part, 0, forward_block);
}

static void graph_conv_forward(const ag_args *a)
{
    const sizes s = sizes_of(a);
    pack_weights(a, &s, 0);
    ag_parallel(s.parts, forward_part, (void *)(uintptr_t)a);
}
static const ag_kernel forward_kernel = {.name = "graph_conv_forward", .call = graph_conv_forward};

/* ---- the table ---- */

static const int32_t far[2 * 600]; /* 600 nodes without messages */
#define CASE(N, P, IN, OUT, ...)                                               \
 .x = {{2, {N, IN}}, {2, {OUT, IN}}, {2, {OUT, IN}}, {1, {OUT}}, GRAPH(N, P)}, \
 .ints = {NULL, NULL, NULL, NULL, __VA_ARGS__}
static const ag_case cases[] = {
    {CASE(5, 6, 3, 2, SOME)},   {CASE(5, 6, 2, 3, SOME)},
    {CASE(5, 6, 17, 33, SOME)}, {CASE(1, 0, 4, 4, NONE)},
    {CASE(0, 0, 3, 2, NONE)},   {CASE(600, 0, 2, 3, far, nobody, far, nobody)},
};

static const ag_op graph_conv = {
    .name = "graph_conv",
    .formula = "y[v] = w (sum over messages of x[source]) + root x[v] + b",
    .inputs = "x w root b rows sources rows_t targets",
    .ints = SAVE_X(4) | SAVE_X(5) | SAVE_X(6) | SAVE_X(7),
    .shape = graph_conv_shape,
    .forward = {&forward_kernel},
    .backward = {&ag__graph_conv_backward_x, &ag__graph_conv_backward_w, &ag__graph_conv_backward_w,
                 &ag__graph_conv_backward_b},
    .saves = SAVE_X(0) | SAVE_X(1) | SAVE_X(2) | SAVE_X(4) | SAVE_X(5) | SAVE_X(6) | SAVE_X(7),
    .first_serves_all = 2,
    .scratch = graph_conv_scratch,
    .cuda = &ag__graph_conv_cuda,
    AG_CASES(cases),
};

const ag_op *const ag__ops_graph_conv[] = {&graph_conv, NULL};

ag_tensor *ag__graph_conv(ag_tensor *x, ag_tensor *w, ag_tensor *root, ag_tensor *b, ag_edges e)
{
    return ag__record_messages(&graph_conv, (ag_tensor *[]){x, w, root, b}, 4, e, NULL);
}
