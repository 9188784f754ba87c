/* SPDX-License-Identifier: MIT */
/* The ops that the bench times, as the cost models call them. Operations are those of the formula,
   with a function like exp counted as one; bytes are those that must be read and written once. */
#include "ops.h"

/* An op that is one call on its inputs x. */
#define OP(name, call) \
 static ag_tensor *name(const bench_scene *s, ag_tensor *const *x) { return call; }

OP(neighbour_mean, ag_spmm(x[0], s->edges, AG_AGGREGATE_MEAN))
OP(neighbour_max, ag_spmm(x[0], s->edges, AG_AGGREGATE_MAX))
OP(instance_norm, ag_instance_norm(x[0], s->edges.starts, (ag_real)1e-5))
OP(layer_norm, ag_layer_norm(x[0], x[1], x[2], (ag_real)1e-5))
OP(l2_norm, ag_l2_norm(x[0], (ag_real)1e-12))
OP(add, ag_add(x[0], x[1]))
OP(gelu, ag_gelu(x[0]))
OP(add_gelu_dropout, ag_dropout(ag_gelu(ag_add(x[0], x[1])), (ag_real)0.2))
OP(softmax, ag_softmax(x[0]))
OP(cross_attention, ag_cross_attention(x[0], x[1]))
OP(channel_attention, ag_channel_attention(x[0], x[1], x[2], x[3], x[4]))
OP(attend, ag_attend(x[0], &(ag_attend_weights){x[1], x[2], x[3], x[4], x[5]}, x[6], (ag_real)0.2))
OP(linear, ag_linear(x[0], x[1], x[2]))

static ag_tensor *gat(const bench_scene *s, ag_tensor *const *x)
{
    ag_param *const *w = s->params->list + 1;
    const ag_gat_weights weights = {.w = w[0], .from = w[1], .to = w[2]};
    return ag_gat(&weights, x[0], NULL, s->kernel_edges, 8, 0, (ag_real)0.2, 0);
}

OP(mean_rows, ag_mean_rows(x[0]))
OP(transpose, ag_transpose(ag_reshape(x[0], AG_SHAPE(s->nodes, s->configs * 128))))
OP(concat, ag_concat2(x[0], x[1], -1))

static ag_tensor *embedding_bag(const bench_scene *s, ag_tensor *const *x)
{
    ag_tensor *index = ag_input_i32(ag_tape_of(x[0]), s->digit, AG_SHAPE(s->bags, 18));
    return ag_embedding_bag(x[0], index, 8);
}

/* The first small graphs, as many as x has rows for. */
static ag_tensor *starts_of(const bench_scene *s, ag_tensor *x)
{
    const int graphs = ag_size(x, 0) / s->starts[1];
    return ag_input_i32(ag_tape_of(x), s->starts, AG_SHAPE(graphs + 1));
}

OP(attention, ag_attention(x[0], starts_of(s, x[0]), 8, 0))

static ag_tensor *rank_of(const bench_scene *s, ag_tensor *x)
{
    return ag_input_i32(ag_tape_of(x), s->rank, AG_SHAPE(ag_size(x, 0)));
}

OP(pairwise_hinge, ag_pairwise_hinge(x[0], rank_of(s, x[0]), 1, AG_MEAN))

/* 16 groups of 64. */
static ag_tensor *lambda_rank(const bench_scene *s, ag_tensor *const *x)
{
    static const int32_t starts[] = {0,   64,  128, 192, 256, 320, 384, 448, 512,
                                     576, 640, 704, 768, 832, 896, 960, 1024};
    return ag_lambda_rank(x[0], x[1], ag_input_i32(ag_tape_of(x[0]), starts, AG_SHAPE(17)),
                          AG_MEAN);
}

OP(listmle, ag_listmle(x[0], rank_of(s, x[0])))

static ag_tensor *gcn_conv(const bench_scene *s, ag_tensor *const *x)
{
    const ag_gcn_weights weights = {s->params->list[1], s->params->list[2]};
    return ag_gcn_conv(&weights, x[0], NULL, s->tree_edges);
}

OP(topk, ag_topk(x[0], x[1], s->tree_edges, (ag_real)0.8).x)
OP(relu_topk_readout, ag_relu_topk_readout(x[0], x[1], s->tree_edges, (ag_real)0.8).readout)
OP(sag_pool, ag_sag_pool(x[0], x[1], s->tree_edges, (ag_real)0.8).x)
OP(readout_max_mean, ag_readout_max_mean(x[0], s->tree_edges))
OP(lstm, ag_lstm(x[0], starts_of(s, x[0]), x[1], x[2], NULL))

/* Sizes that are known when the bench runs: bench_scene_shape. */
enum { N = -1, C = -2, BAGS = -3, KERNELS = -4, FEW = -5, TREES = -6 };
#define X(f)     \
 {               \
  3, { N, C, f } \
 }
#define W(o, i) \
 {              \
  2, { o, i }   \
 }
#define B(f) \
 {           \
  1, { f }   \
 }

/* Of graphs of 41 nodes, 512 features and 8 heads of 64. A product with scores is 2 * 41 operations
   per element. */
#define ATTENTION(n)                                                    \
 {                                                                      \
  "attention", W(n, 512), {W(n, 1536)}, attention, {167, 414}, { 4, 8 } \
 }

/* name, shape, parameters, record, operations and tensors (of that shape) moved: forward, backward
 */
const bench_op bench_op_table[] = {
    {"neighbour_mean", X(128), {X(128)}, neighbour_mean, {4, 4}, {2, 2}},
    {"neighbour_mean", X(256), {X(256)}, neighbour_mean, {4, 4}, {2, 2}},
    {"neighbour_max", X(128), {X(128)}, neighbour_max, {2, 2}, {3, 3}},
    {"instance_norm", X(128), {X(128)}, instance_norm, {7, 9}, {2, 3}},
    {"instance_norm", X(256), {X(256)}, instance_norm, {7, 9}, {2, 3}},
    {"layer_norm", X(256), {X(256), B(256), B(256)}, layer_norm, {9, 15}, {2, 3}},
    {"l2_norm", X(128), {X(128)}, l2_norm, {3, 5}, {2, 3}},
    {"add", X(256), {X(256), X(256)}, add, {1, 0}, {3, 3}},
    {"gelu", X(256), {X(256)}, gelu, {4, 7}, {2, 3}},
    {"add+gelu+dropout", X(256), {X(256), X(256)}, add_gelu_dropout, {6, 9}, {3, 5}},
    {"softmax", X(128), {X(128)}, softmax, {5, 4}, {2, 3}},
    {"cross_attention", X(128), {X(128), B(1)}, cross_attention, {7, 10}, {2, 3}},
    {"channel_attention",
     X(128),
     {X(128), W(16, 128), B(16), W(128, 16), B(128)},
     channel_attention,
     {66, 134},
     {2, 3}},
    {"attend",
     X(128),
     {X(128), W(16, 128), B(16), W(128, 16), B(128), B(1), X(256)},
     attend,
     {86, 166},
     {5, 8}},
    {"linear", X(256), {X(256), W(256, 256), B(256)}, linear, {513, 1025}, {2, 3}},
    {"gat",
     W(KERNELS, 512),
     {W(KERNELS, 512), W(512, 512), W(8, 64), W(8, 64)},
     gat,
     {1032, 2070},
     {2, 3}},
    {"gcn_conv", W(TREES, 128), {W(TREES, 128), W(128, 128), B(128)}, gcn_conv, {262, 518}, {2, 3}},
    {"topk", W(TREES, 128), {W(TREES, 128), B(128)}, topk, {3, 6}, {1.8, 2.6}},
    {"relu_topk_readout",
     W(TREES, 128),
     {W(TREES, 128), B(128)},
     relu_topk_readout,
     {5, 6},
     {1.8, 2}},
    {"sag_pool", W(TREES, 128), {W(TREES, 128), B(TREES)}, sag_pool, {1, 3}, {1.6, 2.6}},
    {"max_mean", W(TREES, 128), {W(TREES, 128)}, readout_max_mean, {2, 2}, {1, 1}},
    {"lstm", W(FEW, 512), {W(FEW, 512), W(2048, 512), W(2048, 512)}, lstm, {8192, 16384}, {7, 12}},
    {"lstm",
     W(KERNELS, 512),
     {W(KERNELS, 512), W(2048, 512), W(2048, 512)},
     lstm,
     {8192, 16384},
     {7, 12}},
    ATTENTION(FEW),
    ATTENTION(KERNELS),
    {"mean_rows", X(256), {X(256)}, mean_rows, {1, 1}, {1, 1}},
    {"transpose", X(128), {X(128)}, transpose, {0, 0}, {2, 2}},
    {"concat", X(128), {X(128), X(128)}, concat, {0, 0}, {4, 4}},
    {"embedding_bag", {2, {BAGS, 128}}, {W(144, 128)}, embedding_bag, {18, 18}, {1.14, 1.14}},
    {"pairwise_hinge", B(64), {B(64)}, pairwise_hinge, {256, 256}, {2, 3}},
    {"lambda_rank", B(1024), {B(1024), B(1024)}, lambda_rank, {800, 800}, {2, 3}},
    {"listmle", B(64), {B(64)}, listmle, {256, 256}, {2, 3}},
};
const int bench_ops_in_table = sizeof bench_op_table / sizeof *bench_op_table;
