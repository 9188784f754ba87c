/* SPDX-License-Identifier: MIT */
/* Rows of edges in the order of the messages, of one graph and of batches; aggregates, edge
   weights, dropout of attention's weights, and what is refused. */
#include "support/test.h"
#include "augur.h"
#include "support/tape.h"

enum { NODES = 5, EDGES = 6 };

/* Node 1 receives from 0, itself, 4, 0; node 3 is alone. */
static const int32_t source[] = {0, 1, 4, 1, 0, 2}, target[] = {1, 1, 1, 0, 1, 2};
static const float feature[3 * EDGES] = {10, 11, 12, 13, 14, 15, 20, 21, 22,
                                         23, 24, 25, 30, 31, 32, 33, 34, 35};

static ag_graph *toy(ag_direction direction)
{
    ag_graph *g = ag_graph_build(NODES, source, target, EDGES, direction, NULL);
    assert_non_null(g);
    assert_int_equal(g->edges, EDGES);
    return g;
}

/* ---- rows of edges ---- */

/* The row that ag_edge_rows brings to each message; the graph is freed. */
static void expect_rows(ag_graph *g, int edges, const float *want)
{
    assert_int_equal(g->edges, edges);
    ag_tape_reset(tape);
    ag_tensor *y = ag_edge_rows(ag_input(tape, feature, AG_SHAPE(edges)), g);
    ag_forward(y);
    assert_string_equal(ag_error(tape), "");
    assert_int_equal(ag_size(y, 0), g->messages);
    for (int p = 0; p < g->messages; p++)
        if (ag_values(y)[p] != want[p])
            fail_msg("message %d has %g instead of %g", p, (double)ag_values(y)[p],
                     (double)want[p]);
    ag_graph_free(g);
}

static ag_graph *loops_of(ag_graph *g, int most)
{
    ag_graph *capped = ag_graph_cap(g, most, NULL), *loops = ag_graph_loops(capped, NULL);
    ag_graph_free(g);
    ag_graph_free(capped);
    return loops;
}

static void test_edge_rows(void **state)
{
    static const float along[] = {13, 10, 11, 12, 14, 15}, loops[] = {13, 0, 10, 0, 0, 0, 0};
    static const float both[] = {13, 10, 14, 10, 11, 12, 14, 11, 13, 15, 15, 12};
    expect_rows(toy(AG_ALONG), EDGES, along);
    expect_rows(toy(AG_BOTH_WAYS), EDGES, both);
    expect_rows(loops_of(toy(AG_ALONG), 2), EDGES, loops);
    expect_rows(ag_graph_build(3, NULL, NULL, 0, AG_ALONG, NULL), 0, along);
}

/* The rows of the second graph follow all of the first, whatever became of its messages. */
static void test_rows_of_batches(void **state)
{
    static const float want[] = {13, 0,  10, 0,  0,  0,  0,  23, 20, 21,
                                 22, 24, 25, 33, 30, 31, 32, 34, 35};
    ag_graph *a = loops_of(toy(AG_ALONG), 2), *b = toy(AG_ALONG);
    ag_graph *pair = ag_graph_batch((const ag_graph *const[]){a, b}, 2, NULL);
    expect_rows(ag_graph_batch((const ag_graph *const[]){pair, b}, 2, NULL), 3 * EDGES, want);
    ag_graph_free(a);
    ag_graph_free(b);
    ag_graph_free(pair);
}

/* ---- aggregates ---- */

/* The standard deviation of equal values is 0, as exact as they are large, with gradient 0; where
   nothing is heard all aggregates are 0, and so they are with all scalers of PNA. */
static void test_aggregates(void **state)
{
    static const float want[5][2] = {{4, 6}, {2, 3}, {3, 4}, {1, 2}, {1, 1}};
    static const int32_t from[] = {0, 1, 3, 3}, to[] = {2, 2, 4, 4};
    const float big = 4096.5f;
    ag_params *params = ag_params_new();
    ag_param *x = ag_params_add(params, "x", AG_SHAPE(5, 2), ag_init_constant(0), 0);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    const float values[] = {1, 2, 3, 4, 9, 9, big, -big, 9, 9};
    memcpy(x->value, values, sizeof values);
    ag_graph *g = ag_graph_build(5, from, to, 4, AG_ALONG, NULL);
    for (int kind = 0; kind < 5; kind++) {
        ag_tape_reset(tape);
        ag_params_reset(params);
        const ag_edges e = ag_graph_edges(tape, g);
        ag_tensor *y = ag_keep(ag_spmm(ag_parameter(tape, x), e, (ag_aggregate)kind));
        ag_backward(ag_sum_all(y));
        assert_string_equal(ag_error(tape), "");
        for (int i = 0; i < 2; i++) {
            assert_true(ag_values(y)[2 * 2 + i] == want[kind][i]);
            for (int v = 0; v < 4; v += v ? 2 : 1) /* nothing is heard by 0, 1 and 3 */
                assert_true(v == 2 || ag_values(y)[2 * v + i] == 0);
        }
        if (kind == AG_AGGREGATE_STD)
            assert_true(ag_values(y)[8] == 0 && x->gradient[6] == 0 && x->gradient[0] == -0.5f);
    }
    ag_tape_reset(tape);
    const ag_edges edges = ag_graph_edges(tape, g);
    ag_tensor *y = ag_message_pna(ag_gather(ag_parameter(tape, x), edges.sources), edges, 0.7f);
    ag_forward(y);
    for (int i = 0; i < 24; i++) assert_true(ag_values(y)[i] == 0);
    ag_graph_free(g);
    ag_params_free(params);
}

/* Of equal values the first is the largest, and the smallest: it has all of the gradient. */
static void test_first_of_equals(void **state)
{
    static const int32_t from[] = {0, 1}, to[] = {2, 2};
    ag_params *params = ag_params_new();
    ag_param *x = ag_params_add(params, "x", AG_SHAPE(3, 2), ag_init_constant(1), 0);
    assert_int_equal(ag_params_build(params, 1), AG_OK);
    ag_graph *g = ag_graph_build(3, from, to, 2, AG_ALONG, NULL);
    for (int kind = AG_AGGREGATE_MAX; kind <= AG_AGGREGATE_MIN + 1; kind++) {
        ag_tape_reset(tape);
        ag_params_reset(params);
        const ag_edges e = ag_graph_edges(tape, g);
        ag_tensor *values = ag_parameter(tape, x);
        ag_backward(ag_sum_all(kind > AG_AGGREGATE_MIN ? ag_readout_max(values, e)
                                                       : ag_spmm(values, e, (ag_aggregate)kind)));
        assert_string_equal(ag_error(tape), "");
        for (int i = 0; i < 6; i++) assert_true(x->gradient[i] == (i < 2));
    }
    ag_graph_free(g);
    ag_params_free(params);
}

/* e^x overflows, of few values of a message and of many. */
static void test_large_scores(void **state)
{
    static const int32_t from[] = {0, 1}, to[] = {2, 2};
    float x[2 * 9];
    ag_graph *g = ag_graph_build(3, from, to, 2, AG_ALONG, NULL);
    for (int i = 0; i < 18; i++) x[i] = 500;
    for (int f = 1; f <= 9; f += 8) {
        ag_tape_reset(tape);
        ag_tensor *y = ag_edge_softmax(ag_input(tape, x, AG_SHAPE(2, f)), ag_graph_edges(tape, g));
        ag_forward(y);
        for (int i = 0; i < 2 * f; i++) assert_true(ag_values(y)[i] == 0.5f);
    }
    ag_graph_free(g);
}

/* ---- layers ---- */

/* A graph, x and one weight for each edge, drawn again for every test. */
static struct {
    ag_graph *graph;
    ag_params *params;
    ag_param *x, *w, *from, *wide, *alone, *weight, *none; /* none [6]: zeros */
    ag_encoder_weights encoder;
} b;

static int set_up(void **state)
{
    const ag_init init = ag_init_normal(0.1, 0.7);
    b.graph = toy(AG_BOTH_WAYS);
    b.params = ag_params_new();
    b.x = ag_params_add(b.params, "x", AG_SHAPE(NODES, 4), init, 1);
    b.w = ag_params_add(b.params, "w", AG_SHAPE(6, 4), init, 1);
    b.from = ag_params_add(b.params, "from", AG_SHAPE(2, 3), init, 1);
    b.wide = ag_params_add(b.params, "wide", AG_SHAPE(1, 2, 3), init, 1);
    b.alone = ag_params_add(b.params, "alone", AG_SHAPE(1, 6), init, 1);
    b.weight = ag_params_add(b.params, "weight", AG_SHAPE(EDGES), ag_init_constant(1), 1);
    b.none = ag_params_add(b.params, "none", AG_SHAPE(6), ag_init_constant(0), 0);
    ag_param *square = ag_params_add(b.params, "square", AG_SHAPE(4, 4), init, 1),
             *norm = ag_params_add(b.params, "norm", AG_SHAPE(4), init, 1);
    b.encoder = (ag_encoder_weights){
        .out = square, .norm1 = norm, .widen = square, .narrow = square, .norm2 = norm};
    b.encoder.qkv = ag_params_add(b.params, "qkv", AG_SHAPE(12, 4), init, 1);
    assert_int_equal(ag_params_build(b.params, 1), AG_OK);
    memcpy(b.wide->value, b.from->value, 6 * sizeof(float));
    return tape_make(state);
}

static int tear_down(void **state)
{
    ag_graph_free(b.graph);
    ag_params_free(b.params);
    return tape_drop(state);
}

enum { GCN, GCN_ONES, GRAPH, GRAPH_ONES, GAT, GAT_WIDE, GAT2, ENCODER };

static ag_tensor *layer(int which, float dropout)
{
    ag_tape_reset(tape);
    ag_tape_seed(tape, 3, 4);
    const ag_edges e = ag_graph_edges(tape, b.graph);
    ag_tensor *x = ag_parameter(tape, b.x);
    ag_tensor *ones = ag_edge_rows(ag_parameter(tape, b.weight), b.graph);
    const ag_gcn_weights gcn = {b.w, NULL};
    const ag_sage_weights graph = {b.w, NULL, b.w};
    ag_param *from = which == GAT_WIDE ? b.wide : b.from;
    const ag_gat_weights gat = {b.w, from, from, which == GAT_WIDE ? b.none : NULL, NULL, NULL};
    const ag_gat2_weights gat2 = {.from = b.w, .to = b.w, .attention = b.wide};
    switch (which) {
    case GCN: return ag_gcn_conv_weighted(&gcn, x, NULL, e);
    case GCN_ONES: return ag_gcn_conv_weighted(&gcn, x, ones, e);
    case GRAPH: return ag_graph_conv_weighted(&graph, x, NULL, e);
    case GRAPH_ONES: return ag_graph_conv_weighted(&graph, x, ones, e);
    case ENCODER: return ag_encoder(&b.encoder, x, e, 2, dropout);
    case GAT2: return ag_gat2(&gat2, x, NULL, e, 2, 0, 0.2f, dropout);
    default: return ag_gat(&gat, x, NULL, e, 2, 0, 0.2f, dropout);
    }
}

static void values_of(float y[NODES * 6], int which, float dropout)
{
    ag_tensor *out = ag_keep(layer(which, dropout));
    ag_params_reset(b.params);
    ag_backward(ag_sum_all(ag_square(out)));
    assert_string_equal(ag_error(tape), "");
    const int n = ag_size(out, 0) * ag_size(out, 1);
    assert_int_equal(n, which == ENCODER ? NODES * 4 : NODES * 6);
    memset(y, 0, NODES * 6 * sizeof *y);
    memcpy(y, ag_values(out), (size_t)n * sizeof *y);
}

/* Weights of 1 equal no weights, a bias of 0 equals none; [1,heads,d] is [heads,d]. */
static void test_same_layers(void **state)
{
    float one[NODES * 6], other[NODES * 6];
    for (int which = GCN; which <= GAT; which += 2) {
        values_of(one, which, 0);
        values_of(other, which + 1, 0);
        for (int i = 0; i < NODES * 6; i++)
            if (!(fabsf(one[i] - other[i]) < 1e-5f)) fail_msg("layer %d, value %d", which, i);
    }
}

/* With a slope of 1 scores are sums, from which softmax takes what the receiver says; the mean of
   one head is that head. */
static void test_slope_and_mean(void **state)
{
    static const float other[6] = {2, -1, 0.5f, -2, 1, 3};
    const ag_gat_weights gat = {.w = b.w, .from = b.from, .to = b.wide};
    const ag_gat_weights alone = {.w = b.w, .from = b.alone, .to = b.alone};
    const ag_gat2_weights gat2 = {.from = b.w, .to = b.w, .to_bias = b.none, .attention = b.from};
    for (int which = 0; which < 3; which++) {
        float y[2][NODES * 6];
        for (int k = 0; k < 2; k++) {
            ag_tape_reset(tape);
            const ag_edges e = ag_graph_edges(tape, b.graph);
            ag_tensor *x = ag_parameter(tape, b.x);
            ag_tensor *out = which == 0   ? ag_gat(&gat, x, NULL, e, 2, 0, 1, 0)
                             : which == 1 ? ag_gat2(&gat2, x, NULL, e, 2, 0, 1, 0)
                                          : ag_gat(&alone, x, NULL, e, 1, k, 0.2f, 0);
            ag_forward(out);
            assert_string_equal(ag_error(tape), "");
            memcpy(y[k], ag_values(out), sizeof y[k]);
            memcpy(which == 0 ? b.wide->value : b.none->value, other, sizeof other);
        }
        for (int i = 0; i < NODES * 6; i++)
            if (!(fabsf(y[0][i] - y[1][i]) < 1e-5f)) fail_msg("layer %d, value %d", which, i);
    }
}

/* Half of the weights go, and the mean over many seeds is the value without. */
static void test_dropped_weights(void **state)
{
    enum { SEEDS = 4000 };
    for (int which = GAT; which <= ENCODER; which++) {
        float whole[NODES * 6], again[NODES * 6], some[NODES * 6];
        double sum[NODES * 6] = {0};
        values_of(whole, which, 0);
        values_of(some, which, 0.5f);
        values_of(again, which, 0.5f);
        assert_memory_equal(some, again, sizeof some);
        assert_memory_not_equal(some, whole, sizeof some);
        for (int seed = 0; seed < SEEDS && which != ENCODER; seed++) { /* a mean tells of its sum */
            ag_tensor *y = layer(which, 0.5f);
            ag_tape_seed(tape, 3, (uint64_t)seed);
            ag_forward(y);
            for (int i = 0; i < NODES * 6; i++) sum[i] += (double)ag_values(y)[i] / SEEDS;
        }
        for (int i = 0; i < NODES * 6 && which != ENCODER; i++)
            if (!(fabs(sum[i] - (double)whole[i]) < 0.1))
                fail_msg("layer %d, value %d: %g, not %g", which, i, sum[i], (double)whole[i]);
        ag_tape_training(tape, 0);
        values_of(some, which, 0.5f);
        assert_memory_equal(some, whole, sizeof some);
        ag_tape_training(tape, 1);
    }
}

/* ---- refusals ---- */

static void expect_refused(ag_status status, const char *sentence)
{
    if (!strstr(ag_error(tape), sentence)) fail_msg("%s", ag_error(tape));
    assert_int_equal(ag_tape_status(tape), status);
    ag_tape_reset(tape);
}

static void test_refused(void **state)
{
    const ag_gat_weights gat = {.w = b.w, .from = b.from, .to = b.from};
    const ag_gat2_weights gat2 = {.from = b.w, .to = b.w, .attention = b.from};
    const ag_gcn_weights gcn = {b.w, NULL};
    const ag_sage_weights graph = {b.w, NULL, b.w};
#define X     ag_parameter(tape, b.x)
#define E     ag_graph_edges(tape, b.graph)
#define IN(s) ag_input(tape, feature, s)
    ag_edge_rows(IN(AG_SHAPE(5)), b.graph);
    expect_refused(
        AG_ESHAPE,
        "ag_edge_rows: x has 5 rows, but the graph was built from 6 edges; give it a row "
        "for each, of a batch those of all graphs");
    ag_edge_rows(IN(AG_SHAPE(6)), NULL);
    expect_refused(AG_EUSE, "ag_edge_rows: the graph is NULL");
    ag_message_sum(IN(AG_SHAPE(6)), E);
    expect_refused(AG_ESHAPE, "x needs one row for each of the 12 messages");
    ag_message_aggregate(IN(AG_SHAPE(12)), E, (ag_aggregate)7);
    expect_refused(AG_ESHAPE,
                   "the aggregate is 7, but must be AG_AGGREGATE_SUM, _MEAN, _MAX, _MIN or _STD");
    ag_spmm(IN(AG_SHAPE(6)), E, AG_AGGREGATE_STD);
    expect_refused(AG_ESHAPE, "x has 6 rows, but the graph has 5 nodes");
    ag_message_pna(X, E, 0);
    expect_refused(AG_ESHAPE,
                   "ag_message_pna: the mean of ln(degree + 1) is 0, but must be above 0");
    ag_message_pna(IN(AG_SHAPE(12)), E, 1);
    expect_refused(AG_ESHAPE, "ag_message_pna: x is [12], but must be [messages, features]");
    ag_gcn_conv_weighted(&gcn, X, IN(AG_SHAPE(12, 1)), E);
    expect_refused(AG_ESHAPE, "ag_gcn_conv_weighted: w is [12,1], but must be [messages]");
    ag_graph_conv_weighted(&graph, X, IN(AG_SHAPE(6)), E);
    expect_refused(AG_ESHAPE, "w needs one row for each of the 12 messages");
    ag_gat(&gat, X, IN(AG_SHAPE(12, 1)), E, 2, 0, 0.2f, 0);
    expect_refused(AG_EUSE, "ag_gat: features of edges need their weights");
    ag_gat(&gat, X, NULL, E, 3, 0, 0.2f, 0);
    expect_refused(AG_ESHAPE,
                   "ag_gat: w is [6,4], from is [2,3] and to is [2,3], but with 3 heads they must "
                   "be [heads d,in], [heads,d] and [heads,d], and there must be a head");
    ag_gat(&gat, X, NULL, E, 2, 0, 0.2f, 1);
    expect_refused(AG_ESHAPE, "p is 1, but must be at least 0 and below 1");
    ag_encoder(&b.encoder, X, E, 2, 1);
    expect_refused(AG_ESHAPE, "dropout is 1, but must be at least 0 and at most 1 - 2^-16");
    ag_gat2(&gat2, X, NULL, E, 3, 0, 0.2f, 0);
    expect_refused(
        AG_ESHAPE,
        "ag_gat2: from is [6,4], to is [6,4] and attention is [2,3], but with 3 heads "
        "they must be [heads d,in], [heads d,in] and [heads,d], and there must be a head");
}

int main(void)
{
    return RUN_TESTS_EACH(set_up, tear_down, test_edge_rows, test_rows_of_batches, test_aggregates,
                          test_first_of_equals, test_large_scores, test_same_layers,
                          test_slope_and_mean, test_dropped_weights, test_refused);
}
