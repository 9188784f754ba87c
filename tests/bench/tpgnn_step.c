/* SPDX-License-Identifier: MIT */
/* The published network of TPGNN on random trees, edges both ways. */
#include "ops.h"
#include "steps.h"

#include "examples/tpgnn/model/paper.h"

#include <stdlib.h>

typedef struct tpgnn {
    tpgnn_paper paper;
    ag_params *params;
    ag_graph *graph; /* the batch */
    ag_real *x, *cost;
    int trees, nodes; /* nodes of each */
} tpgnn;

static ag_real *normal(int n, uint64_t stream)
{
    ag_random r = {7, stream, 0};
    ag_real *x = malloc((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) x[i] = (ag_real)ag_random_normal(&r);
    return x;
}

static ag_tensor *record(void *data, ag_tape *tape)
{
    tpgnn *t = data;
    const ag_shape shape = AG_SHAPE(t->trees * t->nodes, t->paper.options.inputs);
    ag_tensor *score =
        tpgnn_paper_forward(&t->paper, ag_input(tape, t->x, shape), ag_graph_edges(tape, t->graph));
    return ag_mean_all(ag_huber(score, ag_input(tape, t->cost, AG_SHAPE(t->trees)), 1));
}

static void finish(void *data)
{
    tpgnn *t = data;
    ag_params_free(t->params);
    ag_graph_free(t->graph);
    free(t->x);
    free(t->cost);
    free(t);
}

ag_status bench_tpgnn(bench_network *network, int trees, int nodes, int hidden, ag_failure *why)
{
    const tpgnn_paper_options options = {20,           hidden,        3, .pool = TPGNN_POOL_TOPK,
                                         .ratio = 0.8, .dropout = 0.5};
    tpgnn *t = calloc(1, sizeof *t);
    t->trees = trees;
    t->nodes = nodes;
    t->params = ag_params_new();
    t->graph = bench_graph(nodes, 1, trees, AG_BOTH_WAYS);
    t->x = normal(trees * nodes * options.inputs, 1);
    t->cost = normal(trees, 2);
    *network = (bench_network){t->params, t, record, finish};
    return tpgnn_paper_add(&t->paper, t->params, &options, why);
}
