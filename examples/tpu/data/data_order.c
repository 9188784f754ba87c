/* SPDX-License-Identifier: MIT */
/* Topological order by Kahn's algorithm with a heap: among nodes whose operands are placed, the
   smallest number comes first, so nodes that are in order already keep their numbers. */
#include "examples/harness/harness.h"
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

static int is_ordered(const tpu_part *part)
{
    for (int e = 0; e < part->edges; e++)
        if (part->edge[2 * e] <= part->edge[2 * e + 1]) return 0;
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

static void list_users(order *o, const tpu_part *part)
{
    const int n = part->nodes, m = part->edges;
    for (int e = 0; e < m; e++) {
        o->waits[part->edge[2 * e]]++;
        o->start[part->edge[2 * e + 1]]++;
    }
    for (int v = 1; v <= n; v++) o->start[v] += o->start[v - 1];
    for (int e = m - 1; e >= 0; e--) o->user[--o->start[part->edge[2 * e + 1]]] = part->edge[2 * e];
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
static ag_status report_circle(order *o, const tpu_part *part, ag_failure *why)
{
    char where[32] = "";
    int32_t v = 0;
    while (o->place[v] >= 0) v++;
    for (int e = 0; e < part->edges; e++)
        if (o->place[part->edge[2 * e + 1]] < 0)
            o->waits[part->edge[2 * e]] = part->edge[2 * e + 1];
    for (int i = 0; i < part->nodes; i++) v = o->waits[v];
    if (part->number >= 0) snprintf(where, sizeof where, "kernel %d: ", part->number);
    return ag_fail(why, AG_EDATA,
                   "%s: %sthe edges form a circle through node %d, but no value of a kernel can "
                   "depend on itself; leave the file out",
                   part->file, where, v);
}

static void swap_rows(float *a, float *b)
{
    float row[TPUGRAPHS_FEATURES];
    memcpy(row, a, sizeof row);
    memcpy(a, b, sizeof row);
    memcpy(b, row, sizeof row);
}

static void swap_codes(int32_t *code, int a, int b)
{
    const int32_t kept = code[a];
    code[a] = code[b];
    code[b] = kept;
}

static int32_t moved(const tpu_part *part, const int32_t *place, int32_t v)
{
    return v >= 0 && v < part->nodes ? place[v] : -1;
}

/* In place: each swap puts one node where it belongs. */
static void move_nodes(const tpu_part *part, int32_t *place)
{
    for (int i = 0; i < 2 * part->edges; i++) part->edge[i] = place[part->edge[i]];
    for (int i = 0; i < part->dots; i++) {
        tpugraphs_dot *d = &part->dot[i];
        d->node = place[d->node];
        d->left = moved(part, place, d->left);
        d->right = moved(part, place, d->right);
    }
    for (int v = 0; v < part->nodes; v++)
        while (place[v] != v) {
            const int32_t to = place[v];
            swap_rows(part->feature + (size_t)v * TPUGRAPHS_FEATURES,
                      part->feature + (size_t)to * TPUGRAPHS_FEATURES);
            swap_codes(part->opcode, v, to);
            if (part->reducer) swap_codes(part->reducer, v, to);
            place[v] = place[to];
            place[to] = to;
        }
}

ag_status tpu_order(const tpu_part *part, const tpugraphs_budget *budget, ag_failure *why)
{
    const size_t n = (size_t)part->nodes;
    const size_t bytes = (4 * n + 1 + (size_t)part->edges) * sizeof(int32_t);
    if (is_ordered(part)) return AG_OK;
    if (tpugraphs_fits(budget, bytes, part->file, "the order of its nodes", why))
        return why->status;
    int32_t *scratch = harness_alloc(bytes);
    order o = {.waits = scratch,
               .place = scratch + n,
               .heap = scratch + 2 * n,
               .start = scratch + 3 * n,
               .user = scratch + 4 * n + 1};
    list_users(&o, part);
    if (place_nodes(&o, part->nodes) < part->nodes)
        report_circle(&o, part, why);
    else
        move_nodes(part, o.place);
    harness_free(scratch);
    return why->status;
}

tpu_kernel tpu_part_kernel(const tpu_part *part)
{
    return (tpu_kernel){.number = part->number < 0 ? 0 : part->number,
                        .nodes = part->nodes,
                        .edges = part->edges,
                        .feature = part->feature,
                        .opcode = part->opcode,
                        .reducer = part->reducer,
                        .edge = part->edge,
                        .dots = part->dots,
                        .dot = part->dot,
                        .configs = 1};
}
