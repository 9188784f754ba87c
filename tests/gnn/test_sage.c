/* SPDX-License-Identifier: MIT */
/* GraphSAGE and GraphConv against the ops that they are defined by, values and gradients: the sum,
   mean or maximum of the neighbours first, then two linear layers; and the layer of Kaufman et al.,
   ag_sage_concat. GraphConv on graphs of many blocks: with gradients that are 0 for some nodes,
   with an x that needs none, and the same bits for any number of threads. */
#include "support/test.h"
#include "augur.h"

enum { NODES = 9, EDGES = 17, ROWS = 2, WIDE = 6 };
enum { MOST = 5000, IN = 24, OUT = 40, ROOM = MOST * (IN + OUT) + 4 * OUT * IN };
enum { INPUT, NEIGHBOUR, BIAS, ROOT, USERS, USERS_BIAS, JOIN, JOIN_BIAS, PARTS };

/* Node 8 receives nothing, node 7 its own message, node 0 the same one twice. */
static const int32_t source[EDGES] = {1, 1, 2, 3, 4, 5, 6, 7, 0, 8, 3, 5, 2, 0, 4, 6, 1};
static const int32_t target[EDGES] = {0, 0, 0, 1, 1, 1, 2, 7, 3, 3, 4, 4, 4, 5, 6, 6, 5};

/* x, where it is no parameter; and how much each element of a result counts. */
static float features[MOST * IN], weight[MOST * OUT];

/* One convolution; all parts but the neighbour's weights may be absent. */
typedef struct net {
    int in, out, rows; /* rows of features a node has */
    ag_aggregate kind;
    int l2, relu;
    ag_params *params;
    ag_param *part[PARTS];
    ag_graph *graph, *against; /* against NULL: of ag_sage_concat both ways in one */
} net;

static ag_shape shape_of(const net *n, int columns)
{
    const int nodes = n->graph->nodes;
    return n->rows > 1 ? AG_SHAPE(nodes, n->rows, columns) : AG_SHAPE(nodes, columns);
}

static void add_parts(net *n, const int there[PARTS], ag_init init, uint64_t seed)
{
    static const char *const name[] = {"x",     "neighbour",  "bias", "root",
                                       "users", "users_bias", "join", "join_bias"};
    const ag_shape weight = AG_SHAPE(n->out, n->in), bias = AG_SHAPE(n->out),
                   join = AG_SHAPE(n->out, n->in + n->out * (n->against ? 2 : 1)),
                   shape[PARTS] = {
                       shape_of(n, n->in), weight, bias, weight, weight, bias, join, bias};
    n->params = ag_params_new();
    for (int k = 0; k < PARTS; k++)
        if (there[k]) n->part[k] = ag_params_add(n->params, name[k], shape[k], init, 0);
    assert_int_equal(ag_params_build(n->params, seed), AG_OK);
}

static net make(int in, int out, int rows, ag_aggregate kind, int l2, int bias, int root)
{
    net n = {in,   out, rows,
             kind, l2,  .graph = ag_graph_build(NODES, source, target, EDGES, AG_ALONG, NULL)};
    add_parts(&n, (const int[PARTS]){1, 1, bias, root}, ag_init_normal(0, 1), 61);
    for (int i = 0; i < NODES * ROWS * WIDE; i++) weight[i] = (float)(i * 29 % 31 - 15) / 8;
    return n;
}

/* Node 0 sends to many; some nodes receive nothing, some send nothing, some send to themselves. */
static net make_large(int nodes, int messages, int wants_x, int relu)
{
    static int32_t from[3 * MOST], to[3 * MOST];
    net n = {IN, OUT, 1, AG_AGGREGATE_SUM, .relu = relu};
    ag_random r = {3, 1, 0};
    for (int i = 0; i < messages; i++) {
        from[i] = i % 7 ? (int32_t)ag_random_below(&r, (uint32_t)nodes) : 0;
        to[i] = (int32_t)ag_random_below(&r, (uint32_t)nodes);
    }
    n.graph = ag_graph_build(nodes, from, to, messages, AG_ALONG, NULL);
    assert_non_null(n.graph);
    fill_numbers(features, MOST * IN, 1);
    fill_numbers(weight, MOST * OUT, 2);
    for (int i = 0; i < MOST * OUT; i++)
        if (i / OUT % 3 == 0) weight[i] = 0;
    add_parts(&n, (const int[PARTS]){wants_x, 1, 1, 1}, ag_init_constant(0), 5);
    for (int k = 0; k < n.params->count; k++)
        fill_numbers(n.params->list[k]->value, n.params->list[k]->count, 5);
    return n;
}

static void drop(net *n)
{
    ag_params_free(n->params);
    ag_graph_free(n->graph);
    ag_graph_free(n->against);
}

static ag_tensor *x_of(const net *n, ag_tape *tape)
{
    return n->part[INPUT] ? ag_parameter(tape, n->part[INPUT])
                          : ag_input(tape, features, shape_of(n, n->in));
}

typedef ag_tensor *layer(const net *n, ag_tape *tape);

static ag_tensor *sage(const net *n, ag_tape *tape)
{
    const ag_sage_weights w = {n->part[NEIGHBOUR], n->part[BIAS], n->part[ROOT]};
    return ag_sage(&w, x_of(n, tape), ag_graph_edges(tape, n->graph), n->kind, n->l2);
}

static ag_tensor *graph_conv(const net *n, ag_tape *tape)
{
    const ag_sage_weights w = {n->part[NEIGHBOUR], n->part[BIAS], n->part[ROOT]};
    const ag_edges edges = ag_graph_edges(tape, n->graph);
    return n->relu ? ag_graph_conv_relu(&w, x_of(n, tape), edges)
                   : ag_graph_conv(&w, x_of(n, tape), edges);
}

static ag_tensor *composed(const net *n, ag_tape *tape)
{
    ag_tensor *x = x_of(n, tape);
    ag_tensor *sent = ag_spmm(x, ag_graph_edges(tape, n->graph), n->kind);
    ag_tensor *y = ag_linear(sent, ag_parameter(tape, n->part[NEIGHBOUR]),
                             n->part[BIAS] ? ag_parameter(tape, n->part[BIAS]) : NULL);
    if (n->part[ROOT]) y = ag_add(y, ag_linear(x, ag_parameter(tape, n->part[ROOT]), NULL));
    if (n->relu) y = ag_relu(y);
    return n->l2 ? ag_l2_norm(y, (ag_real)1e-12) : y;
}

static ag_tensor *concat(const net *n, ag_tape *tape)
{
    ag_param *const *p = n->part;
    const ag_sage_concat_weights w = {p[NEIGHBOUR],  p[BIAS], p[USERS],
                                      p[USERS_BIAS], p[JOIN], p[JOIN_BIAS]};
    const ag_edges along = ag_graph_edges(tape, n->graph),
                   against = n->against ? ag_graph_edges(tape, n->against) : along;
    return ag_sage_concat(&w, x_of(n, tape), along, n->against ? &against : NULL, n->kind, n->l2);
}

/* relu(W x + b), with the weights and the bias of these parts. */
static ag_tensor *dense(const net *n, ag_tensor *x, int weights, int bias)
{
    ag_tape *tape = ag_tape_of(x);
    return ag_relu(ag_linear(x, ag_parameter(tape, n->part[weights]),
                             n->part[bias] ? ag_parameter(tape, n->part[bias]) : NULL));
}

static ag_tensor *concat_composed(const net *n, ag_tape *tape)
{
    ag_tensor *x = x_of(n, tape), *sent = dense(n, x, NEIGHBOUR, BIAS);
    ag_tensor *y = ag_concat2(x, ag_spmm(sent, ag_graph_edges(tape, n->graph), n->kind), -1);
    if (n->against) {
        if (n->part[USERS]) sent = dense(n, x, USERS, USERS_BIAS);
        y = ag_concat2(y, ag_spmm(sent, ag_graph_edges(tape, n->against), n->kind), -1);
    }
    y = dense(n, y, JOIN, JOIN_BIAS);
    return n->l2 ? ag_l2_norm(y, (ag_real)1e-12) : y;
}

/* y and then all gradients of a sum that weighs every element differently; returns how many. */
static int run(float result[ROOM], const net *n, layer *f)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_params_reset(n->params);
    ag_tensor *y = ag_keep(f(n, tape));
    const ag_shape shape = shape_of(n, n->out);
    assert_true(ag_shape_equal(ag_shape_of(y), shape));
    ag_backward(ag_sum_all(ag_mul(y, ag_input(tape, weight, shape))));
    assert_string_equal(ag_error(tape), "");
    const int values = (int)ag_shape_count(shape), gradients = (int)n->params->size;
    assert_in_range(values + gradients, 1, ROOM);
    memcpy(result, ag_values(y), (size_t)values * sizeof *result);
    memcpy(result + values, n->params->gradient, (size_t)gradients * sizeof *result);
    ag_tape_free(tape);
    return values + gradients;
}

static float have[ROOM], want[ROOM];

/* Leaves in `have` what f gives, and returns how many numbers; errors are relative to each number
   or to the largest of all. */
static int check(const net *n, layer *f, layer *plain, int to_largest)
{
    const int count = run(have, n, f);
    float largest = 1;
    assert_int_equal(run(want, n, plain), count);
    for (int i = 0; i < count; i++) largest = fmaxf(largest, fabsf(want[i]));
    for (int i = 0; i < count; i++)
        if (!(fabsf(have[i] - want[i]) <=
              1e-5f * (to_largest ? largest : fmaxf(1, fabsf(want[i])))))
            fail_msg("%d nodes, in %d, out %d, kind %d, l2 %d: number %d is %g instead of %g",
                     n->graph->nodes, n->in, n->out, n->kind, n->l2, i, (double)have[i],
                     (double)want[i]);
    return count;
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
            net n = make(w[0], w[1], how & 8 ? ROWS : 1, kind, l2, bias, root);
            check(&n, sage, composed, 0);
            drop(&n);
        }
}

static void test_graph_conv(void **state)
{
    static const int sizes[][2] = {{1, 0},     {1, 3},      {16, 9},      {255, 300},      {256, 0},
                                   {257, 400}, {1100, 900}, {2300, 9000}, {MOST, 2 * MOST}};
    for (size_t i = 0; i < 4 * sizeof sizes / sizeof *sizes; i++) {
        net n = make_large(sizes[i / 4][0], sizes[i / 4][1], i & 1, i >> 1 & 1);
        const int count = check(&n, graph_conv, composed, 1);
        for (int threads = 2; threads < 5; threads++) {
            ag_set_threads(threads);
            run(want, &n, graph_conv);
            assert_memory_equal(have, want, (size_t)count * sizeof *have);
        }
        ag_set_threads(1);
        drop(&n);
    }
}

/* Both ways in one, apart, and apart with common weights; each with and without biases and l2. */
static void test_concat(void **state)
{
    for (int how = 0; how < 36; how++) {
        const ag_aggregate kind = (ag_aggregate)(how / 12);
        const int directed = how / 4 % 3 > 0, apart = how / 4 % 3 == 2, bias = how & 1;
        const int parts[PARTS] = {1, 1, bias, 0, apart, apart && bias, 1, bias};
        net n = {.in = WIDE, .out = 5, .rows = 1, .kind = kind, .l2 = how >> 1 & 1};
        n.graph =
            ag_graph_build(NODES, source, target, EDGES, directed ? AG_ALONG : AG_BOTH_WAYS, NULL);
        if (directed) n.against = ag_graph_build(NODES, source, target, EDGES, AG_AGAINST, NULL);
        add_parts(&n, parts, ag_init_normal(0.2, 1), 61);
        check(&n, concat, concat_composed, 0);
        drop(&n);
    }
}

static void test_concat_refuses(void **state)
{
    net n = {.in = WIDE, .out = 5, .rows = 1, .kind = AG_AGGREGATE_SUM};
    n.graph = ag_graph_build(NODES, source, target, EDGES, AG_BOTH_WAYS, NULL);
    add_parts(&n, (const int[PARTS]){1, 1, 0, 0, 0, 0, 1, 0}, ag_init_normal(0, 1), 1);
    ag_tape *tape = ag_tape_new(AG_CPU);
    n.kind = (ag_aggregate)7;
    concat(&n, tape);
    assert_non_null(strstr(ag_error(tape), "the aggregate is 7"));
    n.kind = AG_AGGREGATE_SUM;
    n.against = ag_graph_build(NODES, source, target, EDGES, AG_AGAINST, NULL);
    ag_tape_reset(tape);
    concat(&n, tape); /* whose join takes one aggregate */
    assert_non_null(strstr(ag_error(tape), "linear: x is [9,16], w \"join\" is [5,11]"));
    ag_tape_free(tape);
    drop(&n);
}

/* An empty neighbourhood, without bias and root: 0, also when divided by its norm. */
static void test_nobody(void **state)
{
    net n = make(4, 3, 1, AG_AGGREGATE_MEAN, 1, 0, 0);
    const int count = run(have, &n, sage);
    for (int o = 0; o < 3; o++) assert_true(have[8 * 3 + o] == 0);
    for (int i = 0; i < count; i++) assert_true(isfinite(have[i]));
    drop(&n);
}

static void test_wrong_graph(void **state)
{
    for (int k = 0; k < 3; k++) { /* both ways to compute it */
        net n = make(6, 4 + k, 1, AG_AGGREGATE_SUM, 0, 1, 1);
        ag_graph_free(n.graph);
        n.graph = ag_graph_build(NODES - 1, NULL, NULL, 0, AG_ALONG, NULL);
        ag_tape *tape = ag_tape_new(AG_CPU);
        ag_backward(ag_sum_all(sage(&n, tape)));
        assert_int_equal(ag_tape_status(tape), AG_ESHAPE);
        assert_non_null(strstr(ag_error(tape), "x has 9 rows, but the graph has 8 nodes"));
        assert_int_equal(n.params->state, AG_BAD);
        ag_tape_free(tape);
        drop(&n);
    }
}

int main(void)
{
    ag_set_threads(1);
    return RUN_TESTS(test_sage, test_concat, test_concat_refuses, test_graph_conv, test_nobody,
                     test_wrong_graph);
}
