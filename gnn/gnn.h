/* SPDX-License-Identifier: MIT */
/* gnn: graphs, message passing, convolutions and readouts. Sums run in the order of the edge
   arrays, one lane per (node, feature), without atomics: results have the same bits in every run
   and for any number of threads. */
#ifndef AG_GNN_H
#define AG_GNN_H

#include "autograd/autograd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- graphs ---- */

/* Which way messages flow along an edge (source, target). */
typedef enum ag_direction {
    AG_ALONG,    /* the target receives from the source */
    AG_AGAINST,  /* the source receives from the target */
    AG_BOTH_WAYS /* both: every edge gives two messages */
} ag_direction;

/* A graph, or a batch of several, in compressed rows (CSR) for both directions. All arrays belong
   to the graph. For messages into node v, rows[2v] is the first position and rows[2v+1] their
   number; sources[p] is the sender at position p. For messages out of node u, rows_t[2u] is the
   first position and rows_t[2u+1] their number; targets[2q] is the receiver at position q, and
   targets[2q+1] is the position p of the same message in sources. edge[p] is the number of the
   caller's edge at position p: 0 to edges - 1 (a batch numbers the edges of its graphs one after
   the other), or -1 for a loop of ag_graph_loops. The nodes of graph g are
   starts[g]..starts[g+1]-1. */
typedef struct ag_graph {
    int nodes, messages, graphs, edges;
    int32_t *rows, *sources, *rows_t, *targets, *edge, *starts;
    uint64_t serial; /* unique; devices cache the arrays under it, so never change them */
} ag_graph;

/* Builds a graph of `nodes` nodes from m edges; a node's messages keep the order of the edges (a
   stable counting sort). Returns NULL with `why` filled: AG_EINDEX names the edge, its value and
   the range; AG_ESHAPE beyond 2^30 nodes or messages; AG_EUSE for NULL arrays or an unknown
   direction; AG_EMEMORY. */
AG_API ag_graph *ag_graph_build(int nodes, const int32_t *source, const int32_t *target, int m,
                                ag_direction direction, ag_failure *why);

/* Joins n graphs into one: nodes, messages and edges are in the order of the graphs. The rows of
   node features and of edge features (ag_edge_rows) must be in that order, too. NULL: AG_EMEMORY,
   AG_ESHAPE beyond 2^30, or AG_EUSE when a graph is NULL. */
AG_API ag_graph *ag_graph_batch(const ag_graph *const *graphs, int n, ag_failure *why);
AG_API void ag_graph_free(ag_graph *graph);

/* A new graph with only the first `most` messages into every node, in the order of the edges; the
   caller's edges keep their numbers. NULL: AG_EUSE for a NULL graph or a negative number,
   AG_EMEMORY. Source: Kaufman et al. 2021 (20 neighbours). */
AG_API ag_graph *ag_graph_cap(const ag_graph *graph, int most, ag_failure *why);

/* A new graph with one loop per node: loops of the old graph are dropped, and each node's new loop
   comes after its other messages, with edge -1. NULL: AG_EUSE for a NULL graph, AG_ESHAPE beyond
   2^30 messages, AG_EMEMORY. Source: PyG's add_self_loops in GATConv. */
AG_API ag_graph *ag_graph_loops(const ag_graph *graph, ag_failure *why);

/* Writes the graph for Graphviz; label(context, node, text) returns the name of a node; without it
   (NULL) nodes have numbers. */
AG_API void ag_graph_dot(const ag_graph *graph,
                         const char *(*label)(void *context, int node, char text[64]),
                         void *context, FILE *file);

/* A graph on a tape: the arrays above as int32 tensors, given as inputs or made by an op.
   rows [n,2], sources [p], rows_t [n,2], targets [p,2], starts [graphs+1]. The first op that gets a
   caller's own inputs checks them. It fails with AG_EINDEX (the sentence names the wrong entry) or
   AG_EUSE (some arrays are inputs, but others come from a pooled graph). */
typedef struct ag_edges {
    ag_tensor *rows, *sources, *rows_t, *targets, *starts;
} ag_edges;

/* Puts the arrays of a graph on the tape as inputs; they are borrowed until the run returns. Fails
   when the graph is NULL. */
AG_API ag_edges ag_graph_edges(ag_tape *tape, const ag_graph *graph);

/* Features of the caller's edges in the order of the messages: y[p,...] = x[graph->edge[p],...], 0
   for a loop of ag_graph_loops; with AG_BOTH_WAYS both messages of an edge have its row. x [m, ...]
   -> [p, ...], where m = graph->edges: one row for each edge. dx = the sum of dy over the messages
   of each edge. Fails when the graph is NULL (AG_EUSE) or x has another number of rows
   (AG_ESHAPE). */
AG_API ag_tensor *ag_edge_rows(ag_tensor *x, const ag_graph *graph);

/* ---- message passing ---- */

/* How the messages into a node are combined. AG_AGGREGATE_STD is the standard deviation, the root
   of the biased variance. Where the variance is at most 1e-5, the value and its gradient are 0, as
   in PyG's StdAggregation (which computes the variance less exactly, as a difference of means). */
typedef enum ag_aggregate {
    AG_AGGREGATE_SUM,
    AG_AGGREGATE_MEAN,
    AG_AGGREGATE_MAX,
    AG_AGGREGATE_MIN,
    AG_AGGREGATE_STD
} ag_aggregate;

/* y[v,...] = sum, mean, max, min or standard deviation over the messages into v of x[source,...]; a
   node without messages gives 0. x [n, ...] -> [n, ...]. dx = the same sum along the transposed
   edges; for max and min dy goes only to the first largest or smallest message. Minimum and
   standard deviation first copy the senders' rows of x to [p, ...]. Source: DGL's g-SpMM; PyG's
   aggregations. */
AG_API ag_tensor *ag_spmm(ag_tensor *x, ag_edges edges, ag_aggregate kind);

/* The same for values of the messages themselves: y[v,...] = sum (or `kind`) over the messages p
   into v of x[p,...]; a node without messages gives 0. x [p, ...] -> [n, ...]. With c messages into
   the target, dx[p] = dy[target] for the sum, dy[target] / c for the mean, and dy[target] (x[p] -
   mean) / (c y[target]) for the standard deviation; for max and min as in ag_spmm. Source: DGL's
   copy_e; PyG's aggregations of messages. */
AG_API ag_tensor *ag_message_sum(ag_tensor *x, ag_edges edges);
AG_API ag_tensor *ag_message_aggregate(ag_tensor *x, ag_edges edges, ag_aggregate kind);

/* y[v,h,:] = sum over the messages p into v of w[p,h] x[source,h,:]. x [n, ...], w [p], or [p,h] if
   the features of x are h equal parts. dx = weighted sum along the transposed edges, dw =
   ag_sddmm(dy, x). */
AG_API ag_tensor *ag_spmm_weighted(ag_tensor *x, ag_tensor *w, ag_edges edges);

/* y[p,h] = <a[target,h,:], b[source,h,:]> for every message p. a, b [n, ...] -> [p,heads].
   da = ag_spmm_weighted(b, dy), db = the same along the transposed edges. */
AG_API ag_tensor *ag_sddmm(ag_tensor *a, ag_tensor *b, ag_edges edges, int heads);

/* y[p,...] = from[source,...] + to[target,...] for every message p. from, to [n, ...] -> [p, ...].
   dfrom = sum of dy over the messages out of a node; dto = sum of dy over those into it. Source:
   DGL's u_add_v. */
AG_API ag_tensor *ag_edge_add(ag_tensor *from, ag_tensor *to, ag_edges edges);

/* y[p,...] = e^x[p,...] / the sum of e^x over the messages into p's target. x [p, ...]. dx = y (dy
   - <y, dy>), with the product over the same messages. Source: DGL's edge_softmax; PyG's
   softmax. */
AG_API ag_tensor *ag_edge_softmax(ag_tensor *x, ag_edges edges);

/* ---- GraphSAGE ---- */

/* Parameters of one convolution: neighbour [out,in], bias [out], root [out,in] (NULL: no root
 * term). */
typedef struct ag_sage_weights {
    ag_param *neighbour, *bias, *root;
} ag_sage_weights;

/* y_v = W_n aggregate(x_u, u -> v) + b + W_r x_v; with l2, each row is divided by its norm. x [n,
   ..., in] -> [n, ..., out]: axes between n and the features (configurations) are kept. For sum and
   mean, the product with W_n comes first if out is smaller than in. Source: Hamilton et al. 2017;
   PyG SAGEConv (mean, no l2); TGraph eq. 2 (sum, l2). */
AG_API ag_tensor *ag_sage(const ag_sage_weights *weights, ag_tensor *x, ag_edges edges,
                          ag_aggregate kind, int l2);

/* y_v = W_n (sum of x_u over u -> v) + b + W_r x_v: ag_sage with the sum and without l2. Source:
   Morris et al. 2019; PyG GraphConv: its lin_rel is `neighbour` and `bias`, its lin_root is
   `root`. */
AG_API ag_tensor *ag_graph_conv(const ag_sage_weights *weights, ag_tensor *x, ag_edges edges);

/* ag_graph_conv with weights: y_v = W_n (sum of w_p x_u over the messages p from u to v) + b + W_r
   x_v. w [p] is in the order of the messages (ag_edge_rows of one weight for each edge); with w
   NULL this is ag_graph_conv. dw_p = <W_n' dy_v, x_u>. Source: PyG GraphConv with edge_weight. */
AG_API ag_tensor *ag_graph_conv_weighted(const ag_sage_weights *weights, ag_tensor *x, ag_tensor *w,
                                         ag_edges edges);

/* Parameters of the layer of Kaufman et al.; biases may be NULL. In the formula below, f2 has the
   weight `operands` [m,in] and the bias `operands_bias` [m]. Messages of the second graph use
   `users` and `users_bias`, of the same shapes; if `users` is NULL, they use `operands` and
   `operands_bias`. f3 has the weight `join` [out, in + m], or [out, in + 2 m] with two graphs, and
   the bias `join_bias` [out]. */
typedef struct ag_sage_concat_weights {
    ag_param *operands, *operands_bias, *users, *users_bias, *join, *join_bias;
} ag_sage_concat_weights;

/* y_v = relu(f3 [x_v, aggregate of relu(f2 x_u) over u -> v]); with a second graph, its aggregate
   comes after the first one in the brackets. With l2 each row is then divided by its norm. x [n,
   ..., in] -> [n, ..., out]. The directed variant has two graphs, each capped by ag_graph_cap:
   operands with messages AG_ALONG the edges, users with messages AG_AGAINST them. The undirected
   variant has users NULL, and operands AG_BOTH_WAYS. Source: Kaufman et al. 2021, section 3.2. */
AG_API ag_tensor *ag_sage_concat(const ag_sage_concat_weights *weights, ag_tensor *x,
                                 ag_edges operands, const ag_edges *users, ag_aggregate kind,
                                 int l2);

/* ---- graph convolution with symmetric normalisation ---- */

/* Parameters of one layer: w [out,in], bias [out] (NULL: none). */
typedef struct ag_gcn_weights {
    ag_param *w, *bias;
} ag_gcn_weights;

/* 1 / sqrt(1 + number of messages into v from other nodes) -> [n]; all layers on a graph can share
   it. No gradient. */
AG_API ag_tensor *ag_gcn_norm(ag_edges edges);

/* y_v = n_v (n_v W x_v + sum of n_u W x_u over the messages from other nodes u) + b. n is the norm:
   every node counts as having one loop, whatever loops the graph has. x [n, ..., in] -> [n, ...,
   out]; norm from ag_gcn_norm of these edges, or NULL to compute it here. The product with W comes
   before the sum unless it makes x wider. dx and dw follow from the product and the same sum along
   the transposed edges. Source: Kipf and Welling 2017; PyG GCNConv without edge weights. */
AG_API ag_tensor *ag_gcn_conv(const ag_gcn_weights *weights, ag_tensor *x, ag_tensor *norm,
                              ag_edges edges);

/* ag_gcn_conv with weights: y_v = n_v (n_v W x_v + sum of w_p n_u W x_u over the messages p into v
   from other nodes) + b, with n_v = 1 / sqrt(1 + the sum of these w_p). Every node has one loop of
   weight 1, and the weights of the graph's own loops are ignored (PyG gives this loop the weight of
   the node's own last loop instead). x [n,in]; w [p] is in the order of the messages (ag_edge_rows
   of one weight for each edge), and the sum of w_p at each node must be above -1; with w NULL this
   is ag_gcn_conv. Gradients flow to w, also through n. Source: PyG GCNConv with edge_weight. */
AG_API ag_tensor *ag_gcn_conv_weighted(const ag_gcn_weights *weights, ag_tensor *x, ag_tensor *w,
                                       ag_edges edges);

/* ---- graph attention ---- */

/* Parameters of one layer: w [heads d, in], `from` and `to` [heads,d] or [1,heads,d], bias (NULL:
   none) [heads d], or [d] when heads are averaged. For features of edges: edge_w [heads d,
   features], and `edge` with the shape of `from` (both NULL: none). */
typedef struct ag_gat_weights {
    ag_param *w, *from, *to, *bias, *edge_w, *edge;
} ag_gat_weights;

/* z = W x. In head h, a message from u to v has the logit leaky_relu(<from_h, z_u,h> + <to_h,
   z_v,h>, slope); the softmax over the messages into v gives the weights, and y_v,h is the sum of
   the z_u,h times their weights. Heads are concatenated or, with `mean`, averaged; then the bias is
   added. x [n,in] -> [n, heads d] or [n,d]. `edge` [p,features] in the order of the messages
   (ag_edge_rows) adds <edge_h, (edge_w edge_p)_h> in the leaky_relu; NULL adds nothing. In
   training, `dropout` drops weights as ag_dropout does. A node without messages gives the bias, or
   0; ag_graph_loops gives each node a message from itself. Fails when `from` or `to` has another
   shape, and when only one of edge and its weights is given. Source: Velickovic et al. 2018; PyG
   GATConv without self loops (its names: att_src for from, att_dst for to, lin_edge for edge_w,
   att_edge for edge). */
AG_API ag_tensor *ag_gat(const ag_gat_weights *weights, ag_tensor *x, ag_tensor *edge,
                         ag_edges edges, int heads, int mean, ag_real slope, ag_real dropout);

/* Parameters of one layer: `from` and `to` [heads d, in], biases [heads d] (NULL: none), attention
   [heads,d] or [1,heads,d], bias as above; for features of edges, edge_w [heads d, features] (NULL:
   none). */
typedef struct ag_gat2_weights {
    ag_param *from, *from_bias, *to, *to_bias, *attention, *bias, *edge_w;
} ag_gat2_weights;

/* Attention that can rank senders differently for every receiver. z = from x + from_bias, t = to x
   + to_bias. In head h, message p from u to v has the logit <attention_h, leaky_relu(z_u + t_v +
   edge_w edge_p, slope)_h>; the softmax over the messages into v gives the weights, and y_v,h is
   the sum of the z_u,h times their weights. All else is as in ag_gat. Source: Brody et al. 2022;
   PyG GATv2Conv without self loops (its names: lin_l for from, lin_r for to, att for attention,
   lin_edge for edge_w; for share_weights, give the same parameters twice). */
AG_API ag_tensor *ag_gat2(const ag_gat2_weights *weights, ag_tensor *x, ag_tensor *edge,
                          ag_edges edges, int heads, int mean, ag_real slope, ag_real dropout);

/* ---- principal neighbourhood aggregation ---- */

/* x [p,f] are values of the messages, such as the senders' rows, ag_gather(rows, edges.sources). a
   = [mean, min, max, standard deviation] of the messages into a node, concatenated; y = [a, a l /
   m, a m / l] -> [n,12f] with l = ln(number of messages + 1) and m = mean_log_degree, the mean of l
   over the nodes of the training data. A node without messages gives 0. Gradients: those of
   ag_message_aggregate, times the factors. Fails unless m > 0 (AG_ESHAPE). Source: Corso et al.
   2020; PyG's DegreeScalerAggregation with these four aggregators (in the order of PyG's example),
   the scalers identity, amplification and attenuation, and avg_deg's log as m. */
AG_API ag_tensor *ag_message_pna(ag_tensor *x, ag_edges edges, ag_real mean_log_degree);

/* ---- Transformer encoder ---- */

/* Parameters of one layer of f features with w hidden features; every *_bias may be NULL. */
typedef struct ag_encoder_weights {
    ag_param *qkv, *qkv_bias;       /* [3f,f], [3f]: rows of query, key, value */
    ag_param *out, *out_bias;       /* [f,f], [f] */
    ag_param *norm1, *norm1_bias;   /* [f], [f] */
    ag_param *widen, *widen_bias;   /* [w,f], [w] */
    ag_param *narrow, *narrow_bias; /* [f,w], [f] */
    ag_param *norm2, *norm2_bias;   /* [f], [f] */
} ag_encoder_weights;

/* Returns norm2(y + dropout(narrow dropout(relu(widen y)))) with y = norm1(x + dropout(out
   attention(qkv x))). Each node attends to the nodes of its graph, in `heads` heads. x [n,f] ->
   [n,f]. The norms are layer norms with epsilon 1e-5. Dropout also applies to attention weights.
   Fails where ag_attention, ag_linear and ag_dropout do. Source: Vaswani et al. 2017; PyTorch's
   nn.TransformerEncoderLayer with norm_first=False and a padding mask. */
AG_API ag_tensor *ag_encoder(const ag_encoder_weights *weights, ag_tensor *x, ag_edges edges,
                             int heads, ag_real dropout);

/* ---- pooling: the nodes of highest score of each graph stay ---- */

/* The graph after a pooling. x [k, ...]: the nodes that stay. edges: the messages between them, in
   the old order of the messages. Its arrays keep their length: -1 fills the places after the last
   message, and tensors with a value per message have 0 there. perm int32 [k]: the old number of
   each node that stays. score [n]: the score of every old node, after tanh. readout [graphs,2f]:
   only from ag_relu_topk_readout, else NULL. */
typedef struct ag_pooled {
    ag_tensor *x;
    ag_edges edges;
    ag_tensor *perm, *score, *readout;
} ag_pooled;

/* score_v = tanh(<x_v, p> / |p|); in each graph the k nodes of highest score stay, in their old
   order; x' = score x. x [n, ...], p: one element per feature. With a ratio below 1, k = ceil(ratio
   times nodes), computed in float; from 1 on, k is floor(ratio) nodes (1.0 keeps one), or all nodes
   of a smaller graph. Of nodes with equal scores the first stay; a NaN is the highest score. If p
   is 0, all scores are 0. dx = score dy of nodes that stay, plus p / |p| times the gradient of
   tanh's argument; dp comes only from the scores; the choice has no gradient. The edges' starts
   must be an input (of ag_graph_edges, or of an earlier pooling), so that k is known when the step
   is recorded. Fails: AG_EUSE unless ratio > 0 and the starts are an input, AG_EINDEX when they do
   not ascend from 0 to n, AG_ESHAPE. Source: Gao and Ji 2019; PyG TopKPooling, which puts the nodes
   of a graph in order of score. */
AG_API ag_pooled ag_topk(ag_tensor *x, ag_tensor *p, ag_edges edges, ag_real ratio);

/* ReLU, pooling and readout in one pass: ag_topk of ag_relu(x), and ag_readout_max_mean of the
   nodes that stay. x [n,f]. Gradients and errors are those of the two. Source: PyG relu,
   TopKPooling, global_max_pool and global_mean_pool. */
AG_API ag_pooled ag_relu_topk_readout(ag_tensor *x, ag_tensor *p, ag_edges edges, ag_real ratio);

/* ag_topk with score_v = tanh(score[v]); score [n] or [n,1], from a convolution to one channel
   (ag_graph_conv, ag_gcn_conv). Source: Lee et al. 2019; PyG SAGPooling, which multiplies the score
   by the sign of one more parameter. */
AG_API ag_pooled ag_sag_pool(ag_tensor *x, ag_tensor *score, ag_edges edges, ag_real ratio);

/* ---- readouts ---- */

/* One row per graph: x [n, ...] -> [graphs, ...], x [n] -> [graphs]. An empty graph gives 0. */
AG_API ag_tensor *ag_readout_sum(ag_tensor *x, ag_edges edges);
AG_API ag_tensor *ag_readout_mean(ag_tensor *x, ag_edges edges);
AG_API ag_tensor *ag_readout_max(ag_tensor *x, ag_edges edges);

/* Maximum and mean, concatenated: x [n,f] -> [graphs,2f]. */
AG_API ag_tensor *ag_readout_max_mean(ag_tensor *x, ag_edges edges);

#ifdef __cplusplus
}
#endif

#endif
