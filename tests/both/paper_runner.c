/* SPDX-License-Identifier: MIT */
/* The network of TPGNN on a batch, in the build's precision. */
#include "support/paper_runner.h"
#include "net.h"

#include "ops/ops.h"

#include <stdlib.h>
#include <string.h>

struct paper_net {
    ag_params *params; /* net.h */
    tpgnn_paper paper;
    ag_tape *tape;
    ag_graph *graph;
    ag_real *x, *cost;
    const int32_t *starts; /* the caller's */
    int nodes, graphs;
};

/* ---- life ---- */

static void destroy(paper_net *net)
{
    ag_tape_free(net->tape);
    ag_params_free(net->params);
    ag_graph_free(net->graph);
    free(net->x);
    free(net->cost);
    free(net);
}

static ag_graph *graph_of(const paper_graphs *g, ag_failure *why)
{
    const int nodes = g->starts[g->graphs];
    int32_t *source = malloc((size_t)(g->edges + 1) * sizeof *source);
    int32_t *target = malloc((size_t)(g->edges + 1) * sizeof *target);
    for (int e = 0; e < g->edges; e++) source[e] = g->edge[2 * e], target[e] = g->edge[2 * e + 1];
    ag_graph *graph = ag_graph_build(nodes, source, target, g->edges, AG_ALONG, why);
    free(source);
    free(target);
    return graph;
}

static ag_real *reals(const double *from, int n)
{
    ag_real *to = malloc((size_t)(n + 1) * sizeof *to);
    for (int i = 0; i < n; i++) to[i] = (ag_real)from[i];
    return to;
}

static paper_net *create(const tpgnn_paper_options *options, const paper_graphs *graphs,
                         uint64_t seed, char why[PAPER_WHY])
{
    ag_failure failure = {0};
    paper_net *net = calloc(1, sizeof *net);
    net->graphs = graphs->graphs;
    net->starts = graphs->starts;
    net->nodes = graphs->starts[graphs->graphs];
    net->tape = ag_tape_new(AG_CPU);
    net->params = ag_params_new();
    net->x = reals(graphs->x, net->nodes * options->inputs);
    net->cost = reals(graphs->cost, net->graphs);
    net->graph = graph_of(graphs, &failure);
    tpgnn_paper_add(&net->paper, net->params, options, &failure);
    ag_params_build(net->params, seed);
    strcpy(why, failure.sentence);
    if (!failure.status) return net;
    destroy(net);
    return NULL;
}

/* ---- runs ---- */

static ag_tensor *forward(paper_net *net, ag_tape *tape)
{
    ag_edges edges = ag_graph_edges(tape, net->graph); /* as one graph, which is cut here */
    edges.starts = ag_input_i32(tape, net->starts, AG_SHAPE(net->graphs + 1));
    const ag_shape shape = AG_SHAPE(net->nodes, net->paper.options.inputs);
    return tpgnn_paper_forward(&net->paper, ag_input(tape, net->x, shape), edges);
}

static ag_tensor *huber(paper_net *net, ag_tensor *score)
{
    ag_tape *tape = ag_tape_of(score);
    return ag_mean_all(ag_huber(score, ag_input(tape, net->cost, AG_SHAPE(net->graphs)), 1));
}

static void scores(paper_net *net, double *score, char why[PAPER_WHY])
{
    ag_tape_reset(net->tape);
    ag_tape_training(net->tape, 0);
    ag_tensor *y = forward(net, net->tape);
    ag_forward(y);
    strcpy(why, ag_error(net->tape));
    if (!*why) net_read_tensor(score, y);
}

static double loss(paper_net *net, int64_t step, double *score, char why[PAPER_WHY])
{
    ag_params_reset(net->params);
    ag_tape_reset(net->tape);
    ag_tape_training(net->tape, 1);
    ag_tape_seed(net->tape, 1, (uint64_t)step);
    ag_tensor *y = forward(net, net->tape), *sum = huber(net, y);
    if (score) ag_keep(y);
    ag_backward(sum);
    strcpy(why, ag_error(net->tape));
    if (!*why && score) net_read_tensor(score, y);
    return (double)ag_item(sum);
}

const paper_api ag__paper = {
    .name = NET_PRECISION,
    .create = create,
    .destroy = destroy,
    .threads = ag_set_threads,
    .params = net_params,
    .param = net_param,
    .set = net_set,
    .gradient = net_gradient,
    .scores = scores,
    .loss = loss,
};
