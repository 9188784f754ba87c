/* SPDX-License-Identifier: MIT */
/* TGraph on a made program. */
#include "steps.h"
#include "support/tgraph_defaults.h"

#include "examples/tgraph/model/model.h"

#include <stdlib.h>

typedef struct tgraph {
    tgraph_graph graph;
    tgraph_program program;
    tgraph_model model;
    int configs;
    int32_t *digit, *rank;
} tgraph;

/* Edges (u, v), u > v, close to each other, two per node, as in TpuGraphs files; every third node
   is configurable. */
static void make_graph(tgraph_graph *g, int nodes, ag_random *random)
{
    *g = (tgraph_graph){.nodes = nodes, .configurable = nodes / 3, .edges = 2 * (nodes - 1)};
    g->feature = malloc((size_t)nodes * TGRAPH_NUMERIC * sizeof *g->feature);
    g->layout = malloc((size_t)nodes * TGRAPH_LAYOUT * sizeof *g->layout);
    g->opcode = malloc((size_t)nodes * sizeof *g->opcode);
    g->edge = malloc((size_t)nodes * 4 * sizeof *g->edge);
    g->config_node = malloc((size_t)nodes * sizeof *g->config_node);
    for (int i = 0; i < nodes * TGRAPH_NUMERIC; i++)
        g->feature[i] = (ag_real)ag_random_normal(random);
    for (int i = 0; i < nodes * TGRAPH_LAYOUT; i++)
        g->layout[i] = 1 + (int32_t)ag_random_below(random, 7);
    for (int v = 0; v < nodes; v++) g->opcode[v] = (int32_t)ag_random_below(random, TGRAPH_OP_ROWS);
    for (int k = 0; k < g->configurable; k++) g->config_node[k] = 3 * k;
    for (int e = 0; e < g->edges; e++) {
        const int u = 1 + e / 2, back = 1 + (int)ag_random_below(random, 8);
        g->edge[2 * e] = u;
        g->edge[2 * e + 1] = u > back ? u - back : 0;
    }
}

static ag_tensor *record(void *data, ag_tape *tape)
{
    tgraph *t = data;
    ag_tensor *score = tgraph_forward(&t->model, tape, &t->program, t->digit, NULL, t->configs);
    return ag_pairwise_hinge(score, ag_input_i32(tape, t->rank, AG_SHAPE(t->configs)), 1, AG_MEAN);
}

static void finish(void *data)
{
    tgraph *t = data;
    nests_joined_free(&t->model.joined);
    ag_params_free(t->model.params);
    tgraph_program_free(&t->program);
    void *const arrays[] = {t->graph.feature,     t->graph.layout, t->graph.opcode, t->graph.edge,
                            t->graph.config_node, t->digit,        t->rank,         t};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

ag_status bench_tgraph(bench_network *network, int configs, int nodes, int hidden, ag_failure *why)
{
    const tgraph_options options = tgraph_defaults();
    ag_random random = {7, 0, 0};
    tgraph *t = calloc(1, sizeof *t);
    t->configs = configs;
    make_graph(&t->graph, nodes, &random);
    const int digits = t->graph.configurable * configs * TGRAPH_DIGITS;
    t->digit = malloc((size_t)digits * sizeof *t->digit);
    t->rank = malloc((size_t)configs * sizeof *t->rank);
    for (int i = 0; i < digits; i++) t->digit[i] = 1 + (int32_t)ag_random_below(&random, 7);
    for (int i = 0; i < configs; i++) t->rank[i] = i;
    ag_random_shuffle(&random, t->rank, configs);
    ag_status bad = tgraph_model_add(&t->model, ag_params_new(), &options, why);
    if (!bad) bad = tgraph_program_new(&t->program, &t->graph, &options, why);
    *network = (bench_network){t->model.params, t, record, finish};
    return bad;
}
