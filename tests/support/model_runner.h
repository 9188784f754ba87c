/* SPDX-License-Identifier: MIT */
/* TGraph in float (ag__model) and in double (ag64__model), with an interface of plain doubles; both
   are tests/both/model_runner.c. */
#ifndef AG_TESTS_MODEL_RUNNER_H
#define AG_TESTS_MODEL_RUNNER_H

#include "examples/tgraph/model/model.h"

enum { MODEL_CONFIGS = 64, MODEL_WHY = 480 };

/* A program, as in tgraph_graph; it outlives its models. */
typedef struct model_graph {
    int nodes, edges, configurable;
    double *feature; /* [nodes,134] */
    int32_t *layout, *opcode, *edge, *config_node;
} model_graph;

/* Configurations of one step, at most MODEL_CONFIGS. */
typedef struct model_data {
    int configs;
    int32_t *digit;  /* [configurable, configs, 18] */
    int32_t *rank;   /* [configs] */
    nests_rows rows; /* with standardised columns; rows 0: none */
    int32_t *place;  /* [rows.first[configs]] node x configs + configuration */
} model_data;

/* A model with its program and its tape. */
typedef struct model model;

/* Functions with `why` leave it "" when all went well, else a sentence. */
typedef struct model_api {
    const char *name;
    model *(*create)(const tgraph_options *options, const model_graph *graph, uint64_t seed,
                     char why[MODEL_WHY]); /* NULL: failed */
    void (*destroy)(model *m);

    int (*params)(const void *net);
    const char *(*param)(const void *net, int index, int64_t *count); /* its name */
    void (*set)(void *net, int index, const double *value);
    void (*value)(const void *net, int index, double *out);
    void (*gradient)(const void *net, int index, double *out);

    /* Without dropout, as prediction does. */
    void (*scores)(model *m, const model_data *d, double *score, char why[MODEL_WHY]);
    /* Mean pairwise hinge with margin 1, scores (NULL: not wanted) and gradients; `step` numbers
       the dropout masks of seed 1. */
    double (*loss)(model *m, const model_data *d, int64_t step, double *score, char why[MODEL_WHY]);
    /* Clips, then AdamW; `norm` is that before. */
    void (*update)(model *m, double lr, double decay, double clip, double *norm,
                   char why[MODEL_WHY]);
    /* ag_gradcheck of a smooth loss of size 100; leaves its gradients, and the scores in `score`.
     */
    double (*gradcheck)(model *m, const model_data *d, double *score, char where[200]);
    ag_plan_summary (*plan)(model *m, const model_data *d, int training, char why[MODEL_WHY]);
} model_api;

extern const model_api ag__model, ag64__model;

#endif
