/* SPDX-License-Identifier: MIT */
/* Inputs: z [n, ..., 2o], b [o], rows, sources, rows_t, targets. Messages carry the left halves;
 * each node keeps its right half. */
#include "core/kernel.h"

enum { SAGE_SUM, SAGE_MEAN };

/* Rows of features that a node has: the axes between the first and the last. */
AG_BOTH int rows_of_node(ag_shape s) { return s.size[0] ? (int)(ag__rows(s) / s.size[0]) : 0; }

/* On a CPU a unit is a node with all of its rows, message by message. On a GPU a warp takes some of
   the rows, about 1,024 values, and sums each value in a register, in the same order. */
typedef struct sage_unit {
    int64_t v;  /* the node */
    int lo, hi; /* of its rows */
} sage_unit;

AG_BOTH int sage_some(const ag_args *a)
{
    const int k = rows_of_node(a->xs[0]), o = a->xs[1].size[0];
    const int some = o > 0 && o < 1024 ? 1024 / o : 1;
    return MOST_LANES == 1 || some > k ? k : some;
}
AG_BOTH int64_t sage_pieces(const ag_args *a)
{
    const int k = rows_of_node(a->xs[0]), some = sage_some(a);
    return MOST_LANES == 1 || some == 0 ? 1 : (k + some - 1) / some;
}
AG_BOTH sage_unit sage_unit_of(const ag_args *a, int64_t r)
{
    const int k = rows_of_node(a->xs[0]), some = sage_some(a);
    const int64_t pieces = sage_pieces(a);
    const int lo = (int)(r % pieces) * some;
    sage_unit u = {r / pieces, lo, k - lo < some ? k : lo + some};
    return u;
}

/* The weight of a message to v. */
KERNEL ag_real sage_weight(const ag_args *a, int v)
{
    return a->attr.i[0] == SAGE_MEAN ? 1 / (ag_real)XI(2)[2 * v + 1] : 1;
}

KERNEL void sage_forward_lanes(const ag_args *a, sage_unit t, int k, int o, int first, int n,
                               ag_real s)
{
    for (int c = t.lo; c < t.hi; c++) {
        const ag_real *own = X(0) + (t.v * k + c) * 2 * o + o;
        EACH (i, o) {
            ag_real y = own[i] + X(1)[i];
            for (int p = first; p < first + n; p++) {
                const int u = XI(3)[p];
                if (u >= 0 && u < a->xs[0].size[0]) y += s * X(0)[((int64_t)u * k + c) * 2 * o + i];
            }
            Y(0)[(t.v * k + c) * o + i] = y;
        }
    }
}

KERNEL void sage_forward_all(const ag_args *a, int64_t r, int k, int o, int first, int n, ag_real s)
{
    const ag_real *b = X(1);
    for (int c = 0; c < k; c++) {
        const ag_real *own = X(0) + (r * k + c) * 2 * o + o;
        ag_real *y = Y(0) + (r * k + c) * o;
        EACH (i, o) y[i] = own[i] + b[i];
    }
    for (int p = first; p < first + n; p++) {
        const int u = XI(3)[p];
        if (u < 0 || u >= a->xs[0].size[0]) continue;
        for (int c = 0; c < k; c++) {
            const ag_real *z = X(0) + ((int64_t)u * k + c) * 2 * o;
            ag_real *y = Y(0) + (r * k + c) * o;
            EACH (i, o) y[i] += s * z[i];
        }
    }
}

ROW_OF(sage_sum_forward, a->xs[0].size[0] * sage_pieces(a), a->xs[1].size[0])
{
    const int k = rows_of_node(a->xs[0]), o = a->xs[1].size[0];
    const sage_unit t = sage_unit_of(a, r);
    const int first = XI(2)[2 * t.v], n = XI(2)[2 * t.v + 1];
    const ag_real s = a->attr.i[0] == SAGE_MEAN && n ? 1 / (ag_real)n : 1;
    if (MOST_LANES == 1)
        sage_forward_all(a, r, k, o, first, n, s);
    else
        sage_forward_lanes(a, t, k, o, first, n, s);
}

KERNEL void sage_backward_lanes(const ag_args *a, sage_unit t, int k, int o, int first, int n,
                                const int add)
{
    for (int c = t.lo; c < t.hi; c++) {
        ag_real *dz = DX + (t.v * k + c) * 2 * o;
        EACH (i, o) {
            ag_real d = 0;
            for (int q = first; q < first + n; q++) {
                const int v = XI(5)[2 * q];
                if (v >= 0 && v < a->xs[0].size[0])
                    d += sage_weight(a, v) * DY(0)[((int64_t)v * k + c) * o + i];
            }
            PUT(dz, i, d);
            PUT(dz, o + i, DY(0)[(t.v * k + c) * o + i]);
        }
    }
}

KERNEL void sage_backward_all(const ag_args *a, int64_t r, int k, int o, int first, int n,
                              const int add)
{
    for (int c = 0; c < k; c++) {
        const ag_real *dy = DY(0) + (r * k + c) * o;
        ag_real *dz = DX + (r * k + c) * 2 * o;
        EACH (i, o) {
            PUT(dz, i, 0);
            PUT(dz, o + i, dy[i]);
        }
    }
    for (int q = first; q < first + n; q++) {
        const int v = XI(5)[2 * q];
        if (v < 0 || v >= a->xs[0].size[0]) continue;
        const ag_real s = sage_weight(a, v);
        for (int c = 0; c < k; c++) {
            const ag_real *dy = DY(0) + ((int64_t)v * k + c) * o;
            ag_real *dz = DX + (r * k + c) * 2 * o;
            EACH (i, o) dz[i] += s * dy[i];
        }
    }
}

ROW_OF_PUT(sage_sum_backward_z, a->xs[0].size[0] * sage_pieces(a), a->xs[1].size[0])
{
    const int k = rows_of_node(a->xs[0]), o = a->xs[1].size[0];
    const sage_unit t = sage_unit_of(a, r);
    const int first = XI(4)[2 * t.v], n = XI(4)[2 * t.v + 1];
    if (MOST_LANES == 1)
        sage_backward_all(a, r, k, o, first, n, add);
    else
        sage_backward_lanes(a, t, k, o, first, n, add);
}
