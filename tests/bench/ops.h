/* SPDX-License-Identifier: MIT */
#ifndef BENCH_OPS_H
#define BENCH_OPS_H

#include "augur.h"

enum { BENCH_INPUTS = 7 }; /* at most */

/* The inputs of the ops of the table: a graph with two edges per node, 32 configurations, digits
   and ranks; a batch of small graphs, of which a few are few_nodes; and a batch of larger ones,
   trees. */
typedef struct bench_scene {
    int nodes, configs, bags, kernel_nodes, few_nodes, tree_nodes;
    ag_graph *graph, *kernels, *trees;
    int32_t *digit, *rank, *starts;           /* starts: of the small graphs */
    ag_params *params;                        /* of the row */
    ag_edges edges, kernel_edges, tree_edges; /* of the tape */
} bench_scene;

typedef struct bench_op {
    const char *name;
    ag_shape shape;               /* the shape that is printed and counted */
    ag_shape param[BENCH_INPUTS]; /* inputs; rank 0 ends them */
    ag_tensor *(*record)(const bench_scene *scene, ag_tensor *const *x);
    double flops[2], tensors[2]; /* per element of `shape`: operations, elements moved */
} bench_op;

/* `graphs` equal graphs in a batch: so many edges per node, from the node to some of the eight
   before it. NULL: no memory. */
ag_graph *bench_graph(int nodes, int edges, int graphs, ag_direction direction);

/* 1: no memory. `kernels` of 41 nodes and as many trees of 500. */
int bench_scene_open(bench_scene *s, int nodes, int configs, int kernels);
void bench_scene_close(bench_scene *s);
/* With the scene's sizes, of which -1, -2... are those above in their order. */
ag_shape bench_scene_shape(const bench_scene *s, ag_shape shape);
ag_params *bench_scene_params(const bench_scene *s,
                              const bench_op *op);     /* NULL: the error has been printed */
void bench_scene_edges(bench_scene *s, ag_tape *tape); /* of this recording */

extern const bench_op bench_op_table[];
extern const int bench_ops_in_table;

#endif
