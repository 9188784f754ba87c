/* SPDX-License-Identifier: MIT */
/* TGraph (Khizbullin et al. 2024): ranks the configurations of a tensor program. Defaults follow
   the authors' code; where the paper differs there is an option (docs/tgraph.md). */
#ifndef TGRAPH_MODEL_H
#define TGRAPH_MODEL_H

#include "augur.h"
#include "examples/tgraph/data/data.h"

#include <stdbool.h>

enum {
    TGRAPH_OP_ROWS =
        120, /* rows of the op table; a code without a row uses row 0, the unknown op */
    TGRAPH_OP_WIDTH = 16,   /* channels of an op code */
    TGRAPH_LAYOUT_WIDTH = 4 /* channels of a layout digit */
};

typedef enum tgraph_direction { TGRAPH_CONSUMERS, TGRAPH_OPERANDS, TGRAPH_BOTH } tgraph_direction;

/* The options that define a variant of the model. Defaults are in parentheses. */
typedef struct tgraph_options {
    int hidden;        /* channels */
    bool cross;        /* cross-configuration attention */
    bool cross_input;  /* cross-configuration attention in the two input layers, too (paper: no) */
    bool halve;        /* the copy is concatenated with half of the channels, not with all */
    bool channel;      /* channel attention */
    bool edges;        /* false: every neighbourhood is empty */
    int direction;     /* tgraph_direction: which neighbours a node averages */
    int sum;           /* 1: sum over the neighbours (paper), 0: mean (code) */
    bool l2;           /* convolution divided by its norm (paper) */
    bool message;      /* a feed-forward layer f1 on each neighbour (paper) */
    int outside;       /* 1: x + gelu(h) (paper, eq. 3), 0: gelu(x + h) (code) */
    bool decay_biases; /* weight decay on biases and temperatures, too (code), not only on weights
                          (paper) */
    double dropout;    /* after each graph block (paper: 0) */
    int rows;          /* nests_use: what rows of loop nests add to the nodes (paper: nothing) */
    int members;       /* networks of the rows */
    double skip_graph; /* share of the batches that train only these networks */
    bool timed;        /* the loss compares costs with run times, so they need no learned factor */
} tgraph_options;

/* Channel attention (eq. 5) and cross-configuration attention (eq. 6), with the layer that brings
   [x, attended x] back to the width of x; without parameters where an option leaves it out. */
typedef struct tgraph_attention {
    ag_linear_layer squeeze, excite, join;
    ag_param *temperature;
} tgraph_attention;

typedef struct tgraph_input_layer {
    ag_linear_layer linear;
    tgraph_attention attention;
} tgraph_input_layer;

typedef struct tgraph_block {
    ag_linear_layer message; /* f1 of eq. 2, only with the option */
    ag_sage_layer sage;
    tgraph_attention attention;
} tgraph_block;

typedef struct tgraph_model {
    tgraph_options options;
    ag_params *params;
    ag_param *op_table, *layout_table;
    tgraph_input_layer input[2];
    tgraph_block block[2];
    ag_linear_layer output; /* none where the rows' costs are added up */
    nests_joined joined;
} tgraph_model;

/* Adds the parameters to `params`, which is new and stays the caller's; memory and initial values
   come with ag_params_build. Fails: AG_EUSE (options). */
ag_status tgraph_model_add(tgraph_model *model, ag_params *params, const tgraph_options *options,
                           ag_failure *why);

/* The inputs of the model besides features, made once for each program. */
typedef struct tgraph_program {
    const tgraph_graph *graph;
    ag_graph *edges;
    int32_t *opcode; /* [nodes] rows of the op table */
    int32_t *where;  /* [nodes] row among the configurable nodes, or -1 */
    int32_t *plain;  /* [nodes,18] 0 (not configurable), or -1 (has digits of its own) */
} tgraph_program;

ag_status tgraph_program_new(tgraph_program *program, const tgraph_graph *graph,
                             const tgraph_options *options, ag_failure *why);
void tgraph_program_free(tgraph_program *program);

/* Scores [configs], small is fast; with --rows costs those of each member, as from
   nests_joined_scores. digit: [configurable, configs, 18] rows of the layout table;
   rows: of these configurations, at place node x configs + configuration; only read with --rows. */
ag_tensor *tgraph_forward(const tgraph_model *model, ag_tape *tape, const tgraph_program *program,
                          const int32_t *digit, const nests_joined_batch *rows, int configs);

#endif
