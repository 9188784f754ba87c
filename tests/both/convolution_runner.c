/* SPDX-License-Identifier: MIT */
#include "support/convolution_runner.h"
#include "core/internal.h"
#include "gnn/gnn.h"
#include "optim/optim.h"
#include "ops/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GRAPHS = 8, MOST_EDGES = 400 };

/* The problem as the library holds it. */
typedef struct conv {
    const conv_problem *p;
    ag_params *params;
    ag_param *part[CONV_PARTS];
    ag_graph *along, *against; /* against: directed GraphSAGE */
    ag_real *cotangent;
} conv;

/* ---- graphs ---- */

static ag_graph *replace(ag_graph *old, ag_graph *new)
{
    ag_graph_free(old);
    return new;
}

/* The edges of graph g of the batch, nodes numbered from 0. */
static ag_graph *one_graph(const conv_problem *p, int g, ag_direction direction, ag_failure *why)
{
    int32_t source[MOST_EDGES], target[MOST_EDGES];
    int m = 0;
    const int first = p->starts[g], end = p->starts[g + 1];
    for (int e = 0; e < p->edges; e++) {
        if (p->edge[2 * e] < first || p->edge[2 * e] >= end) continue;
        source[m] = p->edge[2 * e] - first;
        target[m++] = p->edge[2 * e + 1] - first;
    }
    ag_graph *graph = ag_graph_build(end - first, source, target, m, direction, why);
    if (graph && p->loops) graph = replace(graph, ag_graph_loops(graph, why));
    if (graph && p->cap) graph = replace(graph, ag_graph_cap(graph, p->cap, why));
    return graph;
}

static ag_graph *all_graphs(const conv_problem *p, ag_direction direction, ag_failure *why)
{
    ag_graph *one[MOST_GRAPHS] = {NULL};
    const ag_graph *list[MOST_GRAPHS];
    for (int g = 0; g < p->graphs; g++) list[g] = one[g] = one_graph(p, g, direction, why);
    ag_graph *all = ag_graph_batch(list, p->graphs, why);
    for (int g = 0; g < p->graphs; g++) ag_graph_free(one[g]);
    return all;
}

/* ---- life ---- */

static void drop(conv *c)
{
    ag_params_free(c->params);
    ag_graph_free(c->along);
    ag_graph_free(c->against);
    free(c->cotangent);
}

static int make(conv *c, const conv_problem *p, ag_failure *why)
{
    static const char *const name[CONV_PARTS] = {"x",  "p1", "p2", "p3", "p4", "p5",
                                                 "p6", "p7", "p8", "p9", "p10"};
    const int64_t n = ag_shape_count(p->of_y);
    *c = (conv){.p = p, .params = ag_params_new()};
    for (int i = 0; i < CONV_PARTS; i++)
        if (p->part[i])
            c->part[i] = ag_params_add(c->params, name[i], p->shape[i], ag_init_constant(0), 0);
    if (ag_params_build(c->params, 1)) {
        ag_fail(why, AG_EMEMORY, "There is no memory for the parameters");
        return 1;
    }
    for (int i = 0; i < CONV_PARTS; i++)
        for (int64_t k = 0; p->part[i] && k < c->part[i]->count; k++)
            c->part[i]->value[k] = (ag_real)p->part[i][k];
    c->cotangent = calloc((size_t)n + 1, sizeof *c->cotangent);
    for (int64_t k = 0; k < n; k++) c->cotangent[k] = (ag_real)p->cotangent[k];
    c->along = all_graphs(p, p->layer || p->directed ? AG_ALONG : AG_BOTH_WAYS, why);
    if (c->along && p->directed) c->against = all_graphs(p, AG_AGAINST, why);
    return !c->along || (p->directed && !c->against);
}

/* ---- layers ---- */

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
    const ag_gat_weights weights = {.w = w[0], .from = w[1], .to = w[2], .bias = w[3]};
    return ag_gat(&weights, x, NULL, edges, heads, mean, (ag_real)0.2, 0);
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

/* Part k, rows of the file's edges, in the order of the messages; NULL: it is absent. */
static ag_tensor *edge_part(const conv *c, ag_tape *tape, int k)
{
    return c->part[k] ? ag_edge_rows(ag_parameter(tape, c->part[k]), c->along) : NULL;
}

static ag_tensor *attention_of_edges(const conv *c, ag_tensor *x, ag_edges edges)
{
    const conv_problem *p = c->p;
    ag_param *const *w = c->part + 1;
    const ag_gat_weights weights = {w[0], w[1], w[2], w[3], w[4], w[5]};
    return ag_gat(&weights, x, edge_part(c, ag_tape_of(x), 7), edges, p->heads, p->mean,
                  (ag_real)0.2, 0);
}

static ag_tensor *attention_2(const conv *c, ag_tensor *x, ag_edges edges)
{
    const conv_problem *p = c->p;
    ag_param *const *w = c->part + 1;
    const ag_gat2_weights weights = {w[0], w[1], w[2], w[3], w[4], w[5], w[6]};
    return ag_gat2(&weights, x, edge_part(c, ag_tape_of(x), 8), edges, p->heads, p->mean,
                   (ag_real)0.2, 0);
}

static ag_tensor *weighted(const conv *c, ag_tensor *x, ag_edges edges)
{
    ag_param *const *w = c->part + 1;
    if (c->p->layer == CONV_GCN_WEIGHTED)
        return ag_gcn_conv_weighted(&(ag_gcn_weights){w[0], w[1]}, x,
                                    edge_part(c, ag_tape_of(x), 3), edges);
    return ag_graph_conv_weighted(&(ag_sage_weights){w[0], w[1], w[2]}, x,
                                  edge_part(c, ag_tape_of(x), 4), edges);
}

/* Of the nodes, or of what a node sends plus the row of the edge. */
static ag_tensor *pna(const conv *c, ag_tensor *x, ag_edges edges)
{
    ag_tensor *rows = edge_part(c, ag_tape_of(x), 1);
    if (!rows) return ag_pna(x, edges, (ag_real)c->p->ratio);
    return ag_message_pna(ag_add(ag_gather(x, edges.sources), rows), edges, (ag_real)c->p->ratio);
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

/* Records the problem's layer or net; `pooled` is filled by a pooling. */
static ag_tensor *record(const conv *c, ag_tape *tape, ag_pooled *pooled)
{
    const conv_problem *p = c->p;
    ag_tensor *x = ag_parameter(tape, c->part[0]);
    const ag_edges edges = ag_graph_edges(tape, c->along);
    ag_param *const *w = c->part + 1;
    switch (p->layer) {
    case CONV_SAGE: return sage(c, tape, x, edges);
    case CONV_GAT: return attention(w, x, edges, p->heads, p->mean);
    case CONV_GAT_EDGES: return attention_of_edges(c, x, edges);
    case CONV_GAT2: return attention_2(c, x, edges);
    case CONV_GRAPH_WEIGHTED:
    case CONV_GCN_WEIGHTED: return weighted(c, x, edges);
    case CONV_PNA: return pna(c, x, edges);
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

/* ---- runs ---- */

static ag_tensor *loss_of(const conv *c, ag_tensor *y)
{
    return ag_sum_all(ag_mul(y, ag_input(ag_tape_of(y), c->cotangent, ag_shape_of(y))));
}

static ag_tensor *build(ag_tape *tape, void *context)
{
    ag_pooled pooled;
    return loss_of(context, record(context, tape, &pooled));
}

/* The result of a pooling, of its only level. */
static void read_pooled(const conv_problem *p, const ag_pooled *pooled)
{
    const int32_t *rows = ag_values_i32(pooled->edges.rows);
    const int32_t *sources = ag_values_i32(pooled->edges.sources);
    const int nodes = ag_size(pooled->perm, 0);
    if (!rows || !ag_values_i32(pooled->perm)) return;
    memcpy(p->perm, ag_values_i32(pooled->perm), (size_t)nodes * sizeof *rows);
    *p->left_n = 0;
    for (int v = 0; v < nodes; v++)
        for (int k = 0; k < rows[2 * v + 1]; k++) {
            p->left[2 * *p->left_n] = sources[rows[2 * v] + k];
            p->left[2 * (*p->left_n)++ + 1] = v;
        }
}

static void read_results(double *y, double *const *gradient, const conv *c, const ag_tensor *out)
{
    const ag_real *value = ag_values(out);
    for (int64_t i = 0; value && i < ag_shape_count(c->p->of_y); i++) y[i] = (double)value[i];
    for (int k = 0; value && k < CONV_PARTS; k++)
        for (int64_t i = 0; c->part[k] && i < c->part[k]->count; i++)
            gradient[k][i] = (double)c->part[k]->gradient[i];
}

int ag__convolve(double *y, double *const *gradient, const conv_problem *p, char why[CONV_WHY])
{
    conv c;
    ag_failure failure = {0};
    ag_pooled pooled = {0};
    const int bad = make(&c, p, &failure);
    ag_tape *tape = ag_tape_new(AG_CPU);
    if (!bad) {
        ag_tensor *out = ag_keep(record(&c, tape, &pooled));
        if (pooled.perm && p->perm) {
            ag_keep(pooled.perm);
            ag_keep(pooled.edges.rows);
            ag_keep(pooled.edges.sources);
        }
        ag_backward(loss_of(&c, out));
        if (!ag_failed(tape)) read_results(y, gradient, &c, out);
        if (!ag_failed(tape) && pooled.perm && p->perm) read_pooled(p, &pooled);
    }
    snprintf(why, CONV_WHY, "%s", bad ? failure.sentence : ag_error(tape));
    const int failed = bad || ag_failed(tape);
    ag_tape_free(tape);
    drop(&c);
    return failed;
}

double ag__convolve_gradcheck(const conv_problem *p, char where[200])
{
    conv c;
    ag_failure failure = {0};
    const ag_gradcheck_options options = {.step = 1e-6, .full = 1 << 20};
    double error = (double)INFINITY;
    if (!make(&c, p, &failure)) error = ag_gradcheck(build, &c, c.params, &options, where);
    drop(&c);
    return error;
}
