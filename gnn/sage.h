/* SPDX-License-Identifier: MIT */
#ifndef AG_GNN_SAGE_H
#define AG_GNN_SAGE_H

#include "gnn/gnn.h"

/* z [n, ..., 2o]: aggregate of the left halves over the messages, plus the node's own right half,
 * plus b [o]. */
ag_tensor *ag__sage_sum(ag_tensor *z, ag_tensor *b, ag_edges edges, ag_aggregate kind);

/* y_v = w (sum of x_u over u -> v) + root x_v + b. x [n,in]. */
ag_tensor *ag__graph_conv(ag_tensor *x, ag_tensor *w, ag_tensor *root, ag_tensor *b,
                          ag_edges edges);

#endif
