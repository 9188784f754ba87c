/* SPDX-License-Identifier: MIT */
/* Linear layers, embeddings and norms. */
#include "layers/internal.h"
#include "core/error.h"

ag_linear_layer ag_layer_linear(ag_params *params, const char *name, int in, int out, int bias)
{
    ag_linear_layer layer = {
        .weight = ag__layer_param(params, name, "weight", AG_SHAPE(out, in), ag__init_torch())};
    if (bias)
        layer.bias = ag__layer_param(params, name, "bias", AG_SHAPE(out), ag_init_linear_bias(in));
    return layer;
}

ag_tensor *ag_apply_linear(const ag_linear_layer *layer, ag_tensor *x)
{
    ag_tape *tape = ag_tape_of(x);
    if (!ag__has_layer(layer, tape, "ag_apply_linear")) return ag__poison(tape);
    return ag__linear(x, layer->weight, layer->bias);
}

ag_mlp_layer ag_layer_mlp(ag_params *params, const char *name, const int *widths, int n)
{
    ag_mlp_layer mlp = {.layers = n - 1};
    if (!widths || n < 2 || n > AG_MOST_MLP_LAYERS + 1) {
        if (params && params->failure.status == AG_OK)
            ag_fail(&params->failure, AG_EUSE,
                    "ag_layer_mlp: layer \"%.60s\" has %d widths%s; it needs 2 to %d: that of the "
                    "input, then that of the output of each linear layer",
                    name ? name : "", n, widths ? "" : ", which are NULL", AG_MOST_MLP_LAYERS + 1);
        return (ag_mlp_layer){0};
    }
    for (int k = 0; k < mlp.layers; k++) {
        char text[128];
        mlp.lins[k] = ag_layer_linear(params, ag_layer_name(text, name, "lins.%d", k), widths[k],
                                      widths[k + 1], 1);
    }
    return mlp;
}

ag_tensor *ag_apply_mlp(const ag_mlp_layer *layer, ag_tensor *x)
{
    ag_tape *tape = ag_tape_of(x);
    if (!ag__has_layer(layer, tape, "ag_apply_mlp")) return ag__poison(tape);
    if (layer->layers < 1 || layer->layers > AG_MOST_MLP_LAYERS) {
        ag_tape_fail(tape, AG_EUSE, "ag_apply_mlp: there are %d layers, but must be 1 to %d",
                     layer->layers, AG_MOST_MLP_LAYERS);
        return ag__poison(tape);
    }
    for (int k = 0; k < layer->layers; k++) {
        if (k) x = ag_dropout(ag_relu(x), layer->dropout);
        x = ag_apply_linear(&layer->lins[k], x);
    }
    return x;
}

ag_embedding_layer ag_layer_embedding(ag_params *params, const char *name, int n, int width)
{
    return (ag_embedding_layer){
        ag__layer_param(params, name, "weight", AG_SHAPE(n, width), ag_init_normal(0, 1))};
}

ag_tensor *ag_apply_embedding(const ag_embedding_layer *layer, ag_tensor *index)
{
    ag_tape *tape = ag_tape_of(index);
    if (!ag__has_layer(layer, tape, "ag_apply_embedding")) return ag__poison(tape);
    return ag_gather(ag_parameter(tape, layer->weight), index);
}

ag_layer_norm_layer ag_layer_layer_norm(ag_params *params, const char *name, int features, int bias)
{
    const ag_shape shape = AG_SHAPE(features);
    ag_layer_norm_layer layer = {
        .weight = ag__layer_param(params, name, "weight", shape, ag_init_constant(1)),
        .epsilon = (ag_real)1e-5};
    if (bias) layer.bias = ag__layer_param(params, name, "bias", shape, ag_init_constant(0));
    return layer;
}

ag_tensor *ag_apply_layer_norm(const ag_layer_norm_layer *layer, ag_tensor *x)
{
    ag_tape *tape = ag_tape_of(x);
    if (!ag__has_layer(layer, tape, "ag_apply_layer_norm")) return ag__poison(tape);
    return ag_layer_norm(x, ag_parameter(tape, layer->weight), ag__optional(tape, layer->bias),
                         layer->epsilon);
}

ag_instance_norm_layer ag_layer_instance_norm(ag_params *params, const char *name, int features,
                                              int affine)
{
    ag_instance_norm_layer layer = {.epsilon = (ag_real)1e-5};
    if (!affine) return layer;
    const ag_layer_norm_layer scale = ag_layer_layer_norm(params, name, features, 1);
    layer.weight = scale.weight;
    layer.bias = scale.bias;
    return layer;
}

ag_tensor *ag_apply_instance_norm(const ag_instance_norm_layer *layer, ag_tensor *x,
                                  ag_tensor *starts)
{
    ag_tape *tape = ag__layer_tape(x, starts);
    if (!ag__has_layer(layer, tape, "ag_apply_instance_norm")) return ag__poison(tape);
    x = ag_instance_norm(x, starts, layer->epsilon);
    if (layer->weight) x = ag_mul_columns(x, ag_parameter(tape, layer->weight));
    return layer->bias ? ag_add_bias(x, ag_parameter(tape, layer->bias)) : x;
}

ag_batch_norm_layer ag_layer_batch_norm(ag_params *params, const char *name, int features)
{
    const ag_shape shape = AG_SHAPE(features);
    const ag_layer_norm_layer scale = ag_layer_layer_norm(params, name, features, 1);
    ag_batch_norm_layer layer = {.weights = {.gamma = scale.weight, .beta = scale.bias},
                                 .momentum = (ag_real)0.1,
                                 .epsilon = (ag_real)1e-5};
    ag_batch_norm_weights *w = &layer.weights;
    w->mean = ag__layer_param(params, name, "running_mean", shape, ag_init_constant(0));
    w->variance = ag__layer_param(params, name, "running_var", shape, ag_init_constant(1));
    w->mean->decay = w->variance->decay = 0;
    return layer;
}

ag_tensor *ag_apply_batch_norm(const ag_batch_norm_layer *layer, ag_tensor *x)
{
    ag_tape *tape = ag_tape_of(x);
    if (!ag__has_layer(layer, tape, "ag_apply_batch_norm")) return ag__poison(tape);
    return ag_batch_norm(&layer->weights, x, layer->momentum, layer->epsilon);
}
