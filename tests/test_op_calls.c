/* SPDX-License-Identifier: MIT */
/* Every public op function records the op, the order of inputs and the attributes that the table's
   tests are about; every fused op gives what the composition that it replaces gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "augur.h"
#include "autograd/tape.h"
#include "gnn/sage.h"
#include "ops/table.h"

#include <math.h>
#include <string.h>

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

static world make(ag_tape *tape)
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
static void describe(char text[200], const ag_tape *tape)
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

#define EXPECT(call, want)                       \
 do {                                            \
  ag_tape_reset(tape);                           \
  world w = make(tape);                          \
  ag_tensor *const several[] = {w.m, w.m2, w.m}; \
  char text[200] = "";                           \
  (void)several;                                 \
  ag_tensor *y = call;                           \
  assert_string_equal(ag_error(tape), "");       \
  assert_int_equal(y->slot, 0);                  \
  describe(text, tape);                          \
  assert_string_equal(text, want);               \
 } while (0)

static void test_elementwise_calls(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    (void)state;
#define MAP(name, ...)  EXPECT(ag_##name(w.m), #name "(0)");
#define MAP1(name, ...) EXPECT(ag_##name(w.m, 0.5f), #name "(0) f 0.5");
#define MAP2(name, ...) EXPECT(ag_##name(w.m, 0.25f, 0.5f), #name "(0) f 0.25 0.5");
#define ZIP(name, ...)  EXPECT(ag_##name(w.m, w.m2), #name "(0 1)");
#include "ops/elementwise.def"
#undef MAP
#undef MAP1
#undef MAP2
#undef ZIP
    EXPECT(ag_dropout(w.m, 0.25f), "dropout(0) f 0.25");
    ag_tape_free(tape);
}

static void test_dense_calls(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    (void)state;
    EXPECT(ag_reshape(w.m, AG_SHAPE(2, 6)), "reshape(0) f 2 6 i 2");
    EXPECT(ag_transpose(w.m), "transpose(0)");
    EXPECT(ag_concat(several, 3, 1), "concat(0 1 0) i 1");
    EXPECT(ag_concat2(w.m, w.m2, 1), "concat(0 1) i 1");
    EXPECT(ag_concat2(w.m, w.m2, -1), "concat(0 1) i 1");
    EXPECT(ag_block_diagonal(w.m), "block_diagonal(0)");
    EXPECT(ag_slice(w.m, 1, 1, 2), "slice(0) i 1 1 2");
    EXPECT(ag_slice(w.m, -2, 1, 2), "slice(0) i 0 1 2");
    ag_tape_free(tape);
}

static void test_product_calls(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    (void)state;
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
    ag_tape_free(tape);
}

static void test_reduction_calls(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    (void)state;
    EXPECT(ag_sum_all(w.m), "sum_all(0)");
    EXPECT(ag_mean_all(w.m), "sum_all(0) i 1");
    EXPECT(ag_sum_rows(w.m), "sum_rows(0)");
    EXPECT(ag_mean_rows(w.m), "sum_rows(0) i 1");
    EXPECT(ag_max_rows(w.m), "max_rows(0)");
    EXPECT(ag_sum_columns(w.m), "sum_columns(0)");
    EXPECT(ag_mean_columns(w.m), "sum_columns(0) i 1");
    EXPECT(ag_max_columns(w.m), "max_columns(0)");
    EXPECT(ag_segment_sum(w.m, w.starts), "segment_sum(0 7)");
    EXPECT(ag_segment_mean(w.m, w.starts), "segment_sum(0 7) i 1");
    EXPECT(ag_segment_max(w.m, w.starts), "segment_max(0 7)");
    ag_tape_free(tape);
}

static void test_norm_and_loss_calls(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    (void)state;
    EXPECT(ag_softmax(w.m), "softmax(0)");
    EXPECT(ag_log_softmax(w.m), "log_softmax(0)");
    EXPECT(ag_softmax_middle(w.cube), "softmax_middle(4)");
    EXPECT(ag_log_softmax_middle(w.cube), "log_softmax_middle(4) i 1");
    EXPECT(ag_layer_norm(w.m, w.v4, w.v4, 0.5f), "layer_norm(0 2 2) f 0.5");
    EXPECT(ag_layer_norm(w.m, w.v4, NULL, 0.5f), "layer_norm(0 2) f 0.5");
    EXPECT(ag_instance_norm(w.m, w.starts, 0.5f), "instance_norm(0 7) f 0.5");
    EXPECT(ag_l2_norm(w.m, 0.5f), "l2_norm(0) f 0.5");
    EXPECT(ag_attention(ag_concat2(w.m, ag_concat2(w.m, w.m, -1), -1), w.starts, 2),
           "attention(16 7) i 2");
    EXPECT(ag_cross_attention(w.cube, w.one), "cross_attention(4 5)");
    EXPECT(ag_cross_attention_beside(w.cube, w.one), "cross_attention_beside(4 5) i 1");
    EXPECT(ag_lstm(w.column, w.starts, w.column, w.column, w.v4), "lstm(14 7 14 14 2)");
    EXPECT(ag_lstm(w.column, w.starts, w.column, w.column, NULL), "lstm(14 7 14 14)");
    EXPECT(ag_squared_error(w.m, w.m2), "squared_error(0 1)");
    EXPECT(ag_absolute_error(w.m, w.m2), "absolute_error(0 1)");
    EXPECT(ag_huber(w.m, w.m2, 0.5f), "huber(0 1) f 0.5");
    EXPECT(ag_log_squared_error(w.m, w.m2), "log_squared_error(0 1)");
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
    ag_tape_free(tape);
}

/* The last node of a pooling makes its edges; the score is that of the node before. */
static ag_tensor *pooled(ag_pooled p)
{
    const ag_tape *tape = ag_tape_of(p.x);
    assert_int_equal(p.x->id, tape->nodes[tape->n_nodes - 2].out[0]);
    assert_int_equal(p.score->id, tape->nodes[tape->n_nodes - 2].out[1]);
    return p.edges.rows;
}

static void test_graph_calls(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    (void)state;
    EXPECT(ag_spmm(w.m, w.edges, AG_AGGREGATE_SUM), "spmm_sum(0 9 10 11 12)");
    EXPECT(ag_spmm(w.m, w.edges, AG_AGGREGATE_MEAN), "spmm_mean(0 9 10 11 12) i 1");
    EXPECT(ag_spmm(w.m, w.edges, AG_AGGREGATE_MAX), "spmm_max(0 9 10 11 12) i 2");
    EXPECT(ag_spmm_weighted(w.m, w.v3, w.edges), "spmm_weighted(0 3 9 10 11 12)");
    EXPECT(ag_sddmm(w.m, w.m2, w.edges, 2), "sddmm(0 1 9 10 11 12) i 2");
    EXPECT(ag_edge_add(w.m, w.m2, w.edges), "edge_add(0 1 9 10 11 12)");
    EXPECT(ag_edge_softmax(w.v3, w.edges), "edge_softmax(3 9 10 11 12)");
    EXPECT(ag_readout_sum(w.m, w.edges), "segment_sum(0 13)");
    EXPECT(ag_readout_mean(w.m, w.edges), "segment_sum(0 13) i 1");
    EXPECT(ag_readout_max(w.m, w.edges), "segment_max(0 13)");
    EXPECT(ag_readout_max_mean(w.m, w.edges), "segment_max_mean(0 13)");
    EXPECT(ag_gcn_norm(w.edges), "gcn_norm(9 10 11 12)");
    EXPECT(pooled(ag_topk(w.m, w.v4, w.edges, 0.5f)), "topk_edges(9 10 11 12 18 19)");
    EXPECT(pooled(ag_sag_pool(w.m, w.v3, w.edges, 2)), "topk_edges(9 10 11 12 18 19)");
    ag_tape_free(tape);
}

/* ---- fused ops
 * ----------------------------------------------------------------------------------- */

enum { NODES = 5, CONFIGS = 7, FEATURES = 33, COUNT = NODES * CONFIGS * FEATURES, MOST = 5 };

typedef ag_tensor *expression(ag_tensor *const *p);

static ag_tensor *attention(ag_tensor *const *p) { return ag_cross_attention(p[0], p[1]); }
static ag_tensor *attention_plain(ag_tensor *const *p)
{
    ag_tensor *flat = ag_reshape(p[0], AG_SHAPE(COUNT, 1));
    ag_tensor *scaled = ag_mul_columns(flat, ag_reciprocal(p[1]));
    return ag_mul(p[0], ag_softmax_middle(ag_reshape(scaled, ag_shape_of(p[0]))));
}

static ag_tensor *beside(ag_tensor *const *p) { return ag_cross_attention_beside(p[0], p[1]); }
static ag_tensor *beside_plain(ag_tensor *const *p)
{
    return ag_concat2(p[0], attention_plain(p), -1);
}

static ag_tensor *gate(ag_tensor *const *p)
{
    return ag_channel_attention(p[0], p[1], p[2], p[3], p[4]);
}
static ag_tensor *gate_plain(ag_tensor *const *p)
{
    ag_tensor *narrow = ag_relu(ag_linear(p[0], p[1], p[2]));
    return ag_mul(p[0], ag_sigmoid(ag_linear(narrow, p[3], p[4])));
}

/* Messages 1->0, 2->0, 2->1, 0->3, 1->3, 2->3. */
static ag_edges toy_edges(ag_tape *tape)
{
    static const int32_t rows[] = {0, 2, 2, 1, 3, 0, 3, 3, 6, 0}, sources[] = {1, 2, 2, 0, 1, 2};
    static const int32_t rows_t[] = {0, 1, 1, 2, 3, 3, 6, 0, 6, 0}, starts[] = {0, NODES};
    static const int32_t targets[] = {3, 3, 0, 0, 3, 4, 0, 1, 1, 2, 3, 5};
    return (ag_edges){
        ag_input_i32(tape, rows, AG_SHAPE(NODES, 2)), ag_input_i32(tape, sources, AG_SHAPE(6)),
        ag_input_i32(tape, rows_t, AG_SHAPE(NODES, 2)), ag_input_i32(tape, targets, AG_SHAPE(6, 2)),
        ag_input_i32(tape, starts, AG_SHAPE(2))};
}

static ag_tensor *sage(ag_tensor *const *p, ag_aggregate kind)
{
    return ag__sage_sum(p[0], p[1], toy_edges(ag_tape_of(p[0])), kind);
}
static ag_tensor *sage_plain(ag_tensor *const *p, ag_aggregate kind)
{
    const int o = ag_size(p[1], 0);
    ag_tensor *sent = ag_spmm(ag_slice(p[0], -1, 0, o), toy_edges(ag_tape_of(p[0])), kind);
    return ag_add_bias(ag_add(sent, ag_slice(p[0], -1, o, o)), p[1]);
}
static ag_tensor *sage_sum(ag_tensor *const *p) { return sage(p, AG_AGGREGATE_SUM); }
static ag_tensor *sage_sum_plain(ag_tensor *const *p) { return sage_plain(p, AG_AGGREGATE_SUM); }
static ag_tensor *sage_mean(ag_tensor *const *p) { return sage(p, AG_AGGREGATE_MEAN); }
static ag_tensor *sage_mean_plain(ag_tensor *const *p) { return sage_plain(p, AG_AGGREGATE_MEAN); }

static ag_tensor *readout_starts(ag_tensor *x)
{
    static const int32_t of_graphs[] = {0, 7, 7, 8, NODES * CONFIGS};
    return ag_input_i32(ag_tape_of(x), of_graphs, AG_SHAPE(5));
}
static ag_tensor *max_mean(ag_tensor *const *p)
{
    return ag_segment_max_mean(p[0], readout_starts(p[0]));
}
static ag_tensor *max_mean_plain(ag_tensor *const *p)
{
    ag_tensor *segments = readout_starts(p[0]);
    return ag_concat2(ag_segment_max(p[0], segments), ag_segment_mean(p[0], segments), -1);
}

/* A fused op, what it replaces, and the shapes of its inputs. */
typedef struct fusion {
    const char *op;
    expression *fused, *plain;
    ag_shape shapes[MOST];
    int n;
} fusion;

#define CUBE                         \
 {                                   \
  3, { NODES, CONFIGS, FEATURES, 1 } \
 }
static const fusion fusions[] = {
    {"cross_attention", attention, attention_plain, {CUBE, {1, {1, 1, 1, 1}}}, 2},
    {"cross_attention_beside", beside, beside_plain, {CUBE, {1, {1, 1, 1, 1}}}, 2},
    {"channel_attention",
     gate,
     gate_plain,
     {CUBE,
      {2, {4, FEATURES, 1, 1}},
      {1, {4, 1, 1, 1}},
      {2, {FEATURES, 4, 1, 1}},
      {1, {FEATURES, 1, 1, 1}}},
     5},
    {"sage_sum", sage_sum, sage_sum_plain, {{3, {NODES, CONFIGS, 32, 1}}, {1, {16, 1, 1, 1}}}, 2},
    {"sage_mean",
     sage_mean,
     sage_mean_plain,
     {{3, {NODES, CONFIGS, 32, 1}}, {1, {16, 1, 1, 1}}},
     2},
    {"segment_max_mean", max_mean, max_mean_plain, {{2, {NODES * CONFIGS, FEATURES, 1, 1}}}, 1},
};
enum { FUSIONS = sizeof fusions / sizeof *fusions };

/* Values in y, gradients in the parameters; the loss weighs every element differently. */
static void run(expression *f, const ag_params *params, float *y)
{
    static float weights[2 * COUNT];
    ag_tensor *p[MOST];
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (int i = 0; i < 2 * COUNT; i++) weights[i] = (float)(i * 29 % 31 - 15) / 8;
    for (int i = 0; i < params->count; i++) p[i] = ag_parameter(tape, params->list[i]);
    ag_tensor *v = ag_keep(f(p));
    ag_backward(ag_sum_all(ag_mul(v, ag_input(tape, weights, ag_shape_of(v)))));
    assert_string_equal(ag_error(tape), "");
    memcpy(y, ag_values(v), (size_t)ag_shape_count(ag_shape_of(v)) * sizeof *y);
    ag_tape_free(tape);
}

static void expect_near(const fusion *f, const float *a, const float *b, int64_t n)
{
    float most = 1;
    for (int64_t i = 0; i < n; i++) most = fmaxf(most, fabsf(b[i]));
    for (int64_t i = 0; i < n; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-5f * most))
            fail_msg("%s, element %d: fused %.8g, plain %.8g", f->op, (int)i, (double)a[i],
                     (double)b[i]);
}

static void compare(const fusion *f)
{
    static float y[2][2 * COUNT], gradients[2 * COUNT];
    static const char *const names[MOST] = {"a", "b", "c", "d", "e"};
    ag_params *params = ag_params_new();
    for (int i = 0; i < f->n; i++)
        ag_params_add(params, names[i], f->shapes[i], ag_init_uniform(-0.2, 0.9), 1);
    assert_int_equal(ag_params_build(params, 8), AG_OK);
    run(f->fused, params, y[0]);
    memcpy(gradients, params->gradient, (size_t)params->size * sizeof *gradients);
    ag_params_reset(params);
    run(f->plain, params, y[1]);
    expect_near(f, y[0], y[1], 2 * COUNT);
    for (int i = 0; i < f->n; i++) {
        const ag_param *p = params->list[i];
        expect_near(f, gradients + p->offset, p->gradient, p->count);
    }
    ag_params_free(params);
}

/* Every op that says what it replaces is compared. */
static void test_fused_ops(void **state)
{
    const ag_op *op;
    (void)state;
    for (int i = 0; i < FUSIONS; i++) compare(&fusions[i]);
    for (int i = 0; (op = ag__op(i)) != NULL; i++) {
        int found = !op->replaces;
        for (int k = 0; k < FUSIONS; k++) found |= strcmp(op->name, fusions[k].op) == 0;
        if (!found) fail_msg("%s replaces a composition, but is not compared with it", op->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elementwise_calls),   cmocka_unit_test(test_dense_calls),
        cmocka_unit_test(test_product_calls),       cmocka_unit_test(test_reduction_calls),
        cmocka_unit_test(test_norm_and_loss_calls), cmocka_unit_test(test_graph_calls),
        cmocka_unit_test(test_fused_ops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
