/* SPDX-License-Identifier: MIT */
/* GraphSAGE and GraphConv against the ops that they are defined by, values and gradients: the sum,
   mean or maximum of the neighbours first, then two linear layers; and the layer of Kaufman et al.,
   ag_sage_concat. GraphConv on graphs of many blocks: with gradients that are 0 for some nodes,
   with an x that needs none, and the same bits for any number of threads. */
#include "support/composed.h"

enum { NODES = 9, EDGES = 17, ROWS = 2, WIDE = 6 };
enum { MOST = 5000, IN = 24, OUT = 40 };
enum { INPUT, NEIGHBOUR, BIAS, ROOT, USERS, USERS_BIAS, JOIN, JOIN_BIAS, PARTS };

/* Node 8 receives nothing, node 7 its own message, node 0 the same one twice. */
static const int32_t source[EDGES] = {1, 1, 2, 3, 4, 5, 6, 7, 0, 8, 3, 5, 2, 0, 4, 6, 1};
static const int32_t target[EDGES] = {0, 0, 0, 1, 1, 1, 2, 7, 3, 3, 4, 4, 4, 5, 6, 6, 5};

/* x, where it is not a parameter; and how much each node of a large graph counts. */
static float features[MOST * IN], counts[MOST];

/* One convolution; all parts but the neighbour's weights may be absent. */
typedef struct net {
    int in, out, rows; /* rows of features a node has */
    ag_aggregate kind;
    int l2;
    ag_params *params;
    ag_param *part[PARTS];
    ag_graph *graph, *against; /* against NULL: of ag_sage_concat both ways in one */
} net;
static net n; /* what the expressions are about */

static ag_shape shape_of(int columns)
{
    const int nodes = n.graph->nodes;
    return n.rows > 1 ? AG_SHAPE(nodes, n.rows, columns) : AG_SHAPE(nodes, columns);
}

static void add_parts(const int there[PARTS], ag_init init, uint64_t seed)
{
    static const char *const name[] = {"x",     "neighbour",  "bias", "root",
                                       "users", "users_bias", "join", "join_bias"};
    const ag_shape weight = AG_SHAPE(n.out, n.in), bias = AG_SHAPE(n.out),
                   join = AG_SHAPE(n.out, n.in + n.out * (n.against ? 2 : 1)),
                   shape[PARTS] = {shape_of(n.in), weight, bias, weight, weight, bias, join, bias};
    n.params = ag_params_new();
    for (int k = 0; k < PARTS; k++)
        if (there[k]) n.part[k] = ag_params_add(n.params, name[k], shape[k], init, 0);
    assert_int_equal(ag_params_build(n.params, seed), AG_OK);
}

static void make(int in, int out, int rows, ag_aggregate kind, int l2, int bias, int root)
{
    n = (net){in,   out, rows,
              kind, l2,  .graph = ag_graph_build(NODES, source, target, EDGES, AG_ALONG, NULL)};
    add_parts((const int[PARTS]){1, 1, bias, root}, ag_init_normal(0, 1), 61);
}

/* Node 0 sends to many; some nodes receive nothing, some send nothing, some send to themselves. */
static void make_large(int nodes, int messages, int wants_x)
{
    static int32_t from[3 * MOST], to[3 * MOST];
    n = (net){.in = IN, .out = OUT, .rows = 1, .kind = AG_AGGREGATE_SUM};
    ag_random r = {3, 1, 0};
    for (int i = 0; i < messages; i++) {
        from[i] = i % 7 ? (int32_t)ag_random_below(&r, (uint32_t)nodes) : 0;
        to[i] = (int32_t)ag_random_below(&r, (uint32_t)nodes);
    }
    n.graph = ag_graph_build(nodes, from, to, messages, AG_ALONG, NULL);
    assert_non_null(n.graph);
    fill_numbers(features, MOST * IN, 1);
    for (int v = 0; v < MOST; v++) counts[v] = (float)(v % 3);
    add_parts((const int[PARTS]){wants_x, 1, 1, 1}, ag_init_constant(0), 5);
    for (int k = 0; k < n.params->count; k++)
        fill_numbers(n.params->list[k]->value, n.params->list[k]->count, 5);
}

static void drop(void)
{
    ag_params_free(n.params);
    ag_graph_free(n.graph);
    ag_graph_free(n.against);
}

static ag_tensor *x_of(ag_tape *tape)
{
    return n.part[INPUT] ? ag_parameter(tape, n.part[INPUT])
                         : ag_input(tape, features, shape_of(n.in));
}

static ag_tensor *sage(ag_tensor *const *p)
{
    ag_tape *tape = ag_tape_of(p[0]);
    const ag_sage_weights w = {n.part[NEIGHBOUR], n.part[BIAS], n.part[ROOT]};
    return ag_sage(&w, x_of(tape), ag_graph_edges(tape, n.graph), n.kind, n.l2);
}

/* Of a large graph every third node counts nothing. */
static ag_tensor *counted(ag_tensor *y)
{
    return ag_mul_rows(y, ag_input(ag_tape_of(y), counts, AG_SHAPE(n.graph->nodes)));
}

static ag_tensor *graph_conv(ag_tensor *const *p)
{
    ag_tape *tape = ag_tape_of(p[0]);
    const ag_sage_weights w = {n.part[NEIGHBOUR], n.part[BIAS], n.part[ROOT]};
    return counted(ag_graph_conv(&w, x_of(tape), ag_graph_edges(tape, n.graph)));
}

static ag_tensor *composed(ag_tensor *const *p)
{
    ag_tape *tape = ag_tape_of(p[0]);
    ag_tensor *x = x_of(tape);
    ag_tensor *sent = ag_spmm(x, ag_graph_edges(tape, n.graph), n.kind);
    ag_tensor *y = ag_linear(sent, ag_parameter(tape, n.part[NEIGHBOUR]),
                             n.part[BIAS] ? ag_parameter(tape, n.part[BIAS]) : NULL);
    if (n.part[ROOT]) y = ag_add(y, ag_linear(x, ag_parameter(tape, n.part[ROOT]), NULL));
    return n.l2 ? ag_l2_norm(y, (ag_real)1e-12) : y;
}

static ag_tensor *concat(ag_tensor *const *p)
{
    ag_tape *tape = ag_tape_of(p[0]);
    ag_param *const *of = n.part;
    const ag_sage_concat_weights w = {of[NEIGHBOUR],  of[BIAS], of[USERS],
                                      of[USERS_BIAS], of[JOIN], of[JOIN_BIAS]};
    const ag_edges along = ag_graph_edges(tape, n.graph),
                   against = n.against ? ag_graph_edges(tape, n.against) : along;
    return ag_sage_concat(&w, x_of(tape), along, n.against ? &against : NULL, n.kind, n.l2);
}

/* relu(W x + b), with the weights and the bias of these parts. */
static ag_tensor *dense(ag_tensor *x, int weights, int bias)
{
    ag_tape *tape = ag_tape_of(x);
    return ag_relu(ag_linear(x, ag_parameter(tape, n.part[weights]),
                             n.part[bias] ? ag_parameter(tape, n.part[bias]) : NULL));
}

static ag_tensor *concat_composed(ag_tensor *const *p)
{
    ag_tape *tape = ag_tape_of(p[0]);
    ag_tensor *x = x_of(tape), *sent = dense(x, NEIGHBOUR, BIAS);
    ag_tensor *y = ag_concat2(x, ag_spmm(sent, ag_graph_edges(tape, n.graph), n.kind), -1);
    if (n.against) {
        if (n.part[USERS]) sent = dense(x, USERS, USERS_BIAS);
        y = ag_concat2(y, ag_spmm(sent, ag_graph_edges(tape, n.against), n.kind), -1);
    }
    y = dense(y, JOIN, JOIN_BIAS);
    return n.l2 ? ag_l2_norm(y, (ag_real)1e-12) : y;
}

static void check(expression *f, expression *plain)
{
    composed_compare(formatted("%d nodes, in %d, out %d, kind %d, l2 %d", n.graph->nodes, n.in,
                               n.out, n.kind, n.l2),
                     n.params, f, plain, 1e-5f);
}

/* Narrowing convolutions aggregate after the product, others before it. */
static void test_sage(void **state)
{
    static const int width[][2] = {{WIDE, 4}, {4, WIDE}, {5, 5}, {3, 1}};
    for (int i = 0; i < 12; i++)
        for (int how = 0; how < 16; how++) {
            const ag_aggregate kind = (ag_aggregate)(i / 4);
            const int *w = width[i % 4], l2 = how >> 2 & 1, bias = how & 1, root = how >> 1 & 1;
            if (l2 && w[1] == 1) continue;      /* a vector of one number becomes its sign */
            if (l2 && !bias && !root) continue; /* node 8 has no direction */
            make(w[0], w[1], how & 8 ? ROWS : 1, kind, l2, bias, root);
            check(sage, composed);
            drop();
        }
}

static ag_tensor *graph_conv_composed(ag_tensor *const *p) { return counted(composed(p)); }

static void test_graph_conv(void **state)
{
    static const int sizes[][2] = {{1, 0},     {1, 3},      {16, 9},      {255, 300},      {256, 0},
                                   {257, 400}, {1100, 900}, {2300, 9000}, {MOST, 2 * MOST}};
    static float gradient[MOST * IN + 4 * OUT * IN];
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        make_large(sizes[i / 2][0], sizes[i / 2][1], i & 1);
        check(graph_conv, graph_conv_composed);
        const size_t bytes = (size_t)n.params->size * sizeof *gradient;
        int64_t count;
        float *one = composed_run(graph_conv, n.params, AG_CPU, &count);
        memcpy(gradient, n.params->gradient, bytes);
        for (int threads = 2; threads < 5; threads++) {
            ag_set_threads(threads);
            float *more = composed_run(graph_conv, n.params, AG_CPU, &count);
            assert_memory_equal(more, one, (size_t)count * sizeof *one);
            assert_memory_equal(n.params->gradient, gradient, bytes);
            test_free(more);
        }
        ag_set_threads(1);
        test_free(one);
        drop();
    }
}

/* Both ways in one, apart, and apart with common weights; each with and without biases and l2. */
static void test_concat(void **state)
{
    for (int how = 0; how < 36; how++) {
        const ag_aggregate kind = (ag_aggregate)(how / 12);
        const int directed = how / 4 % 3 > 0, apart = how / 4 % 3 == 2, bias = how & 1;
        const int parts[PARTS] = {1, 1, bias, 0, apart, apart && bias, 1, bias};
        n = (net){.in = WIDE, .out = 5, .rows = 1, .kind = kind, .l2 = how >> 1 & 1};
        n.graph =
            ag_graph_build(NODES, source, target, EDGES, directed ? AG_ALONG : AG_BOTH_WAYS, NULL);
        if (directed) n.against = ag_graph_build(NODES, source, target, EDGES, AG_AGAINST, NULL);
        add_parts(parts, ag_init_normal(0.2, 1), 61);
        check(concat, concat_composed);
        drop();
    }
}

static void test_concat_refuses(void **state)
{
    n = (net){.in = WIDE, .out = 5, .rows = 1, .kind = AG_AGGREGATE_SUM};
    n.graph = ag_graph_build(NODES, source, target, EDGES, AG_BOTH_WAYS, NULL);
    add_parts((const int[PARTS]){1, 1, 0, 0, 0, 0, 1, 0}, ag_init_normal(0, 1), 1);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *x = ag_input(tape, features, AG_SHAPE(1)); /* tells the tape */
    n.kind = (ag_aggregate)7;
    concat(&x);
    assert_non_null(strstr(ag_error(tape), "the aggregate is 7"));
    n.kind = AG_AGGREGATE_SUM;
    n.against = ag_graph_build(NODES, source, target, EDGES, AG_AGAINST, NULL);
    ag_tape_reset(tape);
    x = ag_input(tape, features, AG_SHAPE(1));
    concat(&x); /* its join takes one aggregate */
    assert_non_null(strstr(ag_error(tape), "linear: x is [9,16], w \"join\" is [5,11]"));
    ag_tape_free(tape);
    drop();
}

/* An empty neighbourhood, without bias and root: 0, also when divided by its norm. */
static void test_nobody(void **state)
{
    make(4, 3, 1, AG_AGGREGATE_MEAN, 1, 0, 0);
    int64_t count;
    float *y = composed_run(sage, n.params, AG_CPU, &count);
    for (int o = 0; o < 3; o++) assert_true(y[8 * 3 + o] == 0);
    for (int i = 0; i < count; i++) assert_true(isfinite(y[i]));
    for (int i = 0; i < n.params->size; i++) assert_true(isfinite(n.params->gradient[i]));
    test_free(y);
    drop();
}

static void test_wrong_graph(void **state)
{
    for (int k = 0; k < 3; k++) { /* both ways to compute it */
        make(6, 4 + k, 1, AG_AGGREGATE_SUM, 0, 1, 1);
        ag_graph_free(n.graph);
        n.graph = ag_graph_build(NODES - 1, NULL, NULL, 0, AG_ALONG, NULL);
        ag_tape *tape = ag_tape_new(AG_CPU);
        ag_tensor *x = ag_input(tape, features, AG_SHAPE(1));
        ag_backward(ag_sum_all(sage(&x)));
        assert_int_equal(ag_tape_status(tape), AG_ESHAPE);
        assert_non_null(strstr(ag_error(tape), "x has 9 rows, but the graph has 8 nodes"));
        assert_int_equal(n.params->state, AG_BAD);
        ag_tape_free(tape);
        drop();
    }
}

int main(void)
{
    ag_set_threads(1);
    return RUN_TESTS(test_sage, test_concat, test_concat_refuses, test_graph_conv, test_nobody,
                     test_wrong_graph);
}
