/* SPDX-License-Identifier: MIT */
/* Poolings that learn which nodes stay. */
#include "layers/internal.h"

ag_topk_layer ag_layer_topk(ag_params *params, const char *name, int in, ag_real ratio)
{
    return (ag_topk_layer){
        ag__layer_param(params, name, "select.weight", AG_SHAPE(1, in), ag__init_torch()), ratio};
}

ag_pooled ag_apply_topk(const ag_topk_layer *layer, ag_tensor *x, ag_edges edges)
{
    static const ag_topk_layer none;
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_topk")) layer = &none;
    return ag_topk(x, ag_parameter(tape, layer->weight), edges, layer->ratio);
}

ag_sag_pool_layer ag_layer_sag_pool(ag_params *params, const char *name, int in, ag_real ratio)
{
    char text[128];
    ag_sag_pool_layer layer = {.ratio = ratio};
    layer.gnn = ag_layer_graph_conv(params, ag_layer_name(text, name, "gnn"), in, 1);
    layer.weight = ag__layer_param(params, name, "select.weight", AG_SHAPE(1, 1), ag__init_torch());
    return layer;
}

ag_pooled ag_apply_sag_pool(const ag_sag_pool_layer *layer, ag_tensor *x, ag_edges edges)
{
    static const ag_sag_pool_layer none;
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_sag_pool")) layer = &none;
    ag_tensor *sign = ag_l2_norm(ag_parameter(tape, layer->weight), (ag_real)1e-30);
    ag_tensor *score = ag_linear(ag_apply_graph_conv(&layer->gnn, x, edges), sign, NULL);
    return ag_sag_pool(x, score, edges, layer->ratio);
}
