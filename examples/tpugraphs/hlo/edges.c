/* SPDX-License-Identifier: MIT */
/* The references of a module become edges: a node consumes its operands and the roots of the
   computations that it calls. */
#include "examples/tpugraphs/hlo/parts.h"
#include "core/error.h"
#include "core/sort.h"

#include <stdlib.h>
#include <string.h>

enum { NODES, COMPUTATIONS }; /* of hlo_module.by_id */

static ag_status sort_ids(hlo_module *m, int kind)
{
    hlo_ids *x = &m->by_id[kind];
    x->n = kind == NODES ? m->g->nodes : m->computations;
    x->id = hlo_take(m, &m->bytes, x->n, sizeof *x->id + sizeof *x->of);
    if (!x->id) return m->why->status;
    x->of = (int32_t *)(x->id + x->n);
    for (int i = 0; i < x->n; i++) {
        x->id[i] = kind == NODES ? m->node[i].id : m->computation[i].id;
        x->of[i] = i;
    }
    if (ag_sort_u64(x->id, x->of, x->n, m->why)) return m->why->status;
    for (int i = 1; i < x->n; i++)
        if (x->id[i] == x->id[i - 1])
            return ag_fail(m->why, AG_EDATA,
                           "%s: two %s have the same %s, those with the numbers %d and %d; make "
                           "the file again",
                           m->name, kind == NODES ? "instructions" : "computations",
                           m->g->is_text ? "name" : "id", x->of[i - 1], x->of[i]);
    return AG_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* -1 with a sentence: nothing has this id. */
static int find(const hlo_module *m, int kind, uint64_t id, int node, const char *what)
{
    const hlo_ids *x = &m->by_id[kind];
    const uint64_t *at = bsearch(&id, x->id, (size_t)x->n, sizeof id, by_number);
    if (at) return x->of[at - x->id];
    ag_fail(m->why, AG_EDATA,
            "%s: node %d names %s that is not in the module; the file is damaged or cut off",
            m->name, node, what);
    return -1;
}

/* The roots of computations, as nodes, take the place of their ids. */
static ag_status find_roots(hlo_module *m)
{
    for (int i = 0; i < m->computations; i++) {
        hlo_computation *c = &m->computation[i];
        const int root = find(m, NODES, c->root, c->end - 1, "a root");
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

/* The pairs of a node, one for each of its references: its operands in their order, then the roots
   of what it calls, ascending; and its edges. */
static void add_pairs(hlo_module *m, int node)
{
    hlo_graph *g = m->g;
    const int first = g->operands;
    int end = first, calls = first;
    for (; end < m->references && m->reference[end].node == node; end++)
        calls += !m->reference[end].is_call;
    for (int i = first, operand = first, call = calls; i < end; i++) {
        hlo_reference *x = &m->reference[i];
        const int to = x->is_call ? find(m, COMPUTATIONS, x->id, node, "a computation")
                                  : find(m, NODES, x->id, node, "an operand");
        if (to < 0) return;
        x->id = (uint64_t)to;
        memcpy(g->operand[x->is_call ? call++ : operand++],
               (int64_t[]){node, x->is_call ? (int64_t)m->computation[to].root : to},
               sizeof *g->operand);
    }
    qsort(g->operand + calls, (size_t)(end - calls), sizeof *g->operand, by_producer);
    g->operands = end;
    add_edges(g, first);
}

ag_status hlo_connect(hlo_module *m)
{
    hlo_graph *g = m->g;
    if (sort_ids(m, NODES) || sort_ids(m, COMPUTATIONS) || find_roots(m) ||
        !(g->operand = hlo_take(m, &g->bytes, m->references, sizeof *g->operand)) ||
        !(g->edge = hlo_take(m, &g->bytes, m->references, sizeof *g->edge)))
        return m->why->status;
    for (int i = 0; i < g->nodes && !m->why->status; i++) add_pairs(m, i);
    return m->why->status;
}
