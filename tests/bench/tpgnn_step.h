/* SPDX-License-Identifier: MIT */
/* A training step of TPGNN's network on random trees: forward, backward, Adam. */
#ifndef BENCH_TPGNN_STEP_H
#define BENCH_TPGNN_STEP_H

#include "examples/tpgnn/model/paper.h"

enum { BENCH_TREE_NODES = 500 };

typedef struct bench_tpgnn {
    tpgnn_paper paper;
    ag_params *params;
    ag_tape *tape;
    ag_graph *graph; /* the batch */
    ag_real *x, *cost;
    int graphs, nodes; /* nodes of each graph */
    long steps;
} bench_tpgnn;

int bench_tpgnn_open(bench_tpgnn *b, int graphs, int nodes, int hidden); /* 0: ready */
ag_tensor *bench_tpgnn_record(bench_tpgnn *b);                           /* the loss */
double bench_tpgnn_run(bench_tpgnn *b);                                  /* seconds */
double bench_tpgnn_flops(const bench_tpgnn *b);                          /* of the products */
void bench_tpgnn_close(bench_tpgnn *b);

#endif
