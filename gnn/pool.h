/* SPDX-License-Identifier: MIT */
/* The parts that the poolings share. */
#ifndef AG_GNN_POOL_H
#define AG_GNN_POOL_H

#include "autograd/op.h"
#include "gnn/gnn.h"

/* The rules that all poolings share. The inputs of `op` are x, `by` (from which it computes the
   scores), the starts, and the starts of the nodes that stay. */
ag_pooled ag__pool(const ag_op *op, ag_tensor *x, ag_tensor *by, ag_edges edges, ag_real ratio);

/* Shapes of y, score, perm and place; the caller has checked x and the operand of the scores. */
int ag__pool_shape(ag_call *call);

/* The graph of the nodes that stay: perm [k] has their old numbers, place [n] the new ones or -1.
 */
ag_edges ag__topk_edges(ag_edges edges, ag_tensor *perm, ag_tensor *place, ag_tensor *starts);

#endif
