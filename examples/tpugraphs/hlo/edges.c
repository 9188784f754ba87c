/* SPDX-License-Identifier: MIT */
/* The references of a module become edges: a node consumes its operands and the roots of the
   computations that it calls. */
#include "examples/tpugraphs/hlo/parts.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/sort.h"

#include <stdlib.h>
#include <string.h>

/* Ids in ascending order, and the node of each. */
typedef struct ids {
    uint64_t *id;
    int32_t *of;
    int n;
} ids;

static ag_status sort_ids(hlo_module *m, ids *x, const char *what)
{
    if (ag_sort_u64(x->id, x->of, x->n, m->why)) return m->why->status;
    for (int i = 1; i < x->n; i++)
        if (x->id[i] == x->id[i - 1])
            return ag_fail(m->why, AG_EDATA,
                           "%s: two %ss have the same %s, those with the numbers %d and %d; make "
                           "the file again",
                           m->name, what, m->g->is_text ? "name" : "id", x->of[i - 1], x->of[i]);
    return AG_OK;
}

/* -1 with a sentence: nothing has this id. */
static int find(const hlo_module *m, const ids *x, uint64_t id, int node, const char *what)
{
    int low = 0, high = x->n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (x->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < x->n && x->id[low] == id) return x->of[low];
    ag_fail(m->why, AG_EDATA,
            "%s: node %d names %s that is not in the module; the file is damaged or cut off",
            m->name, node, what);
    return -1;
}

static int take_ids(hlo_module *m, ids *x, int n)
{
    *x = (ids){hlo_take(m, &m->bytes, n, sizeof *x->id), NULL, n};
    if (x->id) x->of = hlo_take(m, &m->bytes, n, sizeof *x->of);
    for (int i = 0; i < n && x->of; i++) x->of[i] = i;
    return x->of != NULL;
}

/* The roots of computations, as nodes, take the place of their ids. */
static ag_status find_roots(hlo_module *m, const ids *nodes)
{
    for (int i = 0; i < m->computations; i++) {
        hlo_computation *c = &m->computation[i];
        const int root = find(m, nodes, c->root, c->end - 1, "a root");
        if (root < 0) return m->why->status;
        if (m->node[root].computation != i)
            return ag_fail(m->why, AG_EDATA,
                           "%s: computation %d has node %d of computation %d as its root; the file "
                           "is damaged",
                           m->name, i, root, m->node[root].computation);
        m->g->feature[root][TPUGRAPHS_IS_ROOT] = 1;
        c->root = (uint64_t)root;
    }
    return AG_OK;
}

static int by_producer(const void *a, const void *b)
{
    const int64_t x = ((const int64_t *)a)[1], y = ((const int64_t *)b)[1];
    return (x > y) - (x < y);
}

/* The pairs of a node: its operands in their order, then the roots of what it calls, ascending. */
typedef struct cursor {
    int operand, call;
} cursor;

static ag_status add_pairs(hlo_module *m, cursor *at, int node, const ids *nodes,
                           const ids *computations)
{
    hlo_graph *g = m->g;
    int64_t(*pair)[2] = g->operand + g->operands;
    int n = 0, operands;
    for (; at->operand < m->operands && m->operand[at->operand].node == node; at->operand++) {
        const int to = find(m, nodes, m->operand[at->operand].id, node, "an operand");
        if (to < 0) return m->why->status;
        memcpy(pair[n++], (int64_t[]){node, to}, sizeof *pair);
    }
    operands = n;
    for (; at->call < m->calls && m->call[at->call].node == node; at->call++) {
        const int to = find(m, computations, m->call[at->call].id, node, "a computation");
        if (to < 0) return m->why->status;
        m->call[at->call].id = (uint64_t)to;
        memcpy(pair[n++], (int64_t[]){node, (int64_t)m->computation[to].root}, sizeof *pair);
    }
    qsort(pair + operands, (size_t)(n - operands), sizeof *pair, by_producer);
    g->operands += n;
    return AG_OK;
}

/* The pairs from `first` on, sorted, each once. */
static void add_edges(hlo_graph *g, int first)
{
    int64_t(*edge)[2] = g->edge + g->edges;
    const int n = g->operands - first;
    int kept = 0;
    memcpy(edge, g->operand + first, (size_t)n * sizeof *edge);
    qsort(edge, (size_t)n, sizeof *edge, by_producer);
    for (int i = 0; i < n; i++)
        if (!kept || edge[i][1] != edge[kept - 1][1]) memmove(edge[kept++], edge[i], sizeof *edge);
    g->edges += kept;
}

static ag_status add_all(hlo_module *m, const ids *nodes, const ids *computations)
{
    hlo_graph *g = m->g;
    const int64_t most = (int64_t)m->operands + m->calls;
    cursor at = {0, 0};
    if (most > INT32_MAX)
        return ag_fail(m->why, AG_EDATA, "%s: there are more than %d operands", m->name, INT32_MAX);
    if (!(g->operand = hlo_take(m, &g->bytes, most, sizeof *g->operand)) ||
        !(g->edge = hlo_take(m, &g->bytes, most, sizeof *g->edge)))
        return m->why->status;
    for (int i = 0; i < g->nodes; i++) {
        const int first = g->operands;
        if (add_pairs(m, &at, i, nodes, computations)) return m->why->status;
        add_edges(g, first);
    }
    return AG_OK;
}

static ag_status connect(hlo_module *m, ids *nodes, ids *computations)
{
    if (!take_ids(m, nodes, m->g->nodes) || !take_ids(m, computations, m->computations))
        return m->why->status;
    for (int i = 0; i < nodes->n; i++) nodes->id[i] = m->node[i].id;
    for (int i = 0; i < computations->n; i++) computations->id[i] = m->computation[i].id;
    if (sort_ids(m, nodes, "instruction") || sort_ids(m, computations, "computation") ||
        find_roots(m, nodes))
        return m->why->status;
    return add_all(m, nodes, computations);
}

ag_status hlo_connect(hlo_module *m)
{
    ids nodes = {0}, computations = {0};
    connect(m, &nodes, &computations);
    ag_free(nodes.id);
    ag_free(nodes.of);
    ag_free(computations.id);
    ag_free(computations.of);
    return m->why->status;
}
