/* SPDX-License-Identifier: MIT */
/* ag_gin compared with plain loops, its gradients with differences, and what it refuses. */
#include "support/test.h"
#include "augur.h"

enum { NODES = 4, EDGES = 5, IN = 3, WIDE = 5, OUT = 2 };

/* Node 3 receives nothing. */
static const int32_t source[EDGES] = {1, 2, 0, 3, 3}, target[EDGES] = {0, 0, 1, 2, 0};

typedef struct net {
    ag_params *params;
    ag_param *x;
    ag_gin_weights gin;
    ag_graph *graph;
} net;

static net make(void)
{
    net n = {.params = ag_params_new()};
    const ag_init init = ag_init_normal(0.3, 0.5);
    n.x = ag_params_add(n.params, "x", AG_SHAPE(NODES, IN), init, 0);
    n.gin = (ag_gin_weights){
        .first = ag_params_add(n.params, "first", AG_SHAPE(WIDE, IN), init, 0),
        .first_bias = ag_params_add(n.params, "first_bias", AG_SHAPE(WIDE), init, 0),
        .second = ag_params_add(n.params, "second", AG_SHAPE(OUT, WIDE), init, 0),
        .second_bias = ag_params_add(n.params, "second_bias", AG_SHAPE(OUT), init, 0)};
    assert_int_equal(ag_params_build(n.params, 5), AG_OK);
    n.graph = ag_graph_build(NODES, source, target, EDGES, AG_ALONG, NULL);
    assert_non_null(n.graph);
    return n;
}

static void drop(net *n)
{
    ag_graph_free(n->graph);
    ag_params_free(n->params);
}

/* The formula of the header, for node v. */
static void expect(double y[OUT], const net *n, int v)
{
    double sum[IN], hidden[WIDE];
    for (int i = 0; i < IN; i++) {
        sum[i] = (double)n->x->value[v * IN + i];
        for (int e = 0; e < EDGES; e++)
            if (target[e] == v) sum[i] += (double)n->x->value[source[e] * IN + i];
    }
    for (int k = 0; k < WIDE; k++) {
        hidden[k] = (double)n->gin.first_bias->value[k];
        for (int i = 0; i < IN; i++) hidden[k] += (double)n->gin.first->value[k * IN + i] * sum[i];
        if (hidden[k] < 0) hidden[k] = 0;
    }
    for (int o = 0; o < OUT; o++) {
        y[o] = (double)n->gin.second_bias->value[o];
        for (int k = 0; k < WIDE; k++)
            y[o] += (double)n->gin.second->value[o * WIDE + k] * hidden[k];
    }
}

static void test_values(void **state)
{
    net n = make();
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tensor *x = ag_parameter(tape, n.x);
    ag_tensor *y = ag_gin(&n.gin, x, ag_graph_edges(tape, n.graph));
    ag_forward(y);
    const ag_real *value = ag_values(y);
    assert_string_equal(ag_error(tape), "");
    for (int v = 0; v < NODES; v++) {
        double want[OUT];
        expect(want, &n, v);
        for (int o = 0; o < OUT; o++)
            assert_float_equal((float)value[v * OUT + o], (float)want[o], 1e-5f);
    }
    ag_tape_free(tape);
    drop(&n);
}

static ag_tensor *loss(ag_tape *tape, void *context)
{
    const net *n = context;
    ag_tensor *x = ag_parameter(tape, n->x);
    return ag_mean_all(ag_tanh(ag_gin(&n->gin, x, ag_graph_edges(tape, n->graph))));
}

static void test_gradients(void **state)
{
    net n = make();
    char where[200] = "";
    const ag_gradcheck_options options = {.step = 1e-2}; /* wide, since values are floats here */
    const double error = ag_gradcheck(loss, &n, n.params, &options, where);
    if (!(error < 1e-3)) fail_msg("%s: error %g", where, error);
    drop(&n);
}

static void test_refusals(void **state)
{
    net n = make();
    ag_tape *tape = ag_tape_new(AG_CPU);
    n.gin.second = NULL;
    ag_gin(&n.gin, ag_parameter(tape, n.x), ag_graph_edges(tape, n.graph));
    assert_non_null(strstr(ag_error(tape), "ag_gin: first or second is NULL"));
    ag_tape_free(tape);
    drop(&n);
}

int main(void) { return RUN_TESTS(test_values, test_gradients, test_refusals); }
