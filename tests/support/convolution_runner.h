/* SPDX-License-Identifier: MIT */
/* One convolution, pooling or a net of them in float (ag__) and in double (ag64__), with an
   interface of plain doubles; both are tests/both/convolution_runner.c. */
#ifndef AG_TESTS_CONVOLUTION_RUNNER_H
#define AG_TESTS_CONVOLUTION_RUNNER_H

#include "core/core.h"

enum { CONV_PARTS = 11, CONV_WHY = 480 };

/* Part 0 is x, the others are the parameters: of GraphSAGE the fields of ag_sage_concat_weights; of
   attention w, from, to, bias; of GraphConv neighbour, bias, root; of GCN w, bias; of TopK p. The
   two SAG poolings have those of GraphConv or GCN to one channel; a net twice those of GraphConv,
   GCN or attention (2 heads), each followed by a p. The last five have the fields of their structs,
   PNA none, and then one row for each of the edges, as they are numbered here. */
typedef enum conv_layer {
    CONV_SAGE,
    CONV_GAT,
    CONV_GRAPH,
    CONV_GCN,
    CONV_TOPK,
    CONV_SAG,
    CONV_SAG_GCN,
    CONV_NET,
    CONV_NET_GCN,
    CONV_NET_GAT,
    CONV_GAT_EDGES,
    CONV_GAT2,
    CONV_GRAPH_WEIGHTED,
    CONV_GCN_WEIGHTED,
    CONV_PNA
} conv_layer;

/* A part that is NULL is absent. The loss is <y, cotangent>. */
typedef struct conv_problem {
    conv_layer layer;
    int heads, mean;                     /* graph attention */
    int kind, l2, directed, shared, cap; /* GraphSAGE; cap 0: none */
    int loops;                           /* 1: every node also receives its own message */
    double ratio;                        /* of poolings; of PNA the mean of ln(degree + 1) */
    int graphs, edges;
    const int32_t *starts, *edge; /* [graphs+1]; [edges,2] */
    ag_shape shape[CONV_PARTS];
    const double *part[CONV_PARTS], *cotangent;
    ag_shape of_y;
    int32_t *perm, *left, *left_n; /* of a pooling, may be NULL: nodes and [left_n,2] messages that
                                      stay, those in order of receivers */
} conv_problem;

/* Values and gradients of the parts that are there; 0, or 1 with a sentence. */
int ag__convolve(double *y, double *const *gradient, const conv_problem *p, char why[CONV_WHY]);
int ag64__convolve(double *y, double *const *gradient, const conv_problem *p, char why[CONV_WHY]);

/* The largest error of ag_gradcheck over all parts. */
double ag__convolve_gradcheck(const conv_problem *p, char where[200]);
double ag64__convolve_gradcheck(const conv_problem *p, char where[200]);

#endif
