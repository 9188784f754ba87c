/* SPDX-License-Identifier: MIT */
/* Allocates a graph. */
#ifndef AG_GNN_GRAPH_H
#define AG_GNN_GRAPH_H

#include "gnn/gnn.h"

/* A graph of these sizes, which the caller has checked; one block holds it and its arrays, which
   are still to be filled. NULL: AG_EMEMORY. */
ag_graph *ag__graph_new(int nodes, int64_t messages, int graphs, int edges, ag_failure *why);

#endif
