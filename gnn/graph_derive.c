/* SPDX-License-Identifier: MIT */
/* Graphs made from graphs: fewer messages, or a loop at every node. */
#include "core/internal.h"
#include "core/error.h"
#include "core/memory.h"
#include "gnn/graph.h"

/* The messages of `from` that stay: at most `most` of a node, and with `loops` none from itself. */
typedef struct choice {
    const ag_graph *from;
    int most, loops;
} choice;

static int stays(const choice *c, int v, int k)
{
    return k < c->most && !(c->loops && c->from->sources[c->from->rows[2 * v] + k] == v);
}

static int64_t count(const choice *c)
{
    int64_t n = c->loops ? c->from->nodes : 0;
    for (int v = 0; v < c->from->nodes; v++)
        for (int k = 0; k < c->from->rows[2 * v + 1]; k++) n += stays(c, v, k);
    return n;
}

/* Messages into each node, in their old order, its loop after them. moved[p]: the new position of
   old position p, -1 when it does not stay. */
static void fill_rows(ag_graph *g, int32_t *moved, const choice *c)
{
    int32_t at = 0;
    for (int v = 0; v < g->nodes; v++) {
        g->rows[2 * v] = at;
        for (int k = 0; k < c->from->rows[2 * v + 1]; k++) {
            const int32_t p = c->from->rows[2 * v] + k;
            moved[p] = stays(c, v, k) ? at : -1;
            if (moved[p] < 0) continue;
            g->sources[at] = c->from->sources[p];
            g->edge[at++] = c->from->edge[p];
        }
        if (c->loops) {
            g->sources[at] = v;
            g->edge[at++] = -1;
        }
        g->rows[2 * v + 1] = at - g->rows[2 * v];
    }
}

static void fill_transpose(ag_graph *g, const int32_t *moved, const choice *c)
{
    int32_t at = 0;
    for (int u = 0; u < g->nodes; u++) {
        const int32_t *row = c->from->rows_t + 2 * u;
        g->rows_t[2 * u] = at;
        for (int q = row[0]; q < row[0] + row[1]; q++) {
            const int32_t *target = c->from->targets + 2 * q;
            if (moved[target[1]] < 0) continue;
            g->targets[2 * at] = target[0];
            g->targets[2 * at++ + 1] = moved[target[1]];
        }
        if (c->loops) {
            g->targets[2 * at] = u;
            g->targets[2 * at++ + 1] = g->rows[2 * u] + g->rows[2 * u + 1] - 1;
        }
        g->rows_t[2 * u + 1] = at - g->rows_t[2 * u];
    }
}

static ag_graph *derive(const choice *c, ag_failure *why)
{
    const int64_t messages = count(c);
    if (messages > INT_MAX / 2) {
        ag_fail(why, AG_ESHAPE, "A graph of %lld messages is too large; at most 2^30 are possible",
                (long long)messages);
        return NULL;
    }
    ag_graph *g = ag__graph_new(c->from->nodes, messages, c->from->graphs, c->from->edges, why);
    int32_t *moved = g ? ag_alloc(((size_t)c->from->messages + 1) * sizeof *moved) : NULL;
    if (g && !moved)
        ag_fail(why, AG_EMEMORY, "There is no memory for the positions of %d messages",
                c->from->messages);
    if (!moved) {
        ag_graph_free(g);
        return NULL;
    }
    for (int i = 0; i <= c->from->graphs; i++) g->starts[i] = c->from->starts[i];
    fill_rows(g, moved, c);
    fill_transpose(g, moved, c);
    ag_free(moved);
    return g;
}

ag_graph *ag_graph_cap(const ag_graph *graph, int most, ag_failure *why)
{
    if (!graph || most < 0) {
        ag_fail(why, AG_EUSE,
                "ag_graph_cap: the graph is%s NULL and the most messages of a node are %d; give it "
                "a graph and 0 or more",
                graph ? " not" : "", most);
        return NULL;
    }
    return derive(&(choice){graph, most, 0}, why);
}

ag_graph *ag_graph_loops(const ag_graph *graph, ag_failure *why)
{
    if (!graph) {
        ag_fail(why, AG_EUSE, "ag_graph_loops: the graph is NULL; look at how it was built");
        return NULL;
    }
    return derive(&(choice){graph, INT_MAX, 1}, why);
}
