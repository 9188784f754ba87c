/* SPDX-License-Identifier: MIT */
/* The messages of a batch: each kernel's graph is built once and copied for its other samples. */
#include "examples/tpu/model/batch.h"

#include <string.h>

/* The first node, message and edge of a part. */
typedef struct origin {
    int32_t node, message, edge;
} origin;

/* The ends of message i of a kernel: along edges for operands, against them for users, first the
   former and then the latter for both. */
static void ends(int32_t *from, int32_t *to, const tpu_kernel *k, tpu_way way, int i)
{
    const int against = way == TPU_USERS || i >= k->edges;
    const int32_t *edge = k->edge + 2 * (i < k->edges ? i : i - k->edges);
    *from = edge[against ? 0 : 1];
    *to = edge[against ? 1 : 0];
}

/* rows[2v] = first position of v, from `first` on; the counts are set to 0 again for the
   filling. */
static void starts_from_counts(int32_t *rows, int nodes, int32_t first)
{
    for (int v = 0; v < nodes; v++) {
        rows[2 * v] = first;
        first += rows[2 * v + 1];
        rows[2 * v + 1] = 0;
    }
}

static void put(ag_graph *g, int32_t *rows, int32_t *rows_t, int from, int to, const origin *at,
                int32_t edge)
{
    const int32_t p = rows[2 * to] + rows[2 * to + 1]++,
                  q = rows_t[2 * from] + rows_t[2 * from + 1]++;
    g->sources[p] = at->node + from;
    g->edge[p] = edge;
    g->targets[2 * q] = at->node + to;
    g->targets[2 * q + 1] = p;
}

/* Returns the number of messages. A message counts if its receiver has room for it, which gives the
   same messages in both passes. */
static int build(ag_graph *g, const origin *at, const tpu_kernel *k, tpu_way way,
                 const tpu_batch_options *o)
{
    const int all = way == TPU_BOTH ? 2 * k->edges : k->edges, cap = o->cap ? o->cap : INT_MAX;
    int32_t *rows = g->rows + 2 * at->node, *rows_t = g->rows_t + 2 * at->node, from, to;
    int kept = 0;
    memset(rows, 0, 2 * (size_t)k->nodes * sizeof *rows);
    memset(rows_t, 0, 2 * (size_t)k->nodes * sizeof *rows_t);
    for (int i = 0; i < all; i++) {
        ends(&from, &to, k, way, i);
        if (rows[2 * to + 1] >= cap) continue;
        rows[2 * to + 1]++;
        rows_t[2 * from + 1]++;
        kept++;
    }
    for (int v = 0; o->loops && v < k->nodes; v++, kept++) rows[2 * v + 1]++, rows_t[2 * v + 1]++;
    starts_from_counts(rows, k->nodes, at->message);
    starts_from_counts(rows_t, k->nodes, at->message);
    for (int i = 0; i < all; i++) {
        ends(&from, &to, k, way, i);
        if (rows[2 * to + 1] < cap)
            put(g, rows, rows_t, from, to, at, at->edge + (i < k->edges ? i : i - k->edges));
    }
    for (int v = 0; o->loops && v < k->nodes; v++) put(g, rows, rows_t, v, v, at, -1);
    return kept;
}

/* A copy of the part that begins at `from`. */
static void copy(ag_graph *g, const origin *to, const origin *from, int nodes, int messages)
{
    const int32_t dv = to->node - from->node, dp = to->message - from->message;
    const int32_t de = to->edge - from->edge;
    for (int i = 0; i < nodes; i++) {
        const int32_t v = 2 * (from->node + i), w = 2 * (to->node + i);
        g->rows[w] = g->rows[v] + dp;
        g->rows[w + 1] = g->rows[v + 1];
        g->rows_t[w] = g->rows_t[v] + dp;
        g->rows_t[w + 1] = g->rows_t[v + 1];
    }
    for (int i = 0; i < messages; i++) {
        const int32_t p = from->message + i, q = to->message + i;
        g->sources[q] = g->sources[p] + dv;
        g->edge[q] = g->edge[p] < 0 ? -1 : g->edge[p] + de;
        g->targets[2 * q] = g->targets[2 * p] + dv;
        g->targets[2 * q + 1] = g->targets[2 * p + 1] + dp;
    }
}

void tpu_graph_fill(ag_graph *g, const tpu_batch *b, tpu_way way, const tpu_batch_options *o)
{
    origin at = {0, 0, 0};
    int part = 0;
    for (int k = 0; k < b->kernels; k++) {
        const tpu_kernel *kernel = b->kernel[b->group_start[k]];
        const int parts = o->by_kernel ? 1 : b->group_start[k + 1] - b->group_start[k];
        const origin first = at;
        const int messages = build(g, &first, kernel, way, o);
        for (int i = 0; i < parts; i++) {
            if (i) copy(g, &at, &first, kernel->nodes, messages);
            g->starts[part++] = at.node;
            at.node += kernel->nodes;
            at.message += messages;
            at.edge += kernel->edges;
        }
    }
    g->starts[part] = at.node;
    g->graphs = part;
    g->nodes = at.node;
    g->messages = at.message;
    g->edges = at.edge;
}
