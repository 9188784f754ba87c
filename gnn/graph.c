/* SPDX-License-Identifier: MIT */
/* Graphs: checks lists of edges, and makes compressed rows of them, both ways. */
#include "core/internal.h"
#include "core/error.h"
#include "core/memory.h"
#include "gnn/graph.h"

#include <stdatomic.h>
#include <string.h>

static ag_status check_sizes(int64_t nodes, int64_t messages, ag_failure *why)
{
    if (messages <= INT_MAX / 2 && nodes <= INT_MAX / 2) return AG_OK;
    return ag_fail(why, AG_ESHAPE,
                   "A graph of %lld nodes and %lld messages is too large; at most 2^30 of each are "
                   "possible",
                   (long long)nodes, (long long)messages);
}

static _Atomic uint64_t last_serial;

ag_graph *ag__graph_new(int nodes, int64_t messages, int graphs, int edges, ag_failure *why)
{
    const size_t n = (size_t)nodes, p = (size_t)messages;
    const size_t ints = 4 * n + 4 * p + (size_t)graphs + 1;
    ag_graph *g = ag_alloc(sizeof *g + ints * sizeof(int32_t));
    if (!g) {
        ag_fail(why, AG_EMEMORY, "There is no memory for a graph of %d nodes and %lld messages",
                nodes, (long long)messages);
        return NULL;
    }
    int32_t *at = (int32_t *)(void *)(g + 1);
    g->nodes = nodes;
    g->messages = (int)messages;
    g->graphs = graphs;
    g->edges = edges;
    g->rows = at;
    g->rows_t = g->rows + 2 * n;
    g->sources = g->rows_t + 2 * n;
    g->targets = g->sources + p;
    g->edge = g->targets + 2 * p;
    g->starts = g->edge + p;
    g->serial = atomic_fetch_add(&last_serial, 1) + 1;
    return g;
}

static ag_status check_edges(int nodes, const int32_t *source, const int32_t *target, int m,
                             ag_failure *why)
{
    for (int e = 0; e < m; e++) {
        if (source[e] >= 0 && source[e] < nodes && target[e] >= 0 && target[e] < nodes) continue;
        if (!nodes)
            return ag_fail(why, AG_EINDEX,
                           "edge %d is (%d, %d), but the graph has no nodes; correct the edge list",
                           e, source[e], target[e]);
        return ag_fail(why, AG_EINDEX,
                       "edge %d is (%d, %d), but nodes are 0 to %d; correct the edge list", e,
                       source[e], target[e], nodes - 1);
    }
    return AG_OK;
}

/* Sender and receiver of message i of an edge list that is read `along`, `against` or both ways. */
static void ends(int32_t *from, int32_t *to, const int32_t *source, const int32_t *target, int m,
                 int i, ag_direction direction)
{
    const int against = direction == AG_AGAINST || i >= m, e = i % (m ? m : 1);
    *from = against ? target[e] : source[e];
    *to = against ? source[e] : target[e];
}

/* rows[2v] = first position of v from the counts in rows[2v+1], which are left at 0 for the
 * filling. */
static void starts_from_counts(int32_t *rows, int nodes)
{
    int32_t first = 0;
    for (int v = 0; v < nodes; v++) {
        rows[2 * v] = first;
        first += rows[2 * v + 1];
        rows[2 * v + 1] = 0;
    }
}

ag_graph *ag_graph_build(int nodes, const int32_t *source, const int32_t *target, int m,
                         ag_direction direction, ag_failure *why)
{
    int32_t from, to;
    const int64_t messages = direction == AG_BOTH_WAYS ? 2 * (int64_t)m : m;
    if (nodes < 0 || m < 0) {
        ag_fail(why, AG_ESHAPE, "A graph cannot have %d nodes and %d edges; both must be 0 or more",
                nodes, m);
        return NULL;
    }
    if (check_sizes(nodes, messages, why) != AG_OK) return NULL;
    if ((unsigned)direction > AG_BOTH_WAYS || (m && (!source || !target))) {
        ag_fail(
            why, AG_EUSE,
            "A graph needs source and target of its %d edges, and a direction that is AG_ALONG, "
            "AG_AGAINST or AG_BOTH_WAYS (it is %d)",
            m, (int)direction);
        return NULL;
    }
    if (check_edges(nodes, source, target, m, why) != AG_OK) return NULL;
    ag_graph *g = ag__graph_new(nodes, messages, 1, m, why);
    if (!g) return NULL;
    g->starts[0] = 0;
    g->starts[1] = nodes;
    memset(g->rows, 0, 4 * (size_t)nodes * sizeof *g->rows);
    for (int i = 0; i < g->messages; i++) {
        ends(&from, &to, source, target, m, i, direction);
        g->rows[2 * to + 1]++;
        g->rows_t[2 * from + 1]++;
    }
    starts_from_counts(g->rows, nodes);
    starts_from_counts(g->rows_t, nodes);
    for (int i = 0; i < g->messages; i++) {
        ends(&from, &to, source, target, m, i, direction);
        const int32_t p = g->rows[2 * to] + g->rows[2 * to + 1]++;
        const int32_t q = g->rows_t[2 * from] + g->rows_t[2 * from + 1]++;
        g->sources[p] = from;
        g->edge[p] = i % m;
        g->targets[2 * q] = to;
        g->targets[2 * q + 1] = p;
    }
    return g;
}

ag_graph *ag_graph_batch(const ag_graph *const *graphs, int n, ag_failure *why)
{
    int64_t nodes = 0, messages = 0, parts = 0, edges = 0;
    if (n < 0) {
        ag_fail(why, AG_ESHAPE, "A batch cannot have %d graphs; give it 0 or more", n);
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        if (!graphs || !graphs[i]) {
            ag_fail(why, AG_EUSE, "graph %d of the batch is NULL; look at how it was built", i);
            return NULL;
        }
        nodes += graphs[i]->nodes;
        messages += graphs[i]->messages;
        parts += graphs[i]->graphs;
        edges += graphs[i]->edges;
    }
    if (parts > INT_MAX / 2 || edges > INT_MAX / 2) {
        ag_fail(why, AG_ESHAPE,
                "A batch of %lld graphs and %lld edges is too large; at most 2^30 of each are "
                "possible",
                (long long)parts, (long long)edges);
        return NULL;
    }
    if (check_sizes(nodes, messages, why) != AG_OK) return NULL;
    ag_graph *g = ag__graph_new((int)nodes, messages, (int)parts, (int)edges, why);
    if (!g) return NULL;
    int v = 0, p = 0, s = 0, e = 0;
    g->starts[0] = 0;
    for (int i = 0; i < n; i++) {
        const ag_graph *from = graphs[i];
        for (int k = 0; k < from->nodes; k++) {
            g->rows[2 * (v + k)] = from->rows[2 * k] + p;
            g->rows[2 * (v + k) + 1] = from->rows[2 * k + 1];
            g->rows_t[2 * (v + k)] = from->rows_t[2 * k] + p;
            g->rows_t[2 * (v + k) + 1] = from->rows_t[2 * k + 1];
        }
        for (int k = 0; k < from->messages; k++) {
            g->sources[p + k] = from->sources[k] + v;
            g->targets[2 * (p + k)] = from->targets[2 * k] + v;
            g->targets[2 * (p + k) + 1] = from->targets[2 * k + 1] + p;
            g->edge[p + k] = from->edge[k] < 0 ? -1 : from->edge[k] + e;
        }
        for (int k = 1; k <= from->graphs; k++) g->starts[s + k] = from->starts[k] + v;
        v += from->nodes;
        p += from->messages;
        s += from->graphs;
        e += from->edges;
    }
    return g;
}

void ag_graph_free(ag_graph *graph) { ag_free(graph); }

void ag_graph_dot(const ag_graph *graph,
                  const char *(*label)(void *context, int node, char text[64]), void *context,
                  FILE *file)
{
    char text[64];
    if (!graph || !file) return;
    fprintf(file, "digraph graph_ {\n  node [shape=box, fontname=\"Helvetica\"];\n");
    for (int v = 0; label && v < graph->nodes; v++) {
        fprintf(file, "  %d [label=\"", v);
        for (const char *c = label(context, v, text); c && *c; c++) {
            if (*c == '"' || *c == '\\') fputc('\\', file);
            fputc(*c, file);
        }
        fprintf(file, "\"];\n");
    }
    for (int v = 0; v < graph->nodes; v++)
        for (int k = 0; k < graph->rows[2 * v + 1]; k++)
            fprintf(file, "  %d -> %d;\n", graph->sources[graph->rows[2 * v] + k], v);
    fprintf(file, "}\n");
}
