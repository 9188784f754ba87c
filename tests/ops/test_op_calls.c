/* SPDX-License-Identifier: MIT */
/* Every public op function records the op, the order of inputs and the attributes that the table's
   tests are about. */
#include "support/test.h"
#include "augur.h"
#include "autograd/tape.h"
#include "gnn/edges.h"
#include "ops/table.h"

static ag_tape *tape;
static float real[64];
static int32_t whole[64];

/* Messages 1->0, 2->0, 0->2 of 3 nodes. */
static const int32_t rows[] = {0, 2, 2, 0, 2, 1}, sources[] = {1, 2, 0};
static const int32_t rows_t[] = {0, 1, 1, 1, 2, 1}, targets[] = {2, 2, 0, 0, 0, 1},
                     starts[] = {0, 3};

/* Tensors 0..14 of the tape. */
typedef struct world {
    ag_tensor *m, *m2, *v4, *v3, *cube, *one; /* [3,4], [3,4], [4], [3], [2,3,4], [1] */
    ag_tensor *index, *starts, *pairs;        /* int32 [3], [3], [3,2] */
    ag_edges edges;                           /* 9..13: of 3 nodes and 3 messages */
    ag_tensor *column;                        /* 14: [4,1] */
} world;

static world make(void)
{
    world w;
    w.m = ag_input(tape, real, AG_SHAPE(3, 4));
    w.m2 = ag_input(tape, real + 1, AG_SHAPE(3, 4));
    w.v4 = ag_input(tape, real, AG_SHAPE(4));
    w.v3 = ag_input(tape, real, AG_SHAPE(3));
    w.cube = ag_input(tape, real, AG_SHAPE(2, 3, 4));
    w.one = ag_input(tape, real, AG_SHAPE(1));
    w.index = ag_input_i32(tape, whole, AG_SHAPE(3));
    w.starts = ag_input_i32(tape, whole, AG_SHAPE(3));
    w.pairs = ag_input_i32(tape, whole, AG_SHAPE(3, 2));
    w.edges.rows = ag_input_i32(tape, rows, AG_SHAPE(3, 2));
    w.edges.sources = ag_input_i32(tape, sources, AG_SHAPE(3));
    w.edges.rows_t = ag_input_i32(tape, rows_t, AG_SHAPE(3, 2));
    w.edges.targets = ag_input_i32(tape, targets, AG_SHAPE(3, 2));
    w.edges.starts = ag_input_i32(tape, starts, AG_SHAPE(2));
    w.column = ag_input(tape, real, AG_SHAPE(4, 1));
    return w;
}

/* "slice(0) i 1 2 3": the last node, without trailing zeros. */
static void describe(char text[200])
{
    const ag_node *node = &tape->nodes[tape->n_nodes - 1];
    int at = snprintf(text, 200, "%s(", node->op->name), n = 4;
    for (int i = 0; i < node->n_in; i++)
        at += snprintf(text + at, 200 - (size_t)at, "%s%d", i ? " " : "", node->in[i]);
    at += snprintf(text + at, 200 - (size_t)at, ")");
    while (n > 0 && node->attr.f[n - 1] == 0) n--;
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, 200 - (size_t)at, "%s%g", i ? " " : " f ", node->attr.f[i]);
    for (n = 4; n > 0 && node->attr.i[n - 1] == 0;) n--;
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, 200 - (size_t)at, "%s%d", i ? " " : " i ", node->attr.i[i]);
}

#define EXPECT(call, want)                 \
 do {                                      \
  ag_tape_reset(tape);                     \
  world w = make();                        \
  char text[200] = "";                     \
  ag_tensor *y = call;                     \
  assert_string_equal(ag_error(tape), ""); \
  assert_int_equal(y->slot, 0);            \
  describe(text);                          \
  assert_string_equal(text, want);         \
 } while (0)

static void test_elementwise_calls(void **state)
{
#define MAP(name, ...)  EXPECT(ag_##name(w.m), #name "(0)");
#define MAP1(name, ...) EXPECT(ag_##name(w.m, 0.5f), #name "(0) f 0.5");
#define MAP2(name, ...) EXPECT(ag_##name(w.m, 0.25f, 0.5f), #name "(0) f 0.25 0.5");
#define ZIP(name, ...)  EXPECT(ag_##name(w.m, w.m2), #name "(0 1)");
#include "ops/elementwise.def"
    EXPECT(ag_dropout(w.m, 0.25f), "dropout(0) f 0.25");
}

static void test_dense_calls(void **state)
{
    EXPECT(ag_reshape(w.m, AG_SHAPE(2, 6)), "reshape(0) f 2 6 i 2");
    EXPECT(ag_squeeze(ag_reshape(w.v3, AG_SHAPE(3, 1))), "reshape(15) f 3 i 1");
    EXPECT(ag_squeeze(w.one), "reshape(5)");
    EXPECT(ag_transpose(w.m), "transpose(0)");
    EXPECT(ag_concat(((ag_tensor *[]){w.m, w.m2, w.m}), 3, 1), "concat(0 1 0) i 1");
    EXPECT(ag_concat2(w.m, w.m2, 1), "concat(0 1) i 1");
    EXPECT(ag_concat2(w.m, w.m2, -1), "concat(0 1) i 1");
    EXPECT(ag_block_diagonal(w.m), "block_diagonal(0)");
    EXPECT(ag_slice(w.m, 1, 1, 2), "slice(0) i 1 1 2");
    EXPECT(ag_slice(w.m, -2, 1, 2), "slice(0) i 0 1 2");
}

static void test_product_calls(void **state)
{
    EXPECT(ag_matmul(w.m, ag_transpose(w.m2)), "matmul(0 15)");
    EXPECT(ag_matmul_t(w.m, w.m2, 1, 0), "matmul(0 1) i 1");
    EXPECT(ag_matmul_t(w.m, w.m2, 0, 7), "matmul(0 1) i 0 1");
    EXPECT(ag_linear(w.cube, w.m, w.v3), "linear(4 0 3)");
    EXPECT(ag_linear(w.cube, w.m, NULL), "linear(4 0)");
    EXPECT(ag_add_bias(w.m, w.v4), "add_bias(0 2)");
    EXPECT(ag_mul_columns(w.m, w.v4), "mul_columns(0 2)");
    EXPECT(ag_mul_rows(w.m, w.v3), "mul_rows(0 3)");
    EXPECT(ag_gather(w.m, w.index), "gather(0 6)");
    EXPECT(ag_scatter_sum(w.m, w.index, 5), "scatter_sum(0 6) i 5");
    EXPECT(ag_embedding_bag(w.m, w.pairs, 1), "embedding_bag(0 8) i 1");
    EXPECT(ag_spread(w.m, w.cube, w.index), "spread(0 4 6)");
}

/* The place of a maximum is output 1 of the op that finds it. */
static ag_tensor *maximum_of(ag_tensor *at)
{
    const ag_node *node = &tape->nodes[tape->n_nodes - 1];
    assert_int_equal(at->id, node->out[1]);
    return tape->tensors[node->out[0]];
}

static void test_reduction_calls(void **state)
{
    EXPECT(ag_sum_all(w.m), "sum_all(0)");
    EXPECT(ag_mean_all(w.m), "sum_all(0) i 1");
    EXPECT(ag_sum_rows(w.m), "sum_rows(0)");
    EXPECT(ag_mean_rows(w.m), "sum_rows(0) i 1");
    EXPECT(ag_max_rows(w.m), "max_rows(0)");
    EXPECT(ag_sum_columns(w.m), "sum_columns(0)");
    EXPECT(ag_mean_columns(w.m), "sum_columns(0) i 1");
    EXPECT(ag_max_columns(w.m), "max_columns(0)");
    EXPECT(maximum_of(ag_argmax(w.m)), "max_columns(0)");
    EXPECT(ag_segment_sum(w.m, w.starts), "segment_sum(0 7)");
    EXPECT(ag_segment_mean(w.m, w.starts), "segment_sum(0 7) i 1");
    EXPECT(ag_segment_max(w.m, w.starts), "segment_max(0 7)");
    EXPECT(ag_segment_log_sum_exp(w.m, w.starts), "segment_log_sum_exp(0 7)");
}

/* A function, since the order in which arguments are made is the compiler's. */
static ag_tensor *attend(const world *w, int residual, float p)
{
    const ag_attend_weights weights = {w->m, w->v3, ag_transpose(w->m), w->v4, w->one};
    return ag_attend(w->cube, &weights, residual ? ag_concat2(w->cube, w->cube, -1) : NULL, p);
}

static ag_tensor *batch_norm(ag_tensor *x, ag_param *p, int training)
{
    const ag_batch_norm_weights weights = {p, p, p, p};
    ag_tape_training(ag_tape_of(x), training);
    ag_tensor *y = ag_batch_norm(&weights, x, 0.1f, 0.5f);
    ag_tape_training(ag_tape_of(x), 1);
    return y;
}

static ag_tensor *gru(const world *w, int biased, int states, int backwards)
{
    ag_tensor *input = ag_reshape(w->v3, AG_SHAPE(3, 1)), *state = ag_slice(w->m, 1, 0, 1),
              *b_input = biased ? w->v3 : NULL, *b_state = biased ? ag_slice(w->v4, 0, 0, 3) : NULL;
    return states ? ag_gru_states(w->column, w->starts, input, state, b_input, b_state, backwards)
                  : ag_gru(w->column, w->starts, input, state, b_input, b_state);
}

static void test_norm_and_loss_calls(void **state)
{
    ag_params *params = ag_params_new();
    ag_param *norm = ag_params_add(params, "norm", AG_SHAPE(4), ag_init_constant(1), 0);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    EXPECT(ag_softmax(w.m), "softmax(0)");
    EXPECT(ag_log_softmax(w.m), "log_softmax(0)");
    EXPECT(ag_layer_norm(w.m, w.v4, w.v4, 0.5f), "layer_norm(0 2 2) f 0.5");
    EXPECT(ag_layer_norm(w.m, w.v4, NULL, 0.5f), "layer_norm(0 2) f 0.5");
    EXPECT(ag_instance_norm(w.m, w.starts, 0.5f), "instance_norm(0 7) f 0.5");
    EXPECT(batch_norm(w.m, norm, 1), "batch_norm(0 15 15) f 0.5");
    EXPECT(batch_norm(w.m, norm, 0), "batch_norm_given(0 15 15 15 15) f 0.5 i 1");
    EXPECT(ag_l2_norm(w.m, 0.5f), "l2_norm(0) f 0.5");
    EXPECT(ag_attention(ag_concat2(w.m, ag_concat2(w.m, w.m, -1), -1), w.starts, 2, 0),
           "attention(16 7) i 2");
    EXPECT(ag_attention(ag_concat2(w.m, ag_concat2(w.m, w.m, -1), -1), w.starts, 2, 0.5f),
           "attention_dropout(16 7) f 0.5 i 2");
    EXPECT(ag_cross_attention(w.cube, w.one), "cross_attention(4 5)");
    EXPECT(attend(&w, 0, 0.5f), "attend_dropout(4 0 3 15 2 5) f 0.5");
    EXPECT(attend(&w, 1, 0), "attend(4 0 3 15 2 5 16)");
    EXPECT(ag_lstm(w.column, w.starts, w.column, w.column, w.v4), "lstm(14 7 14 14 2)");
    EXPECT(ag_lstm(w.column, w.starts, w.column, w.column, NULL), "lstm(14 7 14 14)");
    EXPECT(ag_lstm_states(w.column, w.starts, w.column, w.column, NULL, 0), "lstm(14 7 14 14) i 1");
    EXPECT(ag_lstm_states(w.column, w.starts, w.column, w.column, w.v4, 2),
           "lstm(14 7 14 14 2) i 1 1");
    EXPECT(gru(&w, 1, 0, 0), "gru(14 7 15 16 3 17)");
    EXPECT(gru(&w, 0, 0, 0), "gru(14 7 15 16)");
    EXPECT(gru(&w, 1, 1, 0), "gru(14 7 15 16 3 17) i 1");
    EXPECT(gru(&w, 0, 1, 1), "gru(14 7 15 16) i 1 1");
    EXPECT(ag_squared_error(w.m, w.m2), "squared_error(0 1)");
    EXPECT(ag_absolute_error(w.m, w.m2), "absolute_error(0 1)");
    EXPECT(ag_huber(w.m, w.m2, 0.5f), "huber(0 1) f 0.5");
    EXPECT(ag_binary_cross_entropy(w.m, w.m2, NULL), "binary_cross_entropy(0 1)");
    EXPECT(ag_binary_cross_entropy(w.m, w.m2, w.m), "binary_cross_entropy(0 1 0)");
    EXPECT(ag_cross_entropy(w.m, w.index, NULL, 0), "cross_entropy(0 6)");
    EXPECT(ag_cross_entropy(w.m, w.index, w.v4, 0.25f), "cross_entropy(0 6 2) f 0.25");
    EXPECT(ag_pairwise_hinge(w.v3, w.index, 0.5f, AG_SUM), "pairwise_hinge(3 6) f 0.5 i 1");
    EXPECT(ag_pairwise_hinge(w.v3, w.index, 0.5f, AG_MEAN), "pairwise_hinge(3 6) f 0.5");
    EXPECT(ag_pairwise_logistic(w.v3, w.index, AG_SUM), "pairwise_logistic(3 6) i 1");
    EXPECT(ag_pairwise_hinge_groups(w.v3, w.index, w.starts, 0.5f, AG_SUM),
           "pairwise_hinge(3 6 7) f 0.5 i 1");
    EXPECT(ag_pairwise_logistic_groups(w.v3, w.index, w.starts, AG_SUM),
           "pairwise_logistic(3 6 7) i 1");
    EXPECT(ag_lambda_rank(w.v3, ag_slice(w.v4, 0, 0, 3), w.starts, AG_SUM),
           "lambda_rank(3 15 7) i 1");
    EXPECT(ag_listmle(w.v3, w.index), "listmle(3 6)");
    ag_params_free(params);
}

/* The last node of a pooling makes its edges; the score is that of the node before. */
static ag_tensor *pooled(ag_pooled p)
{
    assert_int_equal(p.x->id, tape->nodes[tape->n_nodes - 2].out[0]);
    assert_int_equal(p.score->id, tape->nodes[tape->n_nodes - 2].out[1]);
    return p.edges.rows;
}

static ag_tensor *read(ag_pooled p)
{
    const ag_node *node = &tape->nodes[tape->n_nodes - 2];
    assert_string_equal(node->op->name, "relu_topk_readout");
    assert_int_equal(p.readout->id, node->out[4]);
    return pooled(p);
}

static void test_graph_calls(void **state)
{
    EXPECT(ag_spmm(w.m, w.edges, AG_AGGREGATE_SUM), "spmm_sum(0 9 10 11 12)");
    EXPECT(ag_spmm(w.m, w.edges, AG_AGGREGATE_MEAN), "spmm_mean(0 9 10 11 12) i 1");
    EXPECT(ag_spmm(w.m, w.edges, AG_AGGREGATE_MAX), "spmm_max(0 9 10 11 12) i 2");
    EXPECT(ag_spmm(w.m, w.edges, AG_AGGREGATE_STD), "message_aggregate_std(15 9 10 11 12)");
    EXPECT(ag_message_sum(w.m, w.edges), "message_sum(0 9 10 11 12)");
    EXPECT(ag_message_aggregate(w.m, w.edges, AG_AGGREGATE_SUM), "message_sum(0 9 10 11 12)");
    EXPECT(ag_message_aggregate(w.m, w.edges, AG_AGGREGATE_MEAN), "message_sum(0 9 10 11 12) i 1");
    EXPECT(ag_message_aggregate(w.m, w.edges, AG_AGGREGATE_MAX),
           "message_aggregate_max(0 9 10 11 12)");
    EXPECT(ag_message_aggregate(w.m, w.edges, AG_AGGREGATE_MIN),
           "message_aggregate_max(0 9 10 11 12) i 1");
    EXPECT(ag_message_aggregate(w.m, w.edges, AG_AGGREGATE_STD),
           "message_aggregate_std(0 9 10 11 12)");
    EXPECT(ag_spmm_weighted(w.m, w.v3, w.edges), "spmm_weighted(0 3 9 10 11 12)");
    EXPECT(ag_sddmm(w.m, w.m2, w.edges, 2), "sddmm(0 1 9 10 11 12) i 2");
    EXPECT(ag_edge_add(w.m, w.m2, w.edges), "edge_add(0 1 9 10 11 12)");
    EXPECT(ag_edge_softmax(w.v3, w.edges), "edge_softmax(3 9 10 11 12)");
    EXPECT(ag_readout_sum(w.m, w.edges), "segment_sum(0 13)");
    EXPECT(ag_readout_mean(w.m, w.edges), "segment_sum(0 13) i 1");
    EXPECT(ag_readout_max(w.m, w.edges), "segment_max(0 13)");
    EXPECT(ag_readout_max_mean(w.m, w.edges), "concat(15 17) i 1");
    EXPECT(ag_gcn_norm(w.edges), "gcn_norm(9 10 11 12)");
    EXPECT(pooled(ag_topk(w.m, w.v4, w.edges, 0.5f)), "topk_edges(9 10 11 12 18 19)");
    EXPECT(read(ag_relu_topk_readout(w.m, w.v4, w.edges, 0.5f)), "topk_edges(9 10 11 12 18 19)");
    EXPECT(pooled(ag_sag_pool(w.m, w.v3, w.edges, 2)), "topk_edges(9 10 11 12 18 19)");
}

/* An index below 0 names no row, of the later tables either. */
static void test_padding_of_bags(void **state)
{
    static const ag_real table[] = {1, 2, 3, 4, 5, 6, 7};
    static const int32_t index[] = {-1, -1, -3};
    ag_tape_reset(tape);
    ag_tensor *y = ag_embedding_bag(ag_input(tape, table, AG_SHAPE(7, 1)),
                                    ag_input_i32(tape, index, AG_SHAPE(1, 3)), 2);
    ag_forward(y);
    assert_string_equal(ag_error(tape), "");
    assert_true(ag_values(y)[0] == 0);
}

int main(void)
{
    tape = ag_tape_new(AG_CPU);
    const int failed = RUN_TESTS(test_elementwise_calls, test_dense_calls, test_product_calls,
                                 test_reduction_calls, test_norm_and_loss_calls, test_graph_calls,
                                 test_padding_of_bags);
    ag_tape_free(tape);
    return failed;
}
