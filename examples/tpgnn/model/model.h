/* SPDX-License-Identifier: MIT */
/* A cost model for schedules, which gives each tree a number. There are two networks: the paper's
   (paper.h), and one that prices the stores of a program, statement by statement. */
#ifndef TPGNN_MODEL_H
#define TPGNN_MODEL_H

#include "examples/tpgnn/model/batch.h"
#include "examples/tpgnn/model/paper.h"
#include "optim/optim.h"

#include <stdbool.h>

typedef enum tpgnn_network { TPGNN_STORES, TPGNN_PAPER } tpgnn_network;
typedef enum tpgnn_types { TPGNN_TABLE, TPGNN_WORDS } tpgnn_types;
/* The reduction of a program's statements to one cost: ln of the sum of their times, or the mean of
   their numbers. */
typedef enum tpgnn_readout { TPGNN_READ_SUM, TPGNN_READ_MEAN } tpgnn_readout;

enum { TPGNN_VECTOR = 18 }; /* numbers of a type's vector, FastText's or learned */

typedef struct tpgnn_options {
    tpgnn_network network;
    tpgnn_types types; /* words: FastText's vectors, which are not trained further */
    tpgnn_readout readout;
    int members; /* number of networks, whose costs are averaged (stores) */
    int hidden, layers;
    unsigned edges; /* of tpgnn_edges */
    bool compact, nest, rows;
    bool standard, graph; /* rows on one scale (nest_scale.h); rows with the nodes around them */
    bool times;           /* trained so that a cost is ln of a time, up to an offset of the task */
    int trees;            /* of nest_rows.h, whose costs are added (stores); 0: none */
    int tree_sets;        /* so many times as many trees, whose mean is taken */
    double trees_weight, tree_columns, dropout;
    tpgnn_paper_options paper;
    int words[TPGNN_FIELDS]; /* of the vocabulary */
} tpgnn_options;

typedef struct tpgnn_layer {
    ag_param *weight, *bias;
} tpgnn_layer;

/* One network that prices statements. */
typedef struct tpgnn_member {
    ag_param *table[TPGNN_FIELDS]; /* [words,hidden] */
    ag_param *factor; /* [1,1] from ln of a time to the cost; with rows, as the layer `row` */
    tpgnn_layer input, row, join, hidden, output; /* row to output: of a statement */
    ag_sage_concat_weights layer[TPGNN_MOST_LAYERS];
} tpgnn_member;

enum { TPGNN_MOST_MEMBERS = 16, TPGNN_MOST_TREES = 10000, TPGNN_MOST_SETS = 16, TPGNN_DEPTH = 6 };

typedef struct tpgnn_model {
    tpgnn_options options;
    ag_params *params;
    ag_real *vector;       /* [words of class,18] FastText's, owned; NULL: a table is learned */
    ag_param *class_table; /* [words of class,18] of the paper's network */
    tpgnn_member member[TPGNN_MOST_MEMBERS];
    tpgnn_paper paper;
    harness_trees trees;   /* fitted before training; zeros add nothing */
    tpgnn_row_scale scale; /* the same; with `standard` */
} tpgnn_model;

/* The defaults of the program's options, or those of its preset "paper". The sizes of the
   vocabulary are 1, the smallest. */
tpgnn_options tpgnn_default_options(tpgnn_network network);

/* Adds the parameters to `params`, which is new and stays the caller's; memory and first values
   come with ag_params_build. With TPGNN_WORDS `vector` is there, and 0. Fails: AG_EUSE (sizes out
   of range), AG_EMEMORY. */
ag_status tpgnn_model_add(tpgnn_model *model, ag_params *params, const tpgnn_options *options,
                          ag_failure *why);
void tpgnn_model_free(tpgnn_model *model);

/* 0: the networks read nothing but rows. */
static inline int tpgnn_reads_graph(const tpgnn_options *o) { return o->graph || !o->rows; }

/* 1: its networks read standardised rows. */
static inline int tpgnn_model_standard(const tpgnn_model *m)
{
    return m->options.network == TPGNN_STORES && m->options.rows && m->options.standard;
}

/* The options of the batches that a model reads. */
tpgnn_batch_options tpgnn_model_batch(const tpgnn_model *model);

/* The tensors that are no parameters, at most TPGNN_STATE: as a checkpoint keeps them. Returns
   their number. The check fails: AG_EDATA. */
enum { TPGNN_STATE = 6 };
int tpgnn_model_state(ag_checkpoint_item *item, const tpgnn_model *model);
ag_status tpgnn_model_check(const tpgnn_model *model, ag_failure *why);

/* Refuses a model of columns that have changed since: `data` is the metadata "data" of its
   checkpoint. Fails: AG_EDATA. */
ag_status tpgnn_model_columns(const tpgnn_options *options, const char *data, ag_failure *why);

/* The number of networks, and the costs of one of them, [graphs]: small is fast. */
int tpgnn_members(const tpgnn_model *model);
ag_tensor *tpgnn_forward_member(const tpgnn_model *model, int member, ag_tape *tape,
                                const tpgnn_batch *batch);
/* The mean of the networks' costs, and what the trees add. */
ag_tensor *tpgnn_forward(const tpgnn_model *model, ag_tape *tape, const tpgnn_batch *batch);

#endif
