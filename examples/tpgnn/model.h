/* SPDX-License-Identifier: MIT */
/* A cost model for schedules: from trees to a number each. Two networks: the paper's (paper.h), and
   one that prices what a program stores, statement by statement. */
#ifndef TPGNN_MODEL_H
#define TPGNN_MODEL_H

#include "examples/tpgnn/batch.h"
#include "examples/tpgnn/paper.h"
#include "optim/optim.h"

typedef enum tpgnn_network { TPGNN_STORES, TPGNN_PAPER } tpgnn_network;
typedef enum tpgnn_types { TPGNN_TABLE, TPGNN_WORDS } tpgnn_types;
/* How the statements of a program become one cost: ln of the sum of what each takes, or the mean of
   their numbers. */
typedef enum tpgnn_readout { TPGNN_READ_SUM, TPGNN_READ_MEAN } tpgnn_readout;

enum { TPGNN_VECTOR = 18 }; /* numbers of a type's vector, FastText's or learned */

typedef struct tpgnn_options {
    tpgnn_network network;
    tpgnn_types types; /* words: FastText's vectors, which are not trained further */
    tpgnn_readout readout;
    int members; /* networks side by side, whose costs are averaged (stores) */
    int hidden, layers;
    unsigned edges; /* of tpgnn_edges */
    int compact, nest;
    double dropout;
    tpgnn_paper_options paper;
    int words[TPGNN_FIELDS]; /* of the vocabulary */
} tpgnn_options;

typedef struct tpgnn_layer {
    ag_param *weight, *bias;
} tpgnn_layer;

/* One network that prices statements. */
typedef struct tpgnn_member {
    ag_param *table[TPGNN_FIELDS];           /* [words,hidden] */
    tpgnn_layer input, join, hidden, output; /* join, hidden, output: of a statement */
    ag_sage_concat_weights layer[TPGNN_MOST_LAYERS];
} tpgnn_member;

enum { TPGNN_MOST_MEMBERS = 16 };

typedef struct tpgnn_model {
    tpgnn_options options;
    ag_params *params;
    ag_real *vector;       /* [words of class,18] FastText's, owned; NULL: a table is learned */
    ag_param *class_table; /* [words of class,18] of the paper's network */
    tpgnn_member member[TPGNN_MOST_MEMBERS];
    tpgnn_paper paper;
} tpgnn_model;

/* The sizes of the vocabulary are 1, the smallest. */
tpgnn_options tpgnn_default_options(tpgnn_network network);

/* With TPGNN_WORDS `vector` is there, and 0. Fails: AG_EUSE (sizes out of range), AG_EMEMORY. */
ag_status tpgnn_model_new(tpgnn_model *model, const tpgnn_options *options, uint64_t seed,
                          ag_failure *why);
void tpgnn_model_free(tpgnn_model *model);

/* What a model wants to be in a batch. */
tpgnn_batch_options tpgnn_model_batch(const tpgnn_options *options);

/* How many networks there are, and the costs of one of them, [graphs]: small is fast. */
int tpgnn_members(const tpgnn_model *model);
ag_tensor *tpgnn_forward_member(const tpgnn_model *model, int member, ag_tape *tape,
                                const tpgnn_batch *batch);
/* The mean of their costs. */
ag_tensor *tpgnn_forward(const tpgnn_model *model, ag_tape *tape, const tpgnn_batch *batch);

#endif
