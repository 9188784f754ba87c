/* SPDX-License-Identifier: MIT */
/* The forward pass, in the order of the authors' code. */
#include "examples/tpgnn/model/paper.h"

/* TopK applies the rectifier itself. */
static ag_tensor *convolve(const tpgnn_paper *p, int k, ag_tensor *x, ag_tensor *norm,
                           ag_edges edges)
{
    const int relu = p->options.pool != TPGNN_POOL_TOPK;
    if (p->options.conv == TPGNN_GCN_CONV) {
        ag_tensor *y = ag_gcn_conv(&p->gcn[k].weights, x, norm, edges);
        return relu ? ag_relu(y) : y;
    }
    return relu ? ag_graph_conv_relu(&p->graph[k].weights, x, edges)
                : ag_apply_graph_conv(&p->graph[k], x, edges);
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
