/* SPDX-License-Identifier: MIT */
/* gnn: graphs, message passing, convolutions and readouts. Sums run in the order of the edge
   arrays, one lane per (node, feature), without atomics: results are the same bits from run to run
   and for any number of threads. */
#ifndef AG_GNN_H
#define AG_GNN_H

#include "autograd/autograd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- graphs -------------------------------------------------------------------------------------
 */

/* Which way messages flow along an edge (source, target). */
typedef enum ag_direction {
    AG_ALONG,    /* the target receives from the source */
    AG_AGAINST,  /* the source receives from the target */
    AG_BOTH_WAYS /* both: every edge counts twice, m edges give 2 m messages */
} ag_direction;

/* A graph, or a batch of several, in compressed rows both ways. All arrays belong to the graph.
   Messages into node v: rows[2v] = first position, rows[2v+1] = how many; sources[p] is the sender
   at position p. Messages out of node u: rows_t likewise; targets[2q] = receiver, targets[2q+1] =
   position p of that message. edge[p]: the caller's edge behind position p. starts: nodes of graph
   g are starts[g]..starts[g+1]-1. */
typedef struct ag_graph {
    int nodes, messages, graphs;
    int32_t *rows, *sources, *rows_t, *targets, *edge, *starts;
} ag_graph;

/* Builds a graph of `nodes` nodes from m edges; a stable counting sort, so the order of a node's
   messages is that of the edges. Returns NULL with `why` filled: AG_EINDEX names the edge, its
   value and the range; AG_ESHAPE beyond 2^30 nodes or messages; AG_EUSE without arrays or a known
   direction; AG_EMEMORY. */
AG_API ag_graph *ag_graph_build(int nodes, const int32_t *source, const int32_t *target, int m,
                                ag_direction direction, ag_failure *why);

/* One graph of several, nodes and messages behind each other. NULL: AG_EMEMORY, AG_ESHAPE beyond
   2^31, or AG_EUSE when one is NULL. */
AG_API ag_graph *ag_graph_batch(const ag_graph *const *graphs, int n, ag_failure *why);
AG_API void ag_graph_free(ag_graph *graph);

/* Writes the graph for Graphviz; label(context, node, text) may name nodes (NULL: numbers). */
AG_API void ag_graph_dot(const ag_graph *graph,
                         const char *(*label)(void *context, int node, char text[64]),
                         void *context, FILE *file);

/* A graph on a tape: the arrays above as int32 tensors, given as inputs or made by an op.
   rows [n,2], sources [p], rows_t [n,2], targets [p,2], starts [graphs+1]. */
typedef struct ag_edges {
    ag_tensor *rows, *sources, *rows_t, *targets, *starts;
} ag_edges;

/* The arrays of a graph as inputs; borrowed until the run returns. Fails when the graph is NULL. */
AG_API ag_edges ag_graph_edges(ag_tape *tape, const ag_graph *graph);

/* ---- message passing
 * ------------------------------------------------------------------------------ */

typedef enum ag_aggregate { AG_AGGREGATE_SUM, AG_AGGREGATE_MEAN, AG_AGGREGATE_MAX } ag_aggregate;

/* y[v,...] = sum, mean or max over the messages into v of x[source,...]; no message gives 0.
   x [n, ...] -> [n, ...]. dx = the same sum along the transposed edges; max: to the first largest.
   Source: DGL's g-SpMM; PyG's aggregations. */
AG_API ag_tensor *ag_spmm(ag_tensor *x, ag_edges edges, ag_aggregate kind);

/* y[v,h,:] = sum over the messages p into v of w[p,h] x[source,h,:]. x [n, ...], w [p] or [p,h]
   where the features of x split into h equal parts. dx = weighted sum along the transposed edges,
   dw = ag_sddmm(dy, x). */
AG_API ag_tensor *ag_spmm_weighted(ag_tensor *x, ag_tensor *w, ag_edges edges);

/* y[p,h] = <a[target,h,:], b[source,h,:]> for every message p. a, b [n, ...] -> [p,heads].
   da = ag_spmm_weighted(b, dy), db = the same along the transposed edges. */
AG_API ag_tensor *ag_sddmm(ag_tensor *a, ag_tensor *b, ag_edges edges, int heads);

/* ---- GraphSAGE
 * ------------------------------------------------------------------------------------- */

/* Parameters of one convolution: neighbour [out,in], bias [out], root [out,in] (NULL: no root
 * term). */
typedef struct ag_sage_weights {
    ag_param *neighbour, *bias, *root;
} ag_sage_weights;

/* y_v = W_n aggregate(x_u, u -> v) + b + W_r x_v, with l2 each row then divided by its norm.
   x [n, ..., in] -> [n, ..., out]: what stands between n and the features (configurations) is
   carried along. Sum and mean commute with W_n and run behind it when out is smaller than in.
   Source: Hamilton et al. 2017; PyG SAGEConv (mean, no l2); TGraph eq. 2 (sum, l2). */
AG_API ag_tensor *ag_sage(const ag_sage_weights *weights, ag_tensor *x, ag_edges edges,
                          ag_aggregate kind, int l2);

/* ---- readouts: one row per graph; an empty graph gives 0
 * --------------------------------------------- */
AG_API ag_tensor *ag_readout_sum(ag_tensor *x, ag_edges edges);
AG_API ag_tensor *ag_readout_mean(ag_tensor *x, ag_edges edges);
AG_API ag_tensor *ag_readout_max(ag_tensor *x, ag_edges edges);

#ifdef __cplusplus
}
#endif

#endif
