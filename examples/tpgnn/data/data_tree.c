/* SPDX-License-Identifier: MIT */
/* Builds trees from the numbers of children. */
#include "examples/tpgnn/data/data_internal.h"
#include "core/error.h"

#include <string.h>

/* In pre-order, a node is the next child of the last node before it that still lacks one. */
static ag_status find_parents(tpgnn_reading *r, int64_t first, int nodes, int number,
                              ag_failure *why)
{
    const int32_t *children = r->children + first;
    int32_t *parent = r->parent + first, *depth = r->depth + first;
    int32_t *placed = r->scratch; /* children so far */
    memset(placed, 0, (size_t)nodes * sizeof *placed);
    int top = -1;
    for (int v = 0; v < nodes; v++) {
        while (top >= 0 && placed[top] == children[top]) top = parent[top];
        if (v && top < 0)
            return ag_fail(why, AG_EDATA,
                           "%s: node_children: the tree of schedule %d is complete with %d nodes, "
                           "but node_offset gives it %d",
                           r->raw.name, number, v, nodes);
        parent[v] = top;
        r->position[first + v] = top < 0 ? 0 : placed[top]++;
        depth[v] = top < 0 ? 0 : depth[top] + 1;
        top = v;
    }
    for (; top >= 0; top = parent[top])
        if (placed[top] < children[top])
            return ag_fail(why, AG_EDATA,
                           "%s: node_children: node %d of schedule %d should have %d children, but "
                           "the schedule ends with the %d nodes of node_offset behind %d of them",
                           r->raw.name, top, number, children[top], nodes, placed[top]);
    return AG_OK;
}

/* Turns numbers of declarations into the nodes that declare. */
static ag_status find_declarations(tpgnn_reading *r, int64_t first, int nodes, int number,
                                   ag_failure *why)
{
    int32_t *declaration = r->scratch, *refers = r->refers + first;
    int count = 0;
    for (int v = 0; v < nodes; v++) {
        if (refers[v] > count)
            return ag_fail(why, AG_EDATA,
                           "%s: node_refers: node %d of schedule %d refers to declaration %d, but "
                           "there are %d before it",
                           r->raw.name, v, number, refers[v], count);
        refers[v] = refers[v] ? declaration[refers[v] - 1] : -1;
        if (r->line[r->given[first + v]].declares) declaration[count++] = v;
    }
    return AG_OK;
}

ag_status tpgnn_trees_find(tpgnn_reading *r, ag_failure *why)
{
    for (int i = 0; i < r->task.schedules; i++) {
        const int64_t first = r->offset[i];
        const int nodes = (int)(r->offset[i + 1] - first);
        if (find_parents(r, first, nodes, i, why) || find_declarations(r, first, nodes, i, why))
            return why->status;
        tpgnn_schedule *s = &r->schedule[i];
        s->nodes = nodes;
        s->kind = r->kind + first;
        s->value = r->value + first;
        s->parent = r->parent + first;
        s->position = r->position + first;
        s->depth = r->depth + first;
        s->refers = r->refers + first;
    }
    return AG_OK;
}
