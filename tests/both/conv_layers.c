/* SPDX-License-Identifier: MIT */
#include "conv_layers.h"
#include "ops/ops.h"

static ag_tensor *sage(const conv *c, ag_tape *tape, ag_tensor *x, ag_edges along)
{
    const conv_problem *p = c->p;
    ag_param *const *w = c->part + 1;
    const ag_sage_concat_weights weights = {w[0], w[1], w[2], w[3], w[4], w[5]};
    if (!c->against) return ag_sage_concat(&weights, x, along, NULL, (ag_aggregate)p->kind, p->l2);
    const ag_edges against = ag_graph_edges(tape, c->against);
    return ag_sage_concat(&weights, x, along, &against, (ag_aggregate)p->kind, p->l2);
}

static ag_tensor *attention(ag_param *const *w, ag_tensor *x, ag_edges edges, int heads, int mean)
{
    const ag_gat_weights weights = {w[0], w[1], w[2], w[3]};
    return ag_gat(&weights, x, edges, heads, mean, (ag_real)0.2);
}

static ag_tensor *graph_conv(ag_param *const *w, ag_tensor *x, ag_edges edges)
{
    const ag_sage_weights weights = {w[0], w[1], w[2]};
    return ag_graph_conv(&weights, x, edges);
}

static ag_tensor *gcn(ag_param *const *w, ag_tensor *x, ag_edges edges)
{
    const ag_gcn_weights weights = {w[0], w[1]};
    return ag_gcn_conv(&weights, x, NULL, edges);
}

/* Twice convolution, ReLU, TopK pooling; the readouts of both levels added. */
static ag_tensor *net(const conv *c, ag_tape *tape, ag_tensor *x, ag_edges edges)
{
    ag_param *const *w = c->part + 1;
    ag_tensor *y = NULL;
    for (int level = 0; level < 2; level++) {
        const conv_layer layer = c->p->layer;
        const int n = layer == CONV_NET ? 3 : layer == CONV_NET_GCN ? 2 : 4;
        x = ag_relu(n == 3   ? graph_conv(w, x, edges)
                    : n == 2 ? gcn(w, x, edges)
                             : attention(w, x, edges, 2, 0));
        const ag_pooled pooled = ag_topk(x, ag_parameter(tape, w[n]), edges, (ag_real)c->p->ratio);
        x = pooled.x;
        edges = pooled.edges;
        ag_tensor *read = ag_readout_max_mean(x, edges);
        y = y ? ag_add(y, read) : read;
        w += n + 1;
    }
    return y;
}

ag_tensor *ag__conv_layer(const conv *c, ag_tape *tape, ag_pooled *pooled)
{
    const conv_problem *p = c->p;
    ag_tensor *x = ag_parameter(tape, c->part[0]);
    const ag_edges edges = ag_graph_edges(tape, c->along);
    ag_param *const *w = c->part + 1;
    switch (p->layer) {
    case CONV_SAGE: return sage(c, tape, x, edges);
    case CONV_GAT: return attention(w, x, edges, p->heads, p->mean);
    case CONV_GRAPH: return graph_conv(w, x, edges);
    case CONV_GCN: return gcn(w, x, edges);
    case CONV_TOPK:
        *pooled = ag_topk(x, ag_parameter(tape, w[0]), edges, (ag_real)p->ratio);
        return pooled->x;
    case CONV_SAG:
        *pooled = ag_sag_pool(x, graph_conv(w, x, edges), edges, (ag_real)p->ratio);
        return pooled->x;
    case CONV_SAG_GCN:
        *pooled = ag_sag_pool(x, gcn(w, x, edges), edges, (ag_real)p->ratio);
        return pooled->x;
    default: return net(c, tape, x, edges);
    }
}
