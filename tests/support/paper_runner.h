/* SPDX-License-Identifier: MIT */
/* The network of TPGNN in float (ag__paper) and in double (ag64__paper), with an interface of plain
   doubles; both are tests/both/paper_runner.c. */
#ifndef AG_TESTS_PAPER_RUNNER_H
#define AG_TESTS_PAPER_RUNNER_H

#include "examples/tpgnn/model/paper.h"

enum { PAPER_WHY = 480 };

/* A batch and its cost; it outlives its nets. */
typedef struct paper_graphs {
    int graphs, edges;
    const int32_t *starts, *edge; /* [graphs+1]; [edges,2], source and target */
    const double *x, *cost;       /* [nodes,inputs]; [graphs] */
} paper_graphs;

/* A network with its tape and one batch. */
typedef struct paper_net paper_net;

/* Functions with `why` leave it "" when all went well, else a sentence. */
typedef struct paper_api {
    const char *name;
    paper_net *(*create)(const tpgnn_paper_options *options, const paper_graphs *graphs,
                         uint64_t seed, char why[PAPER_WHY]); /* NULL: failed */
    void (*destroy)(paper_net *net);
    void (*threads)(int n);

    int (*params)(const void *net);
    const char *(*param)(const void *net, int index, int64_t *count); /* its name */
    void (*set)(void *net, int index, const double *value);
    void (*gradient)(const void *net, int index, double *out);

    /* As prediction does; the mean Huber loss in training, with its gradients and, unless that is
       NULL, the scores; `step` numbers the dropout. */
    void (*scores)(paper_net *net, double *score, char why[PAPER_WHY]);
    double (*loss)(paper_net *net, int64_t step, double *score, char why[PAPER_WHY]);
} paper_api;

extern const paper_api ag__paper, ag64__paper;

#endif
