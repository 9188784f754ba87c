/* SPDX-License-Identifier: MIT */
/* The network of TPGNN: graph convolutions, each followed by pooling and a readout; the readouts
   are summed and become a number. Source: models/gcn.py of the authors' repository, which follows
   an example of PyG (proteins_topk_pool). */
#ifndef TPGNN_PAPER_H
#define TPGNN_PAPER_H

#include "layers/layers.h"

#include <stdbool.h>

enum { TPGNN_MOST_LAYERS = 8, TPGNN_PAPER_MLP = 3 };

typedef enum tpgnn_conv { TPGNN_GRAPH_CONV, TPGNN_GCN_CONV } tpgnn_conv;
typedef enum tpgnn_pool { TPGNN_POOL_NONE, TPGNN_POOL_TOPK, TPGNN_POOL_SAG } tpgnn_pool;

typedef struct tpgnn_paper_options {
    int inputs, hidden, layers; /* in the paper 20, 128, 3: 112,641 parameters */
    tpgnn_conv conv;            /* GraphConv, as in the code; the text names GCNConv */
    tpgnn_pool pool;
    double ratio, dropout; /* 0.8, 0.5 */
    bool vector;           /* 1: it ends before the last layer, and returns the vector that this
                              layer would read */
} tpgnn_paper_options;

typedef struct tpgnn_paper {
    tpgnn_paper_options options;
    ag_graph_conv_layer graph[TPGNN_MOST_LAYERS]; /* with GraphConv */
    ag_gcn_layer gcn[TPGNN_MOST_LAYERS];          /* with GCNConv */
    ag_topk_layer topk[TPGNN_MOST_LAYERS];
    ag_graph_conv_layer score[TPGNN_MOST_LAYERS]; /* to one channel, of SAG */
    ag_linear_layer lin[TPGNN_PAPER_MLP];         /* 2 hidden -> hidden -> hidden / 2 -> 1 */
} tpgnn_paper;

/* Adds its parameters, with PyG's names (conv1.lin_rel.weight, pool1.select.weight, lin1.weight)
   and ranges of initial values. PyG's SAGPooling has one parameter more, of which only the sign
   counts (pool1.select.weight); here it is positive. Fails: AG_EUSE (layers or a share out of
   range). */
ag_status tpgnn_paper_add(tpgnn_paper *paper, ag_params *params, const tpgnn_paper_options *options,
                          ag_failure *why);

/* x [nodes,inputs], edges in both directions, with starts as an input -> [graphs]; vector: ->
   [graphs,hidden / 2]. Dropout follows the first of the three layers at the end. */
ag_tensor *tpgnn_paper_forward(const tpgnn_paper *paper, ag_tensor *x, ag_edges edges);

#endif
