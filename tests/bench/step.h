/* SPDX-License-Identifier: MIT */
#ifndef BENCH_STEP_H
#define BENCH_STEP_H

#include "examples/tgraph/model/model.h"

typedef struct bench_step {
    tgraph_graph graph;
    tgraph_program program;
    tgraph_model model;
    ag_tape *tape;
    ag_adamw adamw;
    int configs;
    int32_t *digit, *rank;
    long steps;
} bench_step;

int bench_step_open(bench_step *s, int configs, int nodes,
                    const tgraph_options *options); /* 0: ready */
ag_tensor *bench_step_record(bench_step *s);        /* the loss */
double bench_step_run(bench_step *s);               /* seconds */
void bench_step_close(bench_step *s);

#endif
