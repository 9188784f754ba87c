/* SPDX-License-Identifier: MIT */
/* The TPU performance model of Kaufman et al., "A Learned Performance Model for Tensor Processing
   Units" (MLSys 2021), section 3: a graph network over the nodes of a kernel, a reduction to one
   vector, a number. docs/tpu.md lists the choices that the paper leaves open. */
#ifndef TPU_MODEL_H
#define TPU_MODEL_H

#include "examples/tpu/model/batch.h"
#include "layers/layers.h"

#include <stdbool.h>

enum { TPU_MOST_LAYERS = 8 };

typedef enum tpu_gnn { TPU_GNN_NONE, TPU_GNN_SAGE, TPU_GNN_GAT } tpu_gnn;
typedef enum tpu_reduction {
    TPU_BEST_REDUCTION, /* the program chooses one of the others: the best of Table 4 */
    TPU_PER_NODE,       /* a number per node, summed */
    TPU_COLUMN,         /* mean and maximum of every column */
    TPU_LSTM,           /* last state, nodes in topological order */
    TPU_TRANSFORMER     /* encoder layers, then the sum over the nodes */
} tpu_reduction;

/* The neighbours that a node aggregates: its operands and its users through layers of their own, or
   through one layer (f2 as printed in the paper), or both as one list of neighbours ("undirected"
   in Table 3). */
typedef enum tpu_direction { TPU_SEPARATE, TPU_SHARED, TPU_UNDIRECTED } tpu_direction;

/* Where features of the whole kernel enter: at every node (option 1 of Figure 3), at the embedding
   of the kernel (option 2), or nowhere. */
typedef enum tpu_place { TPU_AT_NODES, TPU_AT_KERNEL, TPU_NOWHERE } tpu_place;

typedef struct tpu_options {
    tpu_task task;
    int hidden, embedding; /* channels; width of the table of op codes */
    tpu_gnn gnn;
    tpu_reduction reduction;
    tpu_direction direction;
    ag_aggregate aggregate;
    bool l2; /* l2 around each GraphSAGE layer, as printed */
    bool module_l2;
    int module_layers;           /* feed-forward layers before the graph network */
    int gnn_layers, node_layers; /* node_layers: feed-forward layers after it */
    int heads, attention_heads;  /* of GAT, of the Transformer */
    int encoder_layers, feed;    /* feed: width of its feed-forward part, in hidden */
    bool biases;
    tpu_place tile_at, analysis_at; /* analysis: the static performance features */
    double dropout;
    nests_use rows;
    bool absolute; /* scores are ln(ns) */
} tpu_options;

typedef struct tpu_model {
    tpu_options options;
    tpu_batch_options batch; /* of the batches that it reads, as long as it lives */
    ag_params *params;
    double offset;         /* of the scores: mean of ln(ns) in training */
    nests_joined rows;     /* its scale has the offset of the scores of NESTS_COSTS */
    ag_param *op_table;    /* [121, embedding] */
    ag_linear_layer input; /* f1: [hidden, embedding + 140 (+ 4) (+ 24)] */
    ag_linear_layer module[TPU_MOST_LAYERS], node[TPU_MOST_LAYERS];
    ag_sage_concat_weights sage[TPU_MOST_LAYERS];
    ag_gat_layer gat[TPU_MOST_LAYERS];
    ag_recurrent_layer lstm;
    ag_encoder_layer encoder[TPU_MOST_LAYERS];
    ag_linear_layer kernel; /* joins the kernel's embedding with the features that enter there, if
                               any do */
    ag_linear_layer output; /* not with NESTS_COSTS, which needs nothing after the last layer of
                               nodes */
} tpu_model;

/* Adds the parameters to `params`, which is new and stays the caller's; memory and initial values
   come with ag_params_build. Fails: AG_EUSE (sizes out of range, hidden is not a multiple of the
   heads). */
ag_status tpu_model_add(tpu_model *model, ag_params *params, const tpu_options *options,
                        ag_failure *why);
void tpu_model_free(tpu_model *model); /* except the parameters */

/* A score per sample, [samples]: fusion: predicted ln(ns); tile: small is fast. */
ag_tensor *tpu_forward(const tpu_model *model, ag_tape *tape, const tpu_batch *batch);

#endif
