/* SPDX-License-Identifier: MIT */
/* A cost model for schedules, which gives each tree a number. There are two networks: the paper's
   (paper.h), and one that gives every statement that stores a cost of its own. */
#ifndef TPGNN_MODEL_H
#define TPGNN_MODEL_H

#include "examples/tpgnn/model/batch.h"
#include "examples/tpgnn/model/paper.h"

#include <stdbool.h>

typedef enum tpgnn_network { TPGNN_STATEMENTS, TPGNN_PAPER } tpgnn_network;
typedef enum tpgnn_types { TPGNN_TABLE, TPGNN_WORDS } tpgnn_types;
/* The cost of a program: ln of the sum of its statements' times, or the mean of their numbers. */
typedef enum tpgnn_readout { TPGNN_READ_SUM, TPGNN_READ_MEAN } tpgnn_readout;

typedef struct tpgnn_options {
    tpgnn_network network;
    tpgnn_types types; /* words: vectors of a file, which are not trained further */
    tpgnn_readout readout;
    nests_use rows; /* of the statements that store */
    int bins;       /* of each of their columns */
    int members;    /* networks of the rows */
    int hidden, layers;
    unsigned edges; /* as in a batch */
    bool compact, nest, log_features;
    double dropout;
    tpgnn_paper_options paper; /* conv, pool and ratio; the rest is set from the above */
    int words[TPGNN_FIELDS];   /* of the vocabulary */
} tpgnn_options;

/* The network that prices statements. */
typedef struct tpgnn_statements {
    ag_param *table[TPGNN_FIELDS];               /* [words,hidden] */
    ag_linear_layer input, join, hidden, output; /* join to output: of a statement */
    ag_sage_concat_weights layer[TPGNN_MOST_LAYERS];
} tpgnn_statements;

typedef struct tpgnn_model {
    tpgnn_options options;
    ag_params *params;
    ag_real *vector;       /* [words of class,18] of a file, owned; NULL: a table is learned */
    ag_param *class_table; /* [words of class,18] of the paper's network */
    tpgnn_statements statements;
    tpgnn_paper paper;
    nests_joined joined;
} tpgnn_model;

/* Adds the parameters to `params`, which is new and stays the caller's; memory and initial values
   come with ag_params_build. With TPGNN_WORDS `vector` is there, with zeros; the caller sets the
   scale of the rows. Fails: AG_EUSE (sizes out of range). */
ag_status tpgnn_model_add(tpgnn_model *model, ag_params *params, const tpgnn_options *options,
                          ag_failure *why);
void tpgnn_model_free(tpgnn_model *model); /* except the parameters */

/* The options of the batches that a model reads; they point to the model. */
tpgnn_batch_options tpgnn_model_batch(const tpgnn_model *model);

/* The costs of the schedules, [graphs]: small is fast; with --rows costs those of each member, as
   from nests_joined_scores. */
ag_tensor *tpgnn_forward(const tpgnn_model *model, ag_tape *tape, const tpgnn_batch *batch);

#endif
