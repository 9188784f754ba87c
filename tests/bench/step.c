/* SPDX-License-Identifier: MIT */
/* A training step of TGraph on a synthetic program: forward, backward, clip, AdamW. */
#include "step.h"

#include "device.h"
#include "probe.h"

#include <stdlib.h>
#include <string.h>

/* Edges (u, v), u > v, close to each other, two per node, as in TpuGraphs files; every third node
 * is configurable. */
static void make_program(bench_step *s, int nodes, ag_random *random)
{
    tgraph_graph *g = &s->graph;
    g->nodes = nodes;
    g->configurable = nodes / 3;
    g->edges = 0;
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
    for (int u = 1; u < nodes; u++)
        for (int k = 0; k < 2; k++) {
            const int back = 1 + (int)ag_random_below(random, 8);
            g->edge[2 * g->edges] = u;
            g->edge[2 * g->edges++ + 1] = u > back ? u - back : 0;
        }
}

int bench_step_open(bench_step *s, int configs, int nodes, const tgraph_options *options)
{
    ag_failure why = {0};
    ag_random random = {7, 0, 0};
    memset(s, 0, sizeof *s);
    s->configs = configs;
    make_program(s, nodes, &random);
    const int digits = s->graph.configurable * configs * TGRAPH_DIGITS;
    s->digit = malloc((size_t)digits * sizeof *s->digit);
    s->rank = malloc((size_t)configs * sizeof *s->rank);
    for (int i = 0; i < digits; i++) s->digit[i] = 1 + (int32_t)ag_random_below(&random, 7);
    for (int i = 0; i < configs; i++) s->rank[i] = i;
    ag_random_shuffle(&random, s->rank, configs);
    s->tape = bench_tape();
    s->adamw = (ag_adamw){0.9, 0.999, 1e-8, 1e-5};
    if (!s->tape || tgraph_model_add(&s->model, ag_params_new(), options, &why) ||
        ag_params_build(s->model.params, 1) ||
        tgraph_program_new(&s->program, &s->graph, options, &why) ||
        ag_params_to(s->model.params, bench_device, &why)) {
        fprintf(stderr, "bench: %s\n", why.sentence);
        return 1;
    }
    return 0;
}

ag_tensor *bench_step_record(bench_step *s)
{
    ag_tape_reset(s->tape);
    ag_tape_seed(s->tape, 1, (uint64_t)s->steps);
    ag_tensor *score = tgraph_forward(&s->model, s->tape, &s->program, s->digit, s->configs);
    ag_tensor *rank = ag_input_i32(s->tape, s->rank, AG_SHAPE(s->configs));
    return ag_pairwise_hinge(score, rank, 1, AG_MEAN);
}

double bench_step_run(bench_step *s)
{
    ag_failure why = {0};
    const double start = bench_now();
    ag_tensor *loss = bench_step_record(s);
    ag_backward(loss);
    if (ag_failed(s->tape) || ag_clip_norm(s->model.params, 1, NULL, &why) ||
        ag_adamw_step(s->model.params, &s->adamw, 1e-3, &why)) {
        fprintf(stderr, "bench: %s%s\n", ag_error(s->tape), why.sentence);
        exit(1);
    }
    bench_device_wait();
    s->steps++;
    return bench_now() - start;
}

void bench_step_close(bench_step *s)
{
    tgraph_model_free(&s->model);
    tgraph_program_free(&s->program);
    ag_tape_free(s->tape);
    free(s->graph.feature);
    free(s->graph.layout);
    free(s->graph.opcode);
    free(s->graph.edge);
    free(s->graph.config_node);
    free(s->digit);
    free(s->rank);
}
