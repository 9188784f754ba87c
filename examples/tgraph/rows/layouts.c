/* SPDX-License-Identifier: MIT */
/* Layouts: orders of axes, strides, and how they pass from node to node. */
#include "examples/tgraph/rows/layout.h"

nests_order nests_row_major(int rank)
{
    nests_order order = {{0}};
    for (int i = 0; i < rank; i++) order.axis[i] = (signed char)(rank - 1 - i);
    return order;
}

nests_strides nests_strides_of(const nests_order *order, int rank, const int *size)
{
    nests_strides strides = {{0}};
    double stride = 1;
    for (int i = 0; i < rank; i++) {
        strides.of[order->axis[i]] = stride;
        stride *= size[order->axis[i]];
    }
    return strides;
}

/* Numbers that are not axes, or come twice, are passed over: files may have them after the rank. */
nests_order nests_asked_order(int *given, const signed char digit[TPUGRAPHS_AXES], int rank)
{
    nests_order order = {{0}};
    unsigned seen = 0;
    int n = 0;
    for (int i = 0; i < rank; i++) {
        const int axis = digit[i];
        if (axis < 0 || axis >= rank || seen >> axis & 1) continue;
        seen |= 1u << axis;
        order.axis[n++] = (signed char)axis;
    }
    *given = n > 0;
    for (int axis = rank - 1; axis >= 0; axis--)
        if (!(seen >> axis & 1)) order.axis[n++] = (signed char)axis;
    return order;
}

/* Axis i of the operand becomes axis map[i] of the output (-1: none). These axes keep the places
   that they have in row-major order together, but among them follow the operand's order. */
static nests_order follow(int rank, const nests_order *from, int from_rank, const int *map)
{
    nests_order order = nests_row_major(rank);
    signed char moved[TPUGRAPHS_AXES];
    unsigned is_moved = 0;
    int n = 0;
    for (int i = 0; i < from_rank; i++) {
        const int axis = map[from->axis[i]];
        if (axis < 0) continue;
        moved[n++] = (signed char)axis;
        is_moved |= 1u << axis;
    }
    n = 0;
    for (int i = 0; i < rank; i++)
        if (is_moved >> order.axis[i] & 1) order.axis[i] = moved[n++];
    return order;
}

void nests_axes(int map[TPUGRAPHS_AXES], const tpugraphs_operation *o, const tpugraphs_operation *x)
{
    const int shared = o->kind == TPUGRAPHS_REDUCE || x->rank == o->rank;
    for (int i = 0; i < x->rank; i++) map[i] = shared ? i : -1;
    if (o->kind == TPUGRAPHS_BROADCAST)
        for (int i = 0; i < x->rank; i++) map[i] = o->dims[i];
    else if (o->kind == TPUGRAPHS_TRANSPOSE)
        for (int i = 0; i < o->rank; i++) map[o->dims[i]] = i;
    else if (o->kind == TPUGRAPHS_REDUCE) {
        for (int i = 0; i < x->rank - o->rank; i++) map[o->dims[i]] = -1;
        for (int i = 0, kept = 0; i < x->rank; i++)
            if (map[i] >= 0) map[i] = kept++;
    }
}

nests_order nests_inherited_order(const nests_layout *p, int node, const nests_order *order)
{
    const tpugraphs_operation *o = &p->operation[node];
    if (!o->operands) return nests_row_major(o->rank);
    const tpugraphs_operation *x = &p->operation[o->operand[0]];
    int map[TPUGRAPHS_AXES];
    nests_axes(map, o, x);
    return follow(o->rank, &order[o->operand[0]], x->rank, map);
}
