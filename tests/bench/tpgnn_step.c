/* SPDX-License-Identifier: MIT */
#include "tpgnn_step.h"

#include "ops/ops.h"
#include "device.h"
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>

/* A random tree in pre-order: the parent of a node is the one before it or an ancestor of that. */
static ag_graph *make_tree(int nodes, ag_random *r, ag_failure *why)
{
    int32_t *parent = malloc((size_t)nodes * sizeof *parent);
    int32_t *child = malloc((size_t)nodes * sizeof *child);
    parent[0] = 0;
    for (int v = 1; v < nodes; v++) {
        int u = v - 1;
        while (u && ag_random_below(r, 2)) u = parent[u];
        parent[v] = u;
        child[v - 1] = v;
    }
    ag_graph *g = ag_graph_build(nodes, parent + 1, child, nodes - 1, AG_BOTH_WAYS, why);
    free(parent);
    free(child);
    return g;
}

static ag_graph *make_batch(int graphs, int nodes, ag_failure *why)
{
    ag_random r = {7, 0, 0};
    ag_graph **one = calloc((size_t)graphs, sizeof *one);
    for (int g = 0; g < graphs; g++) one[g] = make_tree(nodes, &r, why);
    ag_graph *all = ag_graph_batch((const ag_graph *const *)one, graphs, why);
    for (int g = 0; g < graphs; g++) ag_graph_free(one[g]);
    free(one);
    return all;
}

static ag_real *normal(int n, uint64_t stream)
{
    ag_random r = {7, stream, 0};
    ag_real *x = malloc((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) x[i] = (ag_real)ag_random_normal(&r);
    return x;
}

int bench_tpgnn_open(bench_tpgnn *b, int graphs, int nodes, int hidden)
{
    ag_failure why = {0};
    tpgnn_paper_options options = tpgnn_paper_defaults();
    options.hidden = hidden;
    *b = (bench_tpgnn){.graphs = graphs, .nodes = nodes};
    b->tape = bench_tape();
    b->params = ag_params_new();
    b->graph = make_batch(graphs, nodes, &why);
    b->x = normal(graphs * nodes * options.inputs, 1);
    b->cost = normal(graphs, 2);
    if (b->tape && b->graph && !tpgnn_paper_add(&b->paper, b->params, &options, &why) &&
        !ag_params_build(b->params, 1) && !ag_params_to(b->params, bench_device, &why))
        return 0;
    fprintf(stderr, "bench: %s\n", why.sentence);
    return 1;
}

ag_tensor *bench_tpgnn_record(bench_tpgnn *b)
{
    const ag_shape shape = AG_SHAPE(b->graphs * b->nodes, b->paper.options.inputs);
    ag_tape_reset(b->tape);
    ag_tape_seed(b->tape, 1, (uint64_t)b->steps);
    ag_tensor *score = tpgnn_paper_forward(&b->paper, ag_input(b->tape, b->x, shape),
                                           ag_graph_edges(b->tape, b->graph));
    return ag_mean_all(ag_huber(score, ag_input(b->tape, b->cost, AG_SHAPE(b->graphs)), 1));
}

double bench_tpgnn_run(bench_tpgnn *b)
{
    ag_failure why = {0};
    const ag_adam adam = ag_adam_default();
    const double start = bench_now();
    ag_backward(bench_tpgnn_record(b));
    if (ag_failed(b->tape) || ag_adam_step(b->params, &adam, 1e-4, &why)) {
        fprintf(stderr, "bench: %s%s\n", ag_error(b->tape), why.sentence);
        exit(1);
    }
    bench_device_wait();
    b->steps++;
    return bench_now() - start;
}

/* Two products of every layer forward, and for each two backward; x of the first needs no gradient.
   The products after the readouts are a hundredth. */
double bench_tpgnn_flops(const bench_tpgnn *b)
{
    const tpgnn_paper_options *o = &b->paper.options;
    double nodes = (double)b->graphs * b->nodes, sum = 0;
    for (int k = 0; k < o->layers; k++, nodes *= o->ratio)
        sum += nodes * 2 * o->hidden * (k ? 3 * o->hidden : 2 * o->inputs);
    return 2 * sum;
}

void bench_tpgnn_close(bench_tpgnn *b)
{
    ag_tape_free(b->tape);
    ag_params_free(b->params);
    ag_graph_free(b->graph);
    free(b->x);
    free(b->cost);
}
