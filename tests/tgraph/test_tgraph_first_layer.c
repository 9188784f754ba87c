/* SPDX-License-Identifier: MIT */
/* TGraph's first linear layer, which is split into a part per node and look-ups, against the
   product of its whole input with its weight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/model_random.h"

#include <math.h>
#include <string.h>

enum { NODES = 15, EDGES = 30, CONFIGURABLE = 6, CONFIGS = 7, HIDDEN = 32, INPUTS = 246 };

static model_graph graph;
static model_data data;

typedef struct first_weights {
    double *op, *layout, *weight;
    int channels;
} first_weights;

static double *param_named(model *m, const char *name, int64_t *n)
{
    for (int p = 0; p < ag64__model.params(m); p++)
        if (!strcmp(ag64__model.param(m, p, n), name)) {
            double *v = calloc((size_t)*n, sizeof *v);
            ag64__model.value(m, p, v);
            return v;
        }
    fail_msg("no parameter %s", name);
    return NULL;
}

/* The input of one node and configuration, all of its channels in order; returns how many. */
static int whole_input(double *x, const first_weights *w, const model_graph *g, int v, int c)
{
    int n = 0, where = -1;
    for (int k = 0; k < g->configurable; k++)
        if (g->config_node[k] == v) where = k;
    for (int i = 0; i < TGRAPH_NUMERIC; i++) x[n++] = g->feature[v * TGRAPH_NUMERIC + i];
    for (int i = 0; i < (g->configurable ? TGRAPH_DIGITS : 0); i++) {
        const int32_t *digit = data.digit + (where * CONFIGS + c) * TGRAPH_DIGITS;
        const int row = where < 0 ? 0 : digit[i]; /* row 0 is the value -2: not configurable */
        for (int k = 0; k < TGRAPH_LAYOUT_WIDTH; k++)
            x[n++] = w->layout[row * TGRAPH_LAYOUT_WIDTH + k];
    }
    for (int i = 0; i < TGRAPH_LAYOUT; i++)
        for (int k = 0; k < TGRAPH_LAYOUT_WIDTH; k++)
            x[n++] = w->layout[g->layout[v * TGRAPH_LAYOUT + i] * TGRAPH_LAYOUT_WIDTH + k];
    const int op = g->opcode[v] < TGRAPH_OP_ROWS ? g->opcode[v] : 0;
    for (int k = 0; k < TGRAPH_OP_WIDTH; k++) x[n++] = w->op[op * TGRAPH_OP_WIDTH + k];
    return n;
}

/* The split layer is the product of the whole input [nodes, configurations, 246] and the weight. */
static void test_first_layer(void **state)
{
    tgraph_options o = tgraph_paper_options();
    o.hidden = HIDDEN;
    graph = model_random_graph(NODES, EDGES, CONFIGURABLE, 21);
    data = model_random_data(&graph, CONFIGS, 22);
    graph.opcode[2] = 120;
    char why[MODEL_WHY];
    int64_t n;
    double x[INPUTS], worst = 0;
    (void)state;
    model *m = ag64__model.create(&o, &graph, 5, why);
    assert_non_null(m);
    first_weights w = {param_named(m, "embedding.op", &n), param_named(m, "embedding.layout", &n),
                       param_named(m, "input.0.linear.weight", &n), HIDDEN / 2};
    double *y = calloc((size_t)(NODES * CONFIGS * w.channels), sizeof *y);
    assert_int_equal(n, INPUTS * w.channels);
    ag64__model.first_layer(m, &data, y, why);
    assert_string_equal(why, "");
    for (int v = 0; v < NODES; v++)
        for (int c = 0; c < CONFIGS; c++) {
            assert_int_equal(whole_input(x, &w, &graph, v, c), INPUTS);
            for (int f = 0; f < w.channels; f++) {
                double sum = 0;
                for (int i = 0; i < INPUTS; i++) sum += w.weight[f * INPUTS + i] * x[i];
                worst = fmax(worst, fabs(sum - y[(v * CONFIGS + c) * w.channels + f]));
            }
        }
    assert_true(worst <= 1e-12);
    assert_true(worst > 0); /* the two are not the same computation */
    free(w.op), free(w.layout), free(w.weight), free(y);
    ag64__model.destroy(m);
    model_random_free(&graph, &data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_layer)};
    ag_set_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
