/* SPDX-License-Identifier: MIT */
#ifndef AG_GNN_EDGES_H
#define AG_GNN_EDGES_H

#include "autograd/op.h"
#include "gnn/gnn.h"

/* Shape rules of the arrays of a graph after the first `at` inputs: rows [n,2], sources [p],
   rows_t [n,2], targets [p,2]; the second also wants as many nodes as input 0 has. 0, or the call
   is rejected. */
int ag__check_graph(ag_call *call, int at);
int ag__check_edges(ag_call *call, int at);

/* 1: a composition has its weights; else the tape of x, or of the edges, has failed. */
int ag__has_weights(const void *weights, const ag_tensor *x, ag_edges edges, const char *who);

/* Fails the tape unless the values of a caller's own arrays are a graph; once per tape. Those of
   ag_graph_edges and those that ops make are. */
void ag__check_arrays(ag_edges edges);

#endif
