/* SPDX-License-Identifier: MIT */
/* Graph convolutions. */
#include "layers/internal.h"
#include "core/shape.h"

/* ---- GraphSAGE, GraphConv, GCN ---- */

static ag_sage_weights sage_weights(ag_params *params, const char *name, const char *neighbour,
                                    const char *root, int in, int out)
{
    const ag_linear_layer first = ag__layer_part(params, name, neighbour, in, out, 1);
    return (ag_sage_weights){first.weight, first.bias,
                             ag__layer_part(params, name, root, in, out, 0).weight};
}

ag_sage_layer ag_layer_sage(ag_params *params, const char *name, int in, int out)
{
    return (ag_sage_layer){.weights = sage_weights(params, name, "lin_l", "lin_r", in, out),
                           .aggregate = AG_AGGREGATE_MEAN};
}

ag_tensor *ag_apply_sage(const ag_sage_layer *layer, ag_tensor *x, ag_edges edges)
{
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_sage")) return ag__poison(tape);
    return ag_sage(&layer->weights, x, edges, layer->aggregate, layer->l2);
}

ag_graph_conv_layer ag_layer_graph_conv(ag_params *params, const char *name, int in, int out)
{
    return (ag_graph_conv_layer){sage_weights(params, name, "lin_rel", "lin_root", in, out)};
}

ag_tensor *ag_apply_graph_conv(const ag_graph_conv_layer *layer, ag_tensor *x, ag_edges edges)
{
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_graph_conv")) return ag__poison(tape);
    return ag_graph_conv(&layer->weights, x, edges);
}

ag_gcn_layer ag_layer_gcn(ag_params *params, const char *name, int in, int out)
{
    ag_gcn_layer layer;
    layer.weights.bias = ag__layer_param(params, name, "bias", AG_SHAPE(out), ag_init_constant(0));
    layer.weights.w =
        ag__layer_param(params, name, "lin.weight", AG_SHAPE(out, in), ag_init_xavier_uniform(1));
    return layer;
}

ag_tensor *ag_apply_gcn(const ag_gcn_layer *layer, ag_tensor *x, ag_edges edges)
{
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_gcn")) return ag__poison(tape);
    return ag_gcn_conv(&layer->weights, x, NULL, edges);
}

/* ---- graph isomorphism network ---- */

ag_gin_layer ag_layer_gin(ag_params *params, const char *name, const int *widths, int n)
{
    char text[128];
    ag_gin_layer layer;
    layer.epsilon = ag__layer_param(params, name, "eps", AG_SHAPE(1), ag_init_constant(0));
    layer.nn = ag_layer_mlp(params, ag_layer_name(text, name, "nn"), widths, n);
    return layer;
}

/* All of x times one number, [1]. */
static ag_tensor *scale_by(ag_tensor *x, ag_tensor *factor)
{
    const ag_shape shape = ag_shape_of(x);
    ag_tensor *column = ag_reshape(x, AG_SHAPE((int)ag_shape_count(shape), 1));
    return ag_reshape(ag_linear(column, ag_reshape(factor, AG_SHAPE(1, 1)), NULL), shape);
}

ag_tensor *ag_apply_gin(const ag_gin_layer *layer, ag_tensor *x, ag_edges edges)
{
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_gin")) return ag__poison(tape);
    ag_tensor *own = scale_by(x, ag_shift(ag_parameter(tape, layer->epsilon), 1));
    return ag_apply_mlp(&layer->nn, ag_add(own, ag_spmm(x, edges, AG_AGGREGATE_SUM)));
}
