/* SPDX-License-Identifier: MIT */
/* Checks of graphs and of their arrays on the tape, and steps that convolutions share. */
#ifndef AG_GNN_EDGES_H
#define AG_GNN_EDGES_H

#include "autograd/op.h"
#include "gnn/gnn.h"

/* Shape rules of the arrays of a graph after the first `at` inputs: rows [n,2], sources [p],
   rows_t [n,2], targets [p,2]; the second also requires as many nodes as input 0 has. They return
   0, or reject the call. */
int ag__check_graph(ag_call *call, int at);
int ag__check_edges(ag_call *call, int at);

/* The same for y like x, which has a row for each message; the graph is after it. */
int ag__check_messages(ag_call *call);

#define AG__AGGREGATES "AG_AGGREGATE_SUM, _MEAN, _MAX, _MIN or _STD"

/* 1: the caller gave weights; otherwise the tape of x (if x is NULL, of the edges) fails. */
int ag__has_weights(const void *weights, const ag_tensor *x, ag_edges edges, const char *who);

/* Fails the tape unless x, which may be NULL, has so many axes; `name` and `wanted` are for the
   sentence: "ag_gat: x", "nodes, features". */
void ag__check_axes(const ag_tensor *x, int axes, const char *name, const char *wanted);

/* Fails the tape unless a caller's own arrays form a graph, which is checked once per tape. Arrays
   that ag_graph_edges or an op made need no check. */
void ag__check_arrays(ag_edges edges);

/* ag__record of an op with the inputs x[0..n-1], then the first four arrays, which it checks. */
ag_tensor *ag__record_messages(const ag_op *op, ag_tensor *const *x, int n, ag_edges edges,
                               const ag_attr *attr);

/* x of the senders in the order of the messages, [p, ...]; fails unless x has a row for each node.
 */
ag_tensor *ag__message_sent(ag_tensor *x, ag_edges edges);

/* x [p, ...] with 0 for the messages from a node to itself. */
ag_tensor *ag__message_others(ag_tensor *x, ag_edges edges);

/* ---- parts of layers ---- */

/* z [n, ..., 2o]: aggregate of the left halves over the messages, plus the node's own right half,
 * plus b [o]. */
ag_tensor *ag__sage_sum(ag_tensor *z, ag_tensor *b, ag_edges edges, ag_aggregate kind);

/* y_v = w (sum of x_u over u -> v) + root x_v + b. x [n,in]. */
ag_tensor *ag__graph_conv(ag_tensor *x, ag_tensor *w, ag_tensor *root, ag_tensor *b,
                          ag_edges edges);

/* A parameter on the tape; NULL: there is none. */
ag_tensor *ag__optional(ag_tape *tape, ag_param *p);

/* x w' + b, where b may be NULL. */
ag_tensor *ag__linear(ag_tensor *x, ag_param *w, ag_param *b);

#endif
