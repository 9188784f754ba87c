/* SPDX-License-Identifier: MIT */
#ifndef AG_GNN_GRAPH_H
#define AG_GNN_GRAPH_H

#include "gnn/gnn.h"

/* An empty graph of checked sizes: one block holds it and all of its arrays. NULL: AG_EMEMORY. */
ag_graph *ag__graph_new(int nodes, int64_t messages, int graphs, int edges, ag_failure *why);

#endif
