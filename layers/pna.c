/* SPDX-License-Identifier: MIT */
/* Principal neighbourhood aggregation: a product with both ends of each message, four aggregates of
   it under three scalers, and two products with the node and these. */
#include "layers/internal.h"

/* A statistic of the training data, in the checkpoint of PyG, which no step moves. */
static ag_param *add_degree(ag_params *params, const char *name, const char *what, double value)
{
    ag_param *degree = ag__layer_param(params, name, what, AG_SHAPE(1), ag_init_constant(value));
    degree->decay = 0;
    return degree;
}

ag_pna_layer ag_layer_pna(ag_params *params, const char *name, int in, int out,
                          ag_real mean_log_degree)
{
    ag_pna_layer layer = {.in = in};
    add_degree(params, name, "aggr_module.avg_deg_lin", 1); /* no scaler here reads it */
    layer.mean_log_degree =
        add_degree(params, name, "aggr_module.avg_deg_log", (double)mean_log_degree);
    layer.pre = ag__layer_part(params, name, "pre_nns.0.0", ag__size_product(2, in), in, 1);
    layer.post = ag__layer_part(params, name, "post_nns.0.0", ag__size_product(13, in), out, 1);
    layer.lin = ag__layer_part(params, name, "lin", out, out, 1);
    return layer;
}

ag_tensor *ag_apply_pna(const ag_pna_layer *layer, ag_tensor *x, ag_edges edges)
{
    ag_tape *tape = ag__layer_tape(x, edges.rows);
    if (!ag__has_layer(layer, tape, "ag_apply_pna")) return ag__poison(tape);
    if (!layer->mean_log_degree || !layer->mean_log_degree->value) {
        ag_tape_fail(tape, AG_EUSE,
                     "ag_apply_pna: the layer has no mean_log_degree; make it with ag_layer_pna, "
                     "and call ag_params_build");
        return ag__poison(tape);
    }
    ag_tensor *w = ag_parameter(tape, layer->pre.weight);
    ag_tensor *to = ag_linear(x, ag_slice(w, 1, 0, layer->in), ag__optional(tape, layer->pre.bias));
    ag_tensor *from = ag_linear(x, ag_slice(w, 1, layer->in, layer->in), NULL);
    ag_tensor *y =
        ag_message_pna(ag_edge_add(from, to, edges), edges, layer->mean_log_degree->value[0]);
    return ag_apply_linear(&layer->lin, ag_apply_linear(&layer->post, ag_concat2(x, y, -1)));
}
