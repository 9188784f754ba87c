/* SPDX-License-Identifier: MIT */
/* Layers over the rows of sequences, or over the nodes of graphs. */
#include "layers/internal.h"

/* ---- Transformer encoder ---- */

/* Weights are Glorot's only here, and all biases of the attention 0. */
static void add_attention(ag_encoder_weights *w, ag_params *params, const char *name, int features)
{
    const int three = ag__size_product(3, features);
    w->qkv = ag__layer_param(params, name, "self_attn.in_proj_weight", AG_SHAPE(three, features),
                             ag_init_xavier_uniform(1));
    w->qkv_bias = ag__layer_param(params, name, "self_attn.in_proj_bias", AG_SHAPE(three),
                                  ag_init_constant(0));
    const ag_linear_layer out =
        ag__layer_part(params, name, "self_attn.out_proj", features, features, 1);
    ag_param_init(out.bias, ag_init_constant(0));
    w->out = out.weight;
    w->out_bias = out.bias;
}

ag_encoder_layer ag_layer_encoder(ag_params *params, const char *name, int features, int heads,
                                  int wide)
{
    char text[128];
    ag_encoder_layer layer = {.heads = heads, .dropout = (ag_real)0.1};
    add_attention(&layer.weights, params, name, features);
    const ag_linear_layer widen = ag__layer_part(params, name, "linear1", features, wide, 1);
    const ag_linear_layer narrow = ag__layer_part(params, name, "linear2", wide, features, 1);
    const ag_layer_norm_layer norm1 =
        ag_layer_layer_norm(params, ag_layer_name(text, name, "norm1"), features, 1);
    const ag_layer_norm_layer norm2 =
        ag_layer_layer_norm(params, ag_layer_name(text, name, "norm2"), features, 1);
    ag_encoder_weights *w = &layer.weights;
    w->widen = widen.weight, w->widen_bias = widen.bias;
    w->narrow = narrow.weight, w->narrow_bias = narrow.bias;
    w->norm1 = norm1.weight, w->norm1_bias = norm1.bias;
    w->norm2 = norm2.weight, w->norm2_bias = norm2.bias;
    return layer;
}

ag_tensor *ag_apply_encoder(const ag_encoder_layer *layer, ag_tensor *x, ag_tensor *starts)
{
    ag_tape *tape = ag__layer_tape(x, starts);
    if (!ag__has_layer(layer, tape, "ag_apply_encoder")) return ag__poison(tape);
    return ag_encoder(&layer->weights, x, (ag_edges){.starts = starts}, layer->heads,
                      layer->dropout);
}
