/* SPDX-License-Identifier: MIT */
/* The network of TPGNN: graph convolutions, each followed by pooling and a readout; the readouts
   are summed and become a number. Source: models/gcn.py of the authors' repository, which follows
   an example of PyG (proteins_topk_pool). */
#ifndef TPGNN_PAPER_H
#define TPGNN_PAPER_H

#include "gnn/gnn.h"

enum { TPGNN_MOST_LAYERS = 8 };

typedef enum tpgnn_conv { TPGNN_GRAPH_CONV, TPGNN_GCN_CONV } tpgnn_conv;
typedef enum tpgnn_pool { TPGNN_POOL_NONE, TPGNN_POOL_TOPK, TPGNN_POOL_SAG } tpgnn_pool;

typedef struct tpgnn_paper_options {
    int inputs, hidden, layers; /* 20, 128, 3 */
    tpgnn_conv conv;            /* GraphConv, as in the code; the text names GCNConv */
    tpgnn_pool pool;
    double ratio, dropout; /* 0.8, 0.5 */
} tpgnn_paper_options;

typedef struct tpgnn_paper {
    tpgnn_paper_options options;
    ag_sage_weights graph[TPGNN_MOST_LAYERS]; /* GraphConv, or SAG pooling's in `score` */
    ag_gcn_weights gcn[TPGNN_MOST_LAYERS];
    ag_param *select[TPGNN_MOST_LAYERS];      /* [1,hidden] of TopK */
    ag_sage_weights score[TPGNN_MOST_LAYERS]; /* of SAG */
    ag_param *weight[3], *bias[3];            /* 2 hidden -> hidden -> hidden / 2 -> 1 */
} tpgnn_paper;

/* The paper's sizes: 112,641 parameters. */
tpgnn_paper_options tpgnn_paper_defaults(void);

/* Adds its parameters, with PyG's names and initial ranges. Fails: AG_EUSE (a size or a share out
   of range), AG_EMEMORY. */
ag_status tpgnn_paper_new(tpgnn_paper *paper, ag_params *params, const tpgnn_paper_options *options,
                          uint64_t seed, ag_failure *why);

/* x [nodes,inputs], edges in both directions, starts [graphs + 1] int32, an input -> [graphs]. */
ag_tensor *tpgnn_paper_forward(const tpgnn_paper *paper, ag_tensor *x, ag_edges edges,
                               ag_tensor *starts);

#endif
