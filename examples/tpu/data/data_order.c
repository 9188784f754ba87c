/* SPDX-License-Identifier: MIT */
/* Topological order by Kahn's algorithm with a heap: among nodes whose operands are placed, the
   smallest number comes first, so nodes that are in order already keep their numbers. */
#include "examples/harness/harness.h"
#include "core/error.h"
#include "examples/tpu/data/data_internal.h"

#include <string.h>

typedef struct order {
    int32_t *waits; /* [nodes] operands that are not placed yet */
    int32_t *place; /* [nodes] new number; -1: none yet */
    int32_t *start; /* [nodes + 1] of a node's users */
    int32_t *user;  /* [edges] */
    int32_t *heap;  /* [nodes] */
    int ready;      /* in the heap */
} order;

static int is_ordered(const tpu_kernel *k)
{
    for (int e = 0; e < k->edges; e++)
        if (k->edge[2 * e] <= k->edge[2 * e + 1]) return 0;
    return 1;
}

static void push(order *o, int32_t v)
{
    int at = o->ready++;
    for (; at && o->heap[(at - 1) / 2] > v; at = (at - 1) / 2) o->heap[at] = o->heap[(at - 1) / 2];
    o->heap[at] = v;
}

static int32_t pop(order *o)
{
    const int32_t smallest = o->heap[0], v = o->heap[--o->ready];
    int at = 0;
    for (int child = 1; child < o->ready; at = child, child = 2 * at + 1) {
        child += child + 1 < o->ready && o->heap[child + 1] < o->heap[child];
        if (o->heap[child] >= v) break;
        o->heap[at] = o->heap[child];
    }
    o->heap[at] = v;
    return smallest;
}

static void list_users(order *o, const tpu_kernel *k)
{
    const int n = k->nodes, m = k->edges;
    for (int e = 0; e < m; e++) {
        o->waits[k->edge[2 * e]]++;
        o->start[k->edge[2 * e + 1]]++;
    }
    for (int v = 1; v <= n; v++) o->start[v] += o->start[v - 1];
    for (int e = m - 1; e >= 0; e--) o->user[--o->start[k->edge[2 * e + 1]]] = k->edge[2 * e];
}

/* Returns the number of nodes that found a place. Nodes on a circle, and nodes that depend on one,
   do not. */
static int place_nodes(order *o, int nodes)
{
    int placed = 0;
    for (int v = 0; v < nodes; v++) o->place[v] = -1;
    for (int v = 0; v < nodes; v++)
        if (!o->waits[v]) push(o, v);
    while (o->ready) {
        const int32_t v = pop(o);
        o->place[v] = placed++;
        for (int i = o->start[v]; i < o->start[v + 1]; i++)
            if (!--o->waits[o->user[i]]) push(o, o->user[i]);
    }
    return placed;
}

/* Every node without a place has an operand without one. Following such operands visits a node at
   most once before it enters the circle. */
static ag_status report_circle(order *o, const tpu_kernel *k, const char *file, ag_failure *why)
{
    char where[32] = "";
    int32_t v = 0;
    while (o->place[v] >= 0) v++;
    for (int e = 0; e < k->edges; e++)
        if (o->place[k->edge[2 * e + 1]] < 0) o->waits[k->edge[2 * e]] = k->edge[2 * e + 1];
    for (int i = 0; i < k->nodes; i++) v = o->waits[v];
    if (!k->tile) snprintf(where, sizeof where, "kernel %d: ", k->number);
    return ag_fail(why, AG_EDATA,
                   "%s: %sthe edges form a circle through node %d, but no value of a kernel can "
                   "depend on itself; leave the file out",
                   file, where, v);
}

static void swap(void *rows, size_t bytes, int a, int b)
{
    char row[TPUGRAPHS_FEATURES * sizeof(float)];
    char *x = (char *)rows + (size_t)a * bytes, *y = (char *)rows + (size_t)b * bytes;
    memcpy(row, x, bytes);
    memcpy(x, y, bytes);
    memcpy(y, row, bytes);
}

static int32_t moved(const tpu_kernel *k, const int32_t *place, int32_t v)
{
    return v >= 0 && v < k->nodes ? place[v] : -1;
}

/* In place: each swap puts one node where it belongs. */
static void move_nodes(tpu_kernel *k, int32_t *place)
{
    for (int i = 0; i < 2 * k->edges; i++) k->edge[i] = place[k->edge[i]];
    for (int i = 0; i < k->dots; i++) {
        tpugraphs_dot *d = &k->dot[i];
        d->node = place[d->node];
        d->left = moved(k, place, d->left);
        d->right = moved(k, place, d->right);
    }
    for (int v = 0; v < k->nodes; v++)
        while (place[v] != v) {
            const int32_t to = place[v];
            swap(k->feature, TPUGRAPHS_FEATURES * sizeof *k->feature, v, to);
            swap(k->opcode, sizeof *k->opcode, v, to);
            if (k->reducer) swap(k->reducer, sizeof *k->reducer, v, to);
            place[v] = place[to];
            place[to] = to;
        }
}

ag_status tpu_order(tpu_kernel *k, const char *file, const tpugraphs_budget *budget,
                    ag_failure *why)
{
    const size_t n = (size_t)k->nodes;
    const size_t bytes = (4 * n + 1 + (size_t)k->edges) * sizeof(int32_t);
    if (is_ordered(k)) return AG_OK;
    if (tpugraphs_fits(budget, bytes, file, "the order of its nodes", why)) return why->status;
    int32_t *scratch = harness_alloc(bytes);
    order o = {.waits = scratch,
               .place = scratch + n,
               .heap = scratch + 2 * n,
               .start = scratch + 3 * n,
               .user = scratch + 4 * n + 1};
    list_users(&o, k);
    if (place_nodes(&o, k->nodes) < k->nodes)
        report_circle(&o, k, file, why);
    else
        move_nodes(k, o.place);
    harness_free(scratch);
    return why->status;
}
