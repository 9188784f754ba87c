/* SPDX-License-Identifier: MIT */
/* layers: a struct with a layer's parameters and settings, made by one call and applied by another:

       ag_linear_layer first = ag_layer_linear(params, "first", 8, 32, 1);
       ag_sage_layer conv = ag_layer_sage(params, "conv", 32, 32);
       if (ag_params_build(params, seed)) puts(params->failure.sentence);
       ag_tensor *y = ag_relu(ag_apply_linear(&first, x));
       y = ag_apply_sage(&conv, y, edges);

   ag_layer_X declares the parameters of an X as "NAME.weight" and so on (NULL or "" for name: plain
   "weight"). Names, shapes and initial values are those of PyTorch and PyG, so ag_params_load takes
   an unchanged state_dict that was saved as safetensors. As in PyTorch, all parameters have weight
   decay; a model may change it with param->decay, and initial values with ag_param_init. The struct
   is a value and is not freed. The fields after the parameters are settings (a comment gives the
   default), which may be changed before the layer is applied. Errors (AG_EUSE, AG_ESHAPE,
   AG_EMEMORY) stay in params->failure, as those of ag_params_add do, and ag_params_build reports
   them.

   ag_apply_X records the layer on the tape of x. Its gradients are the gradients of its ops. The
   tape fails when the layer is NULL (AG_EUSE), and when an op of the layer fails. */
#ifndef AG_LAYERS_H
#define AG_LAYERS_H

#include "gnn/gnn.h"
#include "ops/ops.h"
#include "optim/optim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One training step: ag_backward of the loss, then ag_adamw_step with `options` (NULL: those of
   ag_adamw_default). Fails as these calls do, and with AG_EFINITE if the loss is NaN or infinite;
   the gradients are then AG_BAD. After a failure the optimizer has changed no parameter, and `why`
   has the first failure. Source: TensorFlow's Optimizer.minimize. */
AG_API ag_status ag_minimize(ag_tensor *loss, ag_params *params, const ag_adamw *options, double lr,
                             ag_failure *why);

/* Writes "NAME.REST" to text and returns it; NULL or "" for name: only the rest. Use it to name
   parts of a layer, and numbered layers: ag_layer_name(text, NULL, "conv%d", k). A name of more
   than 127 bytes becomes one that ag_params_add refuses. */
AG_API const char *ag_layer_name(char text[128], const char *name, const char *format, ...)
    AG_PRINTF(3, 4);

/* ---- dense layers ---- */

typedef struct ag_linear_layer {
    ag_param *weight, *bias; /* [out,in], [out] or NULL */
} ag_linear_layer;

/* y = W x + b, row by row; with bias 0 there is no b. x [..., in] -> [..., out]. Source: PyTorch
   nn.Linear. */
AG_API ag_linear_layer ag_layer_linear(ag_params *params, const char *name, int in, int out,
                                       int bias);
AG_API ag_tensor *ag_apply_linear(const ag_linear_layer *layer, ag_tensor *x);

enum { AG_MOST_MLP_LAYERS = 8 };

typedef struct ag_mlp_layer {
    ag_linear_layer lins[AG_MOST_MLP_LAYERS]; /* "lins.0" ... */
    int layers;
    ag_real dropout; /* 0 */
} ag_mlp_layer;

/* Linear layers, with dropout(relu(x)) between them. widths [n]: the width of the input, then the
   output width of each layer; n must be 2 to 9 (else AG_EUSE). x [..., first width] -> [..., last
   width]. Source: PyG MLP with norm=None. */
AG_API ag_mlp_layer ag_layer_mlp(ag_params *params, const char *name, const int *widths, int n);
AG_API ag_tensor *ag_apply_mlp(const ag_mlp_layer *layer, ag_tensor *x);

typedef struct ag_embedding_layer {
    ag_param *weight; /* [n,width] */
} ag_embedding_layer;

/* A row of the table for each index; the table starts as N(0,1). index int32 [m] -> [m,width]; -1
   gives zeros. Source: PyTorch nn.Embedding. */
AG_API ag_embedding_layer ag_layer_embedding(ag_params *params, const char *name, int n, int width);
AG_API ag_tensor *ag_apply_embedding(const ag_embedding_layer *layer, ag_tensor *index);

/* ---- norms ---- */

typedef struct ag_layer_norm_layer {
    ag_param *weight, *bias; /* [features], [features] or NULL */
    ag_real epsilon;         /* 1e-5 */
} ag_layer_norm_layer;

/* ag_layer_norm over the last axis. x [..., features]. Source: PyTorch nn.LayerNorm. */
AG_API ag_layer_norm_layer ag_layer_layer_norm(ag_params *params, const char *name, int features,
                                               int bias);
AG_API ag_tensor *ag_apply_layer_norm(const ag_layer_norm_layer *layer, ag_tensor *x);

typedef struct ag_instance_norm_layer {
    ag_param *weight, *bias; /* [features]; NULL unless affine */
    ag_real epsilon;         /* 1e-5 */
} ag_instance_norm_layer;

/* ag_instance_norm over the nodes of each graph, with its starts int32 [graphs+1]; then, if affine,
   y = weight y + bias. x [n, ..., features]. Source: PyTorch nn.InstanceNorm1d, PyG InstanceNorm
   (both affine=False by default). */
AG_API ag_instance_norm_layer ag_layer_instance_norm(ag_params *params, const char *name,
                                                     int features, int affine);
AG_API ag_tensor *ag_apply_instance_norm(const ag_instance_norm_layer *layer, ag_tensor *x,
                                         ag_tensor *starts);

typedef struct ag_batch_norm_layer {
    ag_batch_norm_weights weights; /* "weight", "bias", "running_mean", "running_var" [features] */
    ag_real momentum, epsilon;     /* 0.1, 1e-5 */
} ag_batch_norm_layer;

/* ag_batch_norm, which updates the running statistics in training. x [..., features]. Source:
   PyTorch nn.BatchNorm1d ("num_batches_tracked" is ignored); PyG BatchNorm (name "NAME.module"). */
AG_API ag_batch_norm_layer ag_layer_batch_norm(ag_params *params, const char *name, int features);
AG_API ag_tensor *ag_apply_batch_norm(const ag_batch_norm_layer *layer, ag_tensor *x);

/* ---- graph convolutions: x [n,in] -> [n,out] ---- */

typedef struct ag_sage_layer {
    ag_sage_weights weights; /* "lin_l.weight", "lin_l.bias", "lin_r.weight" */
    ag_aggregate aggregate;  /* AG_AGGREGATE_MEAN */
    int l2;                  /* 0; 1: each row is divided by its norm */
} ag_sage_layer;

/* ag_sage. Source: PyG SAGEConv. */
AG_API ag_sage_layer ag_layer_sage(ag_params *params, const char *name, int in, int out);
AG_API ag_tensor *ag_apply_sage(const ag_sage_layer *layer, ag_tensor *x, ag_edges edges);

typedef struct ag_graph_conv_layer {
    ag_sage_weights weights; /* "lin_rel.weight", "lin_rel.bias", "lin_root.weight" */
} ag_graph_conv_layer;

/* ag_graph_conv. Source: PyG GraphConv. */
AG_API ag_graph_conv_layer ag_layer_graph_conv(ag_params *params, const char *name, int in,
                                               int out);
AG_API ag_tensor *ag_apply_graph_conv(const ag_graph_conv_layer *layer, ag_tensor *x,
                                      ag_edges edges);

typedef struct ag_gcn_layer {
    ag_gcn_weights weights; /* "lin.weight", "bias" */
} ag_gcn_layer;

/* ag_gcn_conv, with the norm computed in each call. If layers share a graph, call ag_gcn_norm once
   and then ag_gcn_conv(&layer.weights, x, norm, edges) for each. Source: PyG GCNConv. */
AG_API ag_gcn_layer ag_layer_gcn(ag_params *params, const char *name, int in, int out);
AG_API ag_tensor *ag_apply_gcn(const ag_gcn_layer *layer, ag_tensor *x, ag_edges edges);

/* The next three layers take features [messages, edge_features]: a row for each message, in the
   order of the messages (ag_edge_rows); NULL for a layer that was made with 0 edge_features. They
   fail when only the call or only the layer has features. */

typedef struct ag_gat_layer {
    ag_gat_weights weights; /* "lin.weight", "att_src", "att_dst" [1,heads,out], "bias"; with
                               edge features also "lin_edge.weight", "att_edge" */
    int heads, mean;
    ag_real slope, dropout; /* 0.2, 0 */
} ag_gat_layer;

/* ag_gat with `heads` heads of `out` features each. If `mean` is 0, they are concatenated, x [n,in]
   -> [n, heads out]; if it is 1, they are averaged, x [n,in] -> [n,out]. Source: PyG GATConv with
   add_self_loops=False; for PyG's default, use the graph that ag_graph_loops returns. */
AG_API ag_gat_layer ag_layer_gat(ag_params *params, const char *name, int in, int out, int heads,
                                 int mean, int edge_features);
AG_API ag_tensor *ag_apply_gat(const ag_gat_layer *layer, ag_tensor *x, ag_tensor *features,
                               ag_edges edges);

typedef struct ag_gat2_layer {
    ag_gat2_weights weights; /* "lin_l", "lin_r", "att" [1,heads,out], "bias"; "lin_edge.weight" */
    int heads, mean;
    ag_real slope, dropout; /* 0.2, 0 */
} ag_gat2_layer;

/* ag_gat2 with heads, mean and features as above. Source: PyG GATv2Conv with
   add_self_loops=False. */
AG_API ag_gat2_layer ag_layer_gat2(ag_params *params, const char *name, int in, int out, int heads,
                                   int mean, int edge_features);
AG_API ag_tensor *ag_apply_gat2(const ag_gat2_layer *layer, ag_tensor *x, ag_tensor *features,
                                ag_edges edges);

typedef struct ag_gated_conv_layer {
    ag_linear_layer key, query, value; /* "lin_key" ... [out, in + edge features] */
    ag_linear_layer skip;              /* "lin_skip.weight" [out,in], "bias" [out] */
} ag_gated_conv_layer;

/* y_v = skip x_v + b + sum over u -> v of sigmoid(key [x_v, e_uv] + query [x_u, e_uv]) value [x_u,
   e_uv], feature by feature, with e the features. Fails (AG_ESHAPE) when the layer was made for
   another number of features. Source: Bresson and Laurent 2017; PyG ResGatedGraphConv. */
AG_API ag_gated_conv_layer ag_layer_gated_conv(ag_params *params, const char *name, int in, int out,
                                               int edge_features);
AG_API ag_tensor *ag_apply_gated_conv(const ag_gated_conv_layer *layer, ag_tensor *x,
                                      ag_tensor *features, ag_edges edges);

typedef struct ag_gin_layer {
    ag_mlp_layer nn;   /* "nn.lins.0.weight" ... */
    ag_param *epsilon; /* "eps" [1]; it is learned, and 0 at first */
} ag_gin_layer;

/* y_v = nn((1 + eps) x_v + sum of x_u over u -> v); widths as in ag_layer_mlp. Source: Xu et al.
   2019; PyG GINConv of an MLP with train_eps=True. */
AG_API ag_gin_layer ag_layer_gin(ag_params *params, const char *name, const int *widths, int n);
AG_API ag_tensor *ag_apply_gin(const ag_gin_layer *layer, ag_tensor *x, ag_edges edges);

typedef struct ag_pna_layer {
    ag_linear_layer pre, post, lin; /* "pre_nns.0.0" [in, 2 in], "post_nns.0.0" [out, 13 in], "lin"
                                       [out,out] */
    ag_param *mean_log_degree;      /* "aggr_module.avg_deg_log" [1]; no step changes it */
    int in;
} ag_pna_layer;

/* y = lin post [x, ag_message_pna of pre [x_v, x_u]]. mean_log_degree: the mean of ln(messages + 1)
   over the nodes of the training data. Source: PyG PNAConv with one tower, the aggregators mean,
   min, max and std, and the scalers identity, amplification and attenuation. */
AG_API ag_pna_layer ag_layer_pna(ag_params *params, const char *name, int in, int out,
                                 ag_real mean_log_degree);
AG_API ag_tensor *ag_apply_pna(const ag_pna_layer *layer, ag_tensor *x, ag_edges edges);

/* ---- pooling ---- */

typedef struct ag_topk_layer {
    ag_param *weight; /* "select.weight" [1,in] */
    ag_real ratio;
} ag_topk_layer;

/* ag_topk; its comment says what ratio means. Between a ReLU and a readout, ag_relu_topk_readout(x,
   ag_parameter(tape, layer.weight), edges, ratio) is faster. x [n,in]. Source: PyG TopKPooling. */
AG_API ag_topk_layer ag_layer_topk(ag_params *params, const char *name, int in, ag_real ratio);
AG_API ag_pooled ag_apply_topk(const ag_topk_layer *layer, ag_tensor *x, ag_edges edges);

typedef struct ag_sag_pool_layer {
    ag_graph_conv_layer gnn; /* "gnn.lin_rel.weight" [1,in] ... */
    ag_param *weight;        /* "select.weight" [1,1], of which only the sign counts */
    ag_real ratio;
} ag_sag_pool_layer;

/* ag_sag_pool. The score is a graph convolution to one channel, times the sign of weight. x [n,in].
   Source: PyG SAGPooling. */
AG_API ag_sag_pool_layer ag_layer_sag_pool(ag_params *params, const char *name, int in,
                                           ag_real ratio);
AG_API ag_pooled ag_apply_sag_pool(const ag_sag_pool_layer *layer, ag_tensor *x, ag_edges edges);

/* ---- sequences; starts int32 [sequences+1]: where each begins among the rows of x ---- */

enum { AG_MOST_RECURRENT_LAYERS = 4 };

/* "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"; backwards "..._reverse". Both biases
   may be NULL, or, in an LSTM, only b_state. */
typedef struct ag_recurrent_weights {
    ag_param *w_input, *w_state, *b_input, *b_state;
} ag_recurrent_weights;

typedef struct ag_recurrent_layer {
    ag_recurrent_weights weights[AG_MOST_RECURRENT_LAYERS][2]; /* forwards, backwards */
    int layers, both, gates;                                   /* gates: 4 of an LSTM, 3 of a GRU */
    ag_real dropout;                                           /* 0; between layers */
} ag_recurrent_layer;

/* Stacks 1 to 4 layers (else AG_EUSE) of ag_lstm_states or ag_gru_states. If `both` is 1, each
   layer runs in both directions, and its two results are concatenated. x [n,in] -> the states of
   all rows, [n,hidden] or [n, 2 hidden]. ag_apply_recurrent_last returns the last state of each
   sequence, [sequences,hidden], and fails if `both` is 1 (AG_EUSE). Source: PyTorch nn.LSTM and
   nn.GRU on packed sequences. */
AG_API ag_recurrent_layer ag_layer_lstm(ag_params *params, const char *name, int in, int hidden,
                                        int layers, int both);
AG_API ag_recurrent_layer ag_layer_gru(ag_params *params, const char *name, int in, int hidden,
                                       int layers, int both);
AG_API ag_tensor *ag_apply_recurrent(const ag_recurrent_layer *layer, ag_tensor *x,
                                     ag_tensor *starts);
AG_API ag_tensor *ag_apply_recurrent_last(const ag_recurrent_layer *layer, ag_tensor *x,
                                          ag_tensor *starts);

typedef struct ag_encoder_layer {
    ag_encoder_weights weights;
    int heads;
    ag_real dropout; /* 0.1 */
} ag_encoder_layer;

/* ag_encoder with `wide` hidden features: every row attends to the rows of its sequence, or every
   node to the nodes of its graph (starts: edges.starts). Parameters: "self_attn.in_proj_weight",
   "self_attn.in_proj_bias", "self_attn.out_proj", "linear1", "linear2", "norm1", "norm2".
   x [n,features]. Source: PyTorch nn.TransformerEncoderLayer. */
AG_API ag_encoder_layer ag_layer_encoder(ag_params *params, const char *name, int features,
                                         int heads, int wide);
AG_API ag_tensor *ag_apply_encoder(const ag_encoder_layer *layer, ag_tensor *x, ag_tensor *starts);

#ifdef __cplusplus
}
#endif

#endif
