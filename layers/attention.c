/* SPDX-License-Identifier: MIT */
/* Graph attention. */
#include "layers/internal.h"

#include <math.h>

/* A layer that is being made. */
typedef struct made {
    ag_params *params;
    const char *name;
    int heads, out;
} made;

/* [1,heads,out] in Glorot's range, of the last two axes as PyG takes it. */
static ag_param *add_vectors(const made *m, const char *what)
{
    const double sum = (double)m->heads + (double)m->out, bound = sum > 0 ? sqrt(6 / sum) : 0;
    return ag__layer_param(m->params, m->name, what, AG_SHAPE(1, m->heads, m->out),
                           ag_init_uniform(-bound, bound));
}

static ag_param *add_bias(const made *m, int mean)
{
    const int n = mean ? m->out : ag__size_product(m->heads, m->out);
    return ag__layer_param(m->params, m->name, "bias", AG_SHAPE(n), ag_init_constant(0));
}

static ag_linear_layer add_product(const made *m, const char *part, int in, int bias)
{
    const int all = ag__size_product(m->heads, m->out);
    const ag_linear_layer layer = ag__layer_part(m->params, m->name, part, in, all, bias);
    ag_param_init(layer.weight, ag_init_xavier_uniform(1));
    return layer;
}

ag_gat_layer ag_layer_gat(ag_params *params, const char *name, int in, int out, int heads, int mean,
                          int edge_features)
{
    const made m = {params, name, heads, out};
    ag_gat_layer layer = {.heads = heads, .mean = mean, .slope = (ag_real)0.2};
    ag_gat_weights *w = &layer.weights;
    w->from = add_vectors(&m, "att_src");
    w->to = add_vectors(&m, "att_dst");
    if (edge_features) w->edge = add_vectors(&m, "att_edge");
    w->bias = add_bias(&m, mean);
    w->w = add_product(&m, "lin", in, 0).weight;
    if (edge_features) w->edge_w = add_product(&m, "lin_edge", edge_features, 0).weight;
    return layer;
}

ag_tensor *ag_apply_gat(const ag_gat_layer *layer, ag_tensor *x, ag_tensor *features,
                        ag_edges edges)
{
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_gat")) return ag__poison(tape);
    return ag_gat(&layer->weights, x, features, edges, layer->heads, layer->mean, layer->slope,
                  layer->dropout);
}

ag_gat2_layer ag_layer_gat2(ag_params *params, const char *name, int in, int out, int heads,
                            int mean, int edge_features)
{
    const made m = {params, name, heads, out};
    ag_gat2_layer layer = {.heads = heads, .mean = mean, .slope = (ag_real)0.2};
    ag_gat2_weights *w = &layer.weights;
    w->attention = add_vectors(&m, "att");
    w->bias = add_bias(&m, mean);
    const ag_linear_layer from = add_product(&m, "lin_l", in, 1);
    const ag_linear_layer to = add_product(&m, "lin_r", in, 1);
    if (edge_features) w->edge_w = add_product(&m, "lin_edge", edge_features, 0).weight;
    w->from = from.weight, w->from_bias = from.bias;
    w->to = to.weight, w->to_bias = to.bias;
    return layer;
}

ag_tensor *ag_apply_gat2(const ag_gat2_layer *layer, ag_tensor *x, ag_tensor *features,
                         ag_edges edges)
{
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_gat2")) return ag__poison(tape);
    return ag_gat2(&layer->weights, x, features, edges, layer->heads, layer->mean, layer->slope,
                   layer->dropout);
}
