/* SPDX-License-Identifier: MIT */
/* Rows of test_null.c: the functions of layers.h. A constructor without params or a name makes no
   fuss: params->failure tells. */
QUIET(layer_name, 3, assert_non_null(ag_layer_name(P(0, f->where), P(1, "x"), P(2, "%d"), 1)))
#define WIDTHS(k) P(k, null_widths)
#define LAYER(name, type, n, ...) \
 QUIET(layer_##name, n, ag_layer_##name(P(0, f->unbuilt), P(1, "x"), __VA_ARGS__))
#include "null_layers.def"
#undef LAYER
#undef WIDTHS
RESULT(apply_linear, 2, 0, ag_apply_linear(P(0, &f->layers.linear), MATRIX(1)))
RESULT(apply_mlp, 2, 0, ag_apply_mlp(P(0, &f->layers.mlp), MATRIX(1)))
RESULT(apply_embedding, 2, 0, ag_apply_embedding(P(0, &f->layers.embedding), INDEX(1)))
RESULT(apply_layer_norm, 2, 0, ag_apply_layer_norm(P(0, &f->layers.layer_norm), MATRIX(1)))
RESULT(apply_instance_norm, 3, 0,
       ag_apply_instance_norm(P(0, &f->layers.instance_norm), MATRIX(1), ENDS(2)))
RESULT(apply_sage, 3, 0, ag_apply_sage(P(0, &f->layers.sage), MATRIX(1), E(2)))
RESULT(apply_graph_conv, 3, 0, ag_apply_graph_conv(P(0, &f->layers.graph_conv), MATRIX(1), E(2)))
RESULT(apply_gcn, 3, 0, ag_apply_gcn(P(0, &f->layers.gcn), MATRIX(1), E(2)))
RESULT(apply_gat, 4, 0, ag_apply_gat(P(0, &f->layers.gat), MATRIX(1), FEATURES(2), E(3)))
RESULT(apply_gat2, 4, 0, ag_apply_gat2(P(0, &f->layers.gat2), MATRIX(1), FEATURES(2), E(3)))
RESULT(apply_gated_conv, 4, 0,
       ag_apply_gated_conv(P(0, &f->layers.gated_conv), MATRIX(1), FEATURES(2), E(3)))
RESULT(apply_pna, 3, 0, ag_apply_pna(P(0, &f->layers.pna), MATRIX(1), E(2)))
RESULT(apply_batch_norm, 2, 0, ag_apply_batch_norm(P(0, &f->layers.batch_norm), MATRIX(1)))
RESULT(apply_recurrent, 3, 0, ag_apply_recurrent(P(0, &f->layers.lstm), MATRIX(1), ENDS(2)))
RESULT(apply_recurrent_last, 3, 0,
       ag_apply_recurrent_last(P(0, &f->layers.lstm), MATRIX(1), ENDS(2)))
RESULT(apply_gin, 3, 0, ag_apply_gin(P(0, &f->layers.gin), MATRIX(1), E(2)))
RESULT(apply_topk, 3, 0, ag_apply_topk(P(0, &f->layers.topk), MATRIX(1), E(2)).x)
RESULT(apply_sag_pool, 3, 0, ag_apply_sag_pool(P(0, &f->layers.sag_pool), MATRIX(1), E(2)).x)
RESULT(apply_encoder, 3, 0, ag_apply_encoder(P(0, &f->layers.encoder), MATRIX(1), ENDS(2)))
