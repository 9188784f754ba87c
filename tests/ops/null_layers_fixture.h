/* SPDX-License-Identifier: MIT */
/* The layers of the calls of test_null.c, for x [4,6]. */
typedef struct null_layers {
    ag_linear_layer linear;
    ag_mlp_layer mlp;
    ag_embedding_layer embedding;
    ag_layer_norm_layer layer_norm;
    ag_instance_norm_layer instance_norm;
    ag_sage_layer sage;
    ag_graph_conv_layer graph_conv;
    ag_gcn_layer gcn;
    ag_gat_layer gat;
    ag_gat2_layer gat2;
    ag_gated_conv_layer gated_conv;
    ag_pna_layer pna;
    ag_batch_norm_layer batch_norm;
    ag_recurrent_layer lstm;
    ag_gin_layer gin;
    ag_topk_layer topk;
    ag_sag_pool_layer sag_pool;
    ag_encoder_layer encoder;
} null_layers;

static const int null_widths[] = {6, 3, 2};

static null_layers make_layers(ag_params *params)
{
    return (null_layers){.linear = ag_layer_linear(params, "linear", 6, 2, 1),
                         .mlp = ag_layer_mlp(params, "mlp", null_widths, 3),
                         .embedding = ag_layer_embedding(params, "embedding", 4, 2),
                         .layer_norm = ag_layer_layer_norm(params, "layer_norm", 6, 1),
                         .instance_norm = ag_layer_instance_norm(params, "instance_norm", 6, 1),
                         .sage = ag_layer_sage(params, "sage", 6, 2),
                         .graph_conv = ag_layer_graph_conv(params, "graph_conv", 6, 2),
                         .gcn = ag_layer_gcn(params, "gcn", 6, 2),
                         .gat = ag_layer_gat(params, "gat", 6, 2, 2, 0, 3),
                         .gat2 = ag_layer_gat2(params, "gat2", 6, 2, 2, 0, 3),
                         .gated_conv = ag_layer_gated_conv(params, "gated_conv", 6, 2, 3),
                         .pna = ag_layer_pna(params, "pna", 6, 2, 1),
                         .batch_norm = ag_layer_batch_norm(params, "batch_norm", 6),
                         .lstm = ag_layer_lstm(params, "lstm", 6, 2, 1, 0),
                         .gin = ag_layer_gin(params, "gin", null_widths, 3),
                         .topk = ag_layer_topk(params, "topk", 6, 0.5f),
                         .sag_pool = ag_layer_sag_pool(params, "sag_pool", 6, 0.5f),
                         .encoder = ag_layer_encoder(params, "encoder", 6, 2, 4)};
}
