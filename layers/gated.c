/* SPDX-License-Identifier: MIT */
/* The gated convolution with features of edges. */
#include "layers/internal.h"
#include "core/shape.h"

ag_gated_conv_layer ag_layer_gated_conv(ag_params *params, const char *name, int in, int out,
                                        int edge_features)
{
    const int wide = ag__size_sum(in, edge_features);
    ag_gated_conv_layer layer = {.key = ag__layer_part(params, name, "lin_key", wide, out, 1)};
    layer.query = ag__layer_part(params, name, "lin_query", wide, out, 1);
    layer.value = ag__layer_part(params, name, "lin_value", wide, out, 1);
    layer.skip = ag__layer_part(params, name, "lin_skip", in, out, 0);
    layer.skip.bias = ag__layer_param(params, name, "bias", AG_SHAPE(out), ag_init_constant(0));
    return layer;
}

/* The products of a layer with only x, and those of its other columns with the features of the
   messages: neither is formed per message that a node or an edge can have for all. */
typedef struct halves {
    ag_tensor *node, *w_edge;
} halves;

static halves split(const ag_linear_layer *layer, ag_tensor *x, int in, int features)
{
    ag_tape *tape = ag_tape_of(x);
    ag_tensor *w = ag_parameter(tape, layer->weight), *of_nodes = w;
    if (features) of_nodes = ag_slice(w, 1, 0, in);
    return (halves){ag_linear(x, of_nodes, ag__optional(tape, layer->bias)),
                    features ? ag_slice(w, 1, in, features) : NULL};
}

/* 1: the layer reads x and the features side by side; else the tape has failed. */
static int reads(const ag_gated_conv_layer *layer, ag_tape *tape, ag_tensor *x, ag_tensor *features)
{
    const ag_linear_layer *l[] = {&layer->key, &layer->query, &layer->value};
    const int in = ag_size(x, -1), more = features ? ag_size(features, -1) : 0;
    char text[64];
    for (int i = 0; i < 3; i++) {
        const ag_shape w = l[i]->weight ? l[i]->weight->shape : AG_SCALAR;
        if (w.rank == 2 && w.size[1] == (int64_t)in + more) continue;
        ag_tape_fail(tape, AG_ESHAPE,
                     "ag_apply_gated_conv: x has %d features and a message %d, but the weight of "
                     "lin_%s is %s; it must be [out, in + edge_features], with features for a "
                     "layer that was made with them",
                     in, more,
                     i == 0   ? "key"
                     : i == 1 ? "query"
                              : "value",
                     ag_shape_text(text, w));
        return 0;
    }
    return 1;
}

ag_tensor *ag_apply_gated_conv(const ag_gated_conv_layer *layer, ag_tensor *x, ag_tensor *features,
                               ag_edges edges)
{
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_gated_conv") || !reads(layer, tape, x, features))
        return ag__poison(tape);
    const int in = ag_size(x, -1), more = features ? ag_size(features, -1) : 0;
    const halves key = split(&layer->key, x, in, more), query = split(&layer->query, x, in, more);
    const halves value = split(&layer->value, x, in, more);
    ag_tensor *gate = ag_edge_add(query.node, key.node, edges), *y;
    if (more) gate = ag_add(gate, ag_linear(features, ag_add(key.w_edge, query.w_edge), NULL));
    gate = ag_sigmoid(gate);
    y = ag_add(ag_apply_linear(&layer->skip, x), ag_spmm_weighted(value.node, gate, edges));
    if (!more) return y;
    return ag_add(y, ag_message_sum(ag_mul(gate, ag_linear(features, value.w_edge, NULL)), edges));
}
