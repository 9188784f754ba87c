/* SPDX-License-Identifier: MIT */
/* Every fused op gives the result of the composition that it replaces. */
#include "support/composed.h"
#include "gnn/edges.h"
#include "ops/table.h"

enum { NODES = 5, CONFIGS = 7, FEATURES = 33, COUNT = NODES * CONFIGS * FEATURES, MOST = 7 };

static ag_tensor *gate(ag_tensor *const *p)
{
    return ag_channel_attention(p[0], p[1], p[2], p[3], p[4]);
}
static ag_tensor *gate_plain(ag_tensor *const *p)
{
    ag_tensor *narrow = ag_relu(ag_linear(p[0], p[1], p[2]));
    return ag_mul(p[0], ag_sigmoid(ag_linear(narrow, p[3], p[4])));
}

/* x, the weights, and r; the shares of both sides are dropped by the first random op of a tape. */
static ag_tensor *attend(ag_tensor *const *p, ag_tensor *x, ag_tensor *r, float share)
{
    return ag_attend(x, &(ag_attend_weights){p[1], p[2], p[3], p[4], p[5]}, r, share);
}
static ag_tensor *attend_plain(ag_tensor *const *p, ag_tensor *x, ag_tensor *r, float share)
{
    ag_tensor *v = gate_plain((ag_tensor *[]){x, p[1], p[2], p[3], p[4]});
    ag_tensor *y = ag_concat2(v, ag_cross_attention(v, p[5]), -1);
    return ag_dropout(ag_gelu(r ? ag_add(r, y) : y), share);
}
static float fixed[2 * COUNT]; /* an input without a gradient */
static ag_tensor *constant(ag_tensor *const *p, int wide)
{
    for (int i = 0; i < 2 * COUNT; i++) fixed[i] = (float)(i * 37 % 41) / 50;
    return ag_input(ag_tape_of(p[1]), fixed, AG_SHAPE(NODES, CONFIGS, wide * FEATURES));
}
#define ATTEND(NAME, X, R, SHARE)                                               \
 static ag_tensor *NAME(ag_tensor *const *p) { return attend(p, X, R, SHARE); } \
 static ag_tensor *NAME##_plain(ag_tensor *const *p) { return attend_plain(p, X, R, SHARE); }
ATTEND(attend_alone, p[0], NULL, 0)
ATTEND(attend_residual, p[0], p[6], 0)
ATTEND(attend_drops, p[0], p[6], 0.3f)
ATTEND(attend_drops_alone, p[0], NULL, 0.3f)
ATTEND(attend_fixed_r, p[0], constant(p, 2), 0.3f)
ATTEND(attend_fixed_x, constant(p, 1), p[6], 0.3f)
/* r and x have other readers, so that their gradients add. */
ATTEND(attend_shares, ag_sub(p[0], ag_slice(p[6], -1, 0, FEATURES)), ag_add(p[6], p[6]), 0)

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

/* Ten graphs of 35 nodes, one of them empty, without edges. */
static ag_edges ten_graphs(ag_tape *tape)
{
    static const int32_t rows[2 * 35], none[2],
        starts[] = {0, 1, 4, 4, 9, 12, 20, 22, 27, 30, NODES * CONFIGS};
    ag_tensor *pairs = ag_input_i32(tape, rows, AG_SHAPE(NODES * CONFIGS, 2));
    return (ag_edges){pairs, ag_input_i32(tape, none, AG_SHAPE(0)), pairs,
                      ag_input_i32(tape, none, AG_SHAPE(0, 2)),
                      ag_input_i32(tape, starts, AG_SHAPE(11))};
}

/* The outputs of a pooling, all or one of them. */
enum { ROWS = 1, SCORES = 2, READOUT = 4 };
static ag_tensor *made(ag_pooled p, ag_tensor *readout, int which)
{
    ag_tensor *parts[3];
    int n = 0;
    if (which & ROWS) parts[n++] = ag_reshape(p.x, AG_SHAPE(ag_size(p.x, 0) * FEATURES));
    if (which & SCORES) parts[n++] = p.score;
    if (which & READOUT)
        parts[n++] = ag_reshape(readout, AG_SHAPE(ag_size(readout, 0) * 2 * FEATURES));
    return n == 1 ? parts[0] : ag_concat(parts, n, 0);
}
static ag_tensor *pool(ag_tensor *const *p, ag_edges edges, int which)
{
    const ag_pooled left = ag_relu_topk_readout(p[0], p[1], edges, 0.6f);
    return made(left, left.readout, which);
}
static ag_tensor *pool_plain(ag_tensor *const *p, ag_edges edges, int which)
{
    const ag_pooled left = ag_topk(ag_relu(p[0]), p[1], edges, 0.6f);
    return made(left, ag_readout_max_mean(left.x, left.edges), which);
}
#define POOL(NAME, EDGES, WHICH)                                                                 \
 static ag_tensor *NAME(ag_tensor *const *p) { return pool(p, EDGES(ag_tape_of(p[0])), WHICH); } \
 static ag_tensor *NAME##_plain(ag_tensor *const *p)                                             \
 {                                                                                               \
  return pool_plain(p, EDGES(ag_tape_of(p[0])), WHICH);                                          \
 }
POOL(pool_one, toy_edges, ROWS | SCORES | READOUT)
POOL(pool_all, ten_graphs, ROWS | SCORES | READOUT)
POOL(pool_rows, ten_graphs, ROWS)
POOL(pool_scores, ten_graphs, SCORES)
POOL(pool_readout, ten_graphs, READOUT)

/* A fused op, the composition that it replaces, and the shapes of its inputs. */
typedef struct fusion {
    const char *op;
    expression *fused, *plain;
    ag_shape shapes[MOST];
    int n;
} fusion;

#define CUBE                      \
 {                                \
  3, { NODES, CONFIGS, FEATURES } \
 }
static const fusion fusions[] = {
    {"channel_attention",
     gate,
     gate_plain,
     {CUBE, {2, {4, FEATURES}}, {1, {4}}, {2, {FEATURES, 4}}, {1, {FEATURES}}},
     5},
#define ATTENDED(OP, NAME)                   \
 {                                           \
  OP, NAME, NAME##_plain,                    \
      {CUBE,                                 \
       {2, {4, FEATURES}},                   \
       {1, {4}},                             \
       {2, {FEATURES, 4}},                   \
       {1, {FEATURES}},                      \
       {1, {1}},                             \
       {3, {NODES, CONFIGS, 2 * FEATURES}}}, \
      7                                      \
 }
    ATTENDED("attend", attend_alone),
    ATTENDED("attend", attend_residual),
    ATTENDED("attend", attend_shares),
    ATTENDED("attend_dropout", attend_drops),
    ATTENDED("attend_dropout", attend_drops_alone),
    ATTENDED("attend_dropout", attend_fixed_r),
    ATTENDED("attend_dropout", attend_fixed_x),
    {"sage_sum", sage_sum, sage_sum_plain, {{3, {NODES, CONFIGS, 32}}, {1, {16}}}, 2},
    {"sage_mean", sage_mean, sage_mean_plain, {{3, {NODES, CONFIGS, 32}}, {1, {16}}}, 2},
#define POOLED(NAME, ROWS_OF_X)                                                             \
 {                                                                                          \
  "relu_topk_readout", NAME, NAME##_plain, {{2, {ROWS_OF_X, FEATURES}}, {1, {FEATURES}}}, 2 \
 }
    POOLED(pool_one, NODES),
    POOLED(pool_all, NODES *CONFIGS),
    POOLED(pool_rows, NODES *CONFIGS),
    POOLED(pool_scores, NODES *CONFIGS),
    POOLED(pool_readout, NODES *CONFIGS),
};
enum { FUSIONS = sizeof fusions / sizeof *fusions };

static void compare(const fusion *f)
{
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g"};
    ag_params *params = ag_params_new();
    for (int i = 0; i < f->n; i++)
        ag_params_add(params, names[i], f->shapes[i], ag_init_uniform(-0.2, 0.9), 1);
    assert_int_equal(ag_params_build(params, 8), AG_OK);
    composed_compare(f->op, params, f->fused, f->plain, 1e-5f);
    ag_params_free(params);
}

/* Every op that is documented as a replacement is compared. */
static void test_fused_ops(void **state)
{
    const ag_op *op;
    for (int i = 0; i < FUSIONS; i++) compare(&fusions[i]);
    for (int i = 0; (op = ag__op(i)) != NULL; i++) {
        int found = !op->replaces;
        for (int k = 0; k < FUSIONS; k++) found |= strcmp(op->name, fusions[k].op) == 0;
        if (!found) fail_msg("%s replaces a composition, but is not compared with it", op->name);
    }
}

/* y of `nodes` nodes. */
static void attend_some(float *y, const float *x, const float *r, const float *weights, int nodes)
{
    ag_tape *tape = ag_tape_new(test_device());
    const ag_attend_weights w = {ag_input(tape, weights, AG_SHAPE(4, FEATURES)),
                                 ag_input(tape, weights + 500, AG_SHAPE(4)),
                                 ag_input(tape, weights + 600, AG_SHAPE(FEATURES, 4)),
                                 ag_input(tape, weights + 900, AG_SHAPE(FEATURES)),
                                 ag_input(tape, weights + 999, AG_SHAPE(1))};
    ag_tensor *v = ag_attend(ag_input(tape, x, AG_SHAPE(nodes, CONFIGS, FEATURES)), &w,
                             ag_input(tape, r, AG_SHAPE(nodes, CONFIGS, 2 * FEATURES)), 0);
    ag_forward(v);
    assert_string_equal(ag_error(tape), "");
    memcpy(y, ag_values(v), (size_t)ag_shape_count(ag_shape_of(v)) * sizeof *y);
    ag_tape_free(tape);
}

/* A GPU's cuBLAS adds in an order that the shape of a product chooses. */
static int adds_in_one_order(void)
{
    ag_device_about about = {0};
    if (test_device() == AG_CPU) return 1;
    ag_device_describe(&about);
    return about.on_host;
}

/* The bits of a node are those that it has alone. */
static void test_attend_node_by_node(void **state)
{
    enum { NODE = CONFIGS * FEATURES };
    static float x[COUNT], r[2 * COUNT], weights[1000], all[2 * COUNT], alone[2 * NODE];
    for (int i = 0; i < COUNT; i++) x[i] = (float)(i * 37 % 101 - 50) / 30;
    for (int i = 0; i < 2 * COUNT; i++) r[i] = (float)(i * 53 % 97 - 48) / 20;
    for (int i = 0; i < 1000; i++) weights[i] = (float)(i * 71 % 89 - 40) / 60;
    attend_some(all, x, r, weights, NODES);
    for (int v = 0; v < NODES; v++) {
        attend_some(alone, x + v * NODE, r + 2 * v * NODE, weights, 1);
        if (adds_in_one_order()) assert_memory_equal(alone, all + 2 * v * NODE, sizeof alone);
        for (int i = 0; i < 2 * NODE; i++)
            assert_float_equal(alone[i], all[2 * v * NODE + i], 1e-4);
    }
}

int main(void) { return RUN_TESTS(test_fused_ops, test_attend_node_by_node); }
