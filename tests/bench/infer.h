/* SPDX-License-Identifier: MIT */
/* Scores as the programs' `predict` computes them: their scorers, their sizes of batches, with the
   making of batches, but without the reading of files and the writing of tables. */
#ifndef BENCH_INFER_H
#define BENCH_INFER_H

#include "examples/tgraph/score.h"
#include "examples/tpgnn/score.h"
#include "step.h"

/* The defaults of `predict`. */
enum { BENCH_TGRAPH_CHUNK = 128, BENCH_TPGNN_GRAPHS = 256, BENCH_TPGNN_NODES = 32768 };

/* TGraph: configurations of one graph that are packed in memory, as those of a file. */
typedef struct bench_infer_tgraph {
    bench_step step; /* the graph, the model, the tape */
    tgraph_file file;
    tgraph_entry entry;
    tgraph_scorer scorer;
    double *score; /* [configs] */
    int configs;
} bench_infer_tgraph;

int bench_infer_tgraph_open(bench_infer_tgraph *b, int configs, int nodes); /* 0: ready */
double bench_infer_tgraph_run(void *context);                               /* seconds */
ag_plan_summary bench_infer_tgraph_plan(bench_infer_tgraph *b);             /* of one chunk */
void bench_infer_tgraph_close(bench_infer_tgraph *b);

/* TPGNN: random trees, the paper's network with a learned table of classes. */
typedef struct bench_infer_tpgnn {
    tpgnn_data data;
    tpgnn_model model;
    tpgnn_scorer scorer;
    tpgnn_batch batch; /* for the plan */
    ag_tape *tape;
    double *score; /* [trees] */
} bench_infer_tpgnn;

int bench_infer_tpgnn_open(bench_infer_tpgnn *b, int trees, int nodes, int hidden);
double bench_infer_tpgnn_run(void *context);
ag_plan_summary bench_infer_tpgnn_plan(bench_infer_tpgnn *b);
void bench_infer_tpgnn_close(bench_infer_tpgnn *b);

#endif
