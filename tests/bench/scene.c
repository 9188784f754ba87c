/* SPDX-License-Identifier: MIT */
/* The inputs of the single ops. */
#include "ops.h"

#include <stdio.h>
#include <stdlib.h>

ag_shape bench_scene_shape(const bench_scene *s, ag_shape shape)
{
    const int known[] = {s->nodes,        s->configs,   s->bags,
                         s->kernel_nodes, s->few_nodes, s->tree_nodes};
    for (int i = 0; i < shape.rank; i++)
        if (shape.size[i] < 0) shape.size[i] = known[-1 - shape.size[i]];
    for (int i = shape.rank; i < AG_MAX_AXES; i++) shape.size[i] = 1;
    return shape;
}

ag_params *bench_scene_params(const bench_scene *s, const bench_op *op)
{
    char name[8] = "xa";
    ag_params *params = ag_params_new();
    for (int i = 0; params && i < BENCH_INPUTS && op->param[i].rank; i++) {
        name[1] = (char)('a' + i);
        ag_params_add(params, name, bench_scene_shape(s, op->param[i]), ag_init_uniform(0.1, 1), 0);
    }
    if (!params || ag_params_build(params, 5)) {
        fprintf(stderr, "bench: %s: %s\n", op->name, params ? params->failure.sentence : "memory");
        ag_params_free(params);
        return NULL;
    }
    return params;
}

ag_graph *bench_graph(int nodes, int edges, int graphs, ag_direction direction)
{
    ag_random random = {7, 0, 0};
    const int m = edges * (nodes - 1);
    int32_t *source = calloc((size_t)m, sizeof *source);
    int32_t *target = calloc((size_t)m, sizeof *target);
    for (int i = 0; source && target && i < m; i++) {
        const int back = 1 + (int)ag_random_below(&random, 8);
        source[i] = 1 + i / edges;
        target[i] = source[i] > back ? source[i] - back : 0;
    }
    const ag_graph **list = calloc((size_t)graphs, sizeof *list);
    ag_graph *one =
        source && target ? ag_graph_build(nodes, source, target, m, direction, NULL) : NULL;
    for (int g = 0; list && g < graphs; g++) list[g] = one;
    ag_graph *all = list && one ? ag_graph_batch(list, graphs, NULL) : NULL;
    ag_graph_free(one);
    free(list);
    free(source);
    free(target);
    return all;
}

int bench_scene_open(bench_scene *s, int nodes, int configs, int kernels)
{
    enum { SMALL = 41, LARGE = 500 };
    ag_random random = {8, 0, 0};
    *s = (bench_scene){.nodes = nodes, .configs = configs};
    s->bags = s->nodes / 3 * s->configs;
    s->kernel_nodes = kernels * SMALL;
    s->few_nodes = (kernels + 3) / 4 * SMALL;
    s->tree_nodes = kernels * LARGE;
    s->digit = calloc((size_t)s->bags * 18, sizeof *s->digit);
    s->rank = calloc(64, sizeof *s->rank);
    s->starts = calloc((size_t)kernels + 1, sizeof *s->starts);
    s->graph = bench_graph(s->nodes, 2, 1, AG_ALONG);
    s->kernels = bench_graph(SMALL, 2, kernels, AG_ALONG);
    s->trees = bench_graph(LARGE, 2, kernels, AG_ALONG);
    if (!s->digit || !s->rank || !s->starts || !s->graph || !s->kernels || !s->trees) return 1;
    for (int i = 0; i < s->bags * 18; i++) s->digit[i] = (int32_t)ag_random_below(&random, 8);
    for (int i = 0; i < 64; i++) s->rank[i] = i;
    for (int i = 0; i <= kernels; i++) s->starts[i] = i * SMALL;
    ag_random_shuffle(&random, s->rank, 64);
    return 0;
}

void bench_scene_close(bench_scene *s)
{
    ag_graph_free(s->graph);
    ag_graph_free(s->kernels);
    ag_graph_free(s->trees);
    free(s->digit);
    free(s->rank);
    free(s->starts);
}

void bench_scene_edges(bench_scene *s, ag_tape *tape)
{
    s->edges = ag_graph_edges(tape, s->graph);
    s->kernel_edges = ag_graph_edges(tape, s->kernels);
    s->tree_edges = ag_graph_edges(tape, s->trees);
}
