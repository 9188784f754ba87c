/* SPDX-License-Identifier: MIT */
/* The paper's network: parameters with names and initial values as in PyG, and the forward pass in
   the order of the authors' code. */
#include "examples/tpgnn/model/paper.h"
#include "core/error.h"

static void add_layer(tpgnn_paper *p, ag_params *params, int k)
{
    const tpgnn_paper_options *o = &p->options;
    const int h = o->hidden, in = k ? h : o->inputs;
    char name[128];
    ag_layer_name(name, NULL, "conv%d", k + 1);
    if (o->conv == TPGNN_GCN_CONV)
        p->gcn[k] = ag_layer_gcn(params, name, in, h);
    else
        p->graph[k] = ag_layer_graph_conv(params, name, in, h);
    ag_layer_name(name, NULL, o->pool == TPGNN_POOL_SAG ? "pool%d.gnn" : "pool%d", k + 1);
    if (o->pool == TPGNN_POOL_TOPK) p->topk[k] = ag_layer_topk(params, name, h, (ag_real)o->ratio);
    if (o->pool == TPGNN_POOL_SAG) p->score[k] = ag_layer_graph_conv(params, name, h, 1);
}

static ag_status check(const tpgnn_paper_options *o, ag_failure *why)
{
    if (o->layers < 1 || o->layers > TPGNN_MOST_LAYERS)
        return ag_fail(why, AG_EUSE, "--layers is %d; it must be 1 to %d", o->layers,
                       TPGNN_MOST_LAYERS);
    if (o->pool != TPGNN_POOL_NONE && !(o->ratio > 0))
        return ag_fail(why, AG_EUSE,
                       "--ratio is %g; it must be above 0: below 1 the share of the nodes that "
                       "stay, from 1 on how many of each graph",
                       o->ratio);
    return AG_OK;
}

ag_status tpgnn_paper_add(tpgnn_paper *paper, ag_params *params, const tpgnn_paper_options *options,
                          ag_failure *why)
{
    const int h = options->hidden;
    *paper = (tpgnn_paper){.options = *options};
    if (check(options, why)) return why->status;
    for (int k = 0; k < options->layers; k++) add_layer(paper, params, k);
    paper->lin[0] = ag_layer_linear(params, "lin1", 2 * h, h, 1);
    paper->lin[1] = ag_layer_linear(params, "lin2", h, h / 2, 1);
    if (!options->vector) paper->lin[2] = ag_layer_linear(params, "lin3", h / 2, 1, 1);
    return AG_OK;
}

/* TopK applies the rectifier itself. */
static ag_tensor *convolve(const tpgnn_paper *p, int k, ag_tensor *x, ag_tensor *norm,
                           ag_edges edges)
{
    const int relu = p->options.pool != TPGNN_POOL_TOPK;
    ag_tensor *y = p->options.conv == TPGNN_GCN_CONV
                       ? ag_gcn_conv(&p->gcn[k].weights, x, norm, edges)
                       : ag_apply_graph_conv(&p->graph[k], x, edges);
    return relu ? ag_relu(y) : y;
}

/* The graph after a pooling, and its readout. */
static ag_pooled pool(const tpgnn_paper *p, int k, ag_tensor *x, ag_edges edges)
{
    const ag_real ratio = (ag_real)p->options.ratio;
    if (p->options.pool == TPGNN_POOL_TOPK)
        return ag_relu_topk_readout(x, ag_parameter(ag_tape_of(x), p->topk[k].weight), edges,
                                    ratio);
    ag_pooled kept = {.x = x, .edges = edges};
    if (p->options.pool == TPGNN_POOL_SAG)
        kept = ag_sag_pool(x, ag_apply_graph_conv(&p->score[k], x, edges), edges, ratio);
    kept.readout = ag_readout_max_mean(kept.x, kept.edges);
    return kept;
}

ag_tensor *tpgnn_paper_forward(const tpgnn_paper *p, ag_tensor *x, ag_edges edges)
{
    const tpgnn_paper_options *o = &p->options;
    const int normed = o->conv == TPGNN_GCN_CONV;
    ag_tensor *norm = normed ? ag_gcn_norm(edges) : NULL, *sum = NULL;
    for (int k = 0; k < o->layers; k++) {
        if (k && normed && o->pool != TPGNN_POOL_NONE) norm = ag_gcn_norm(edges);
        const ag_pooled kept = pool(p, k, convolve(p, k, x, norm, edges), edges);
        x = kept.x;
        edges = kept.edges;
        sum = sum ? ag_add(sum, kept.readout) : kept.readout;
    }
    ag_tensor *y = ag_dropout(ag_relu(ag_apply_linear(&p->lin[0], sum)), (ag_real)o->dropout);
    y = ag_relu(ag_apply_linear(&p->lin[1], y));
    return o->vector ? y : ag_reshape(ag_apply_linear(&p->lin[2], y), AG_SHAPE(ag_size(y, 0)));
}
