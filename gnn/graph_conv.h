/* SPDX-License-Identifier: MIT */
/* Rows of the panels of graph_conv. Messages from or to nodes that are not there are passed over.
 */
#include "core/kernel.h"

/* to = from, or to += from; where `positive` is given, only what is at a value above 0. */
KERNEL void take_row(ag_real *to, const ag_real *from, const ag_real *positive, int n,
                     const int adds)
{
    ag_real *__restrict__ y = to;
    if (positive) {
        EACH (i, n) {
            const ag_real v = positive[i] > 0 ? from[i] : 0;
            y[i] = adds ? y[i] + v : v;
        }
    } else {
        EACH (i, n) y[i] = adds ? y[i] + from[i] : from[i];
    }
}

/* dx = from, or dx += from; NULL: zeros. */
KERNEL void put_row(ag_real *dx, const ag_real *from, int n, const int add)
{
    if (from)
        take_row(dx, from, 0, n, add);
    else if (!add)
        EACH (i, n) dx[i] = 0;
}

/* to = the sum of the rows of `from` at n senders. Returns how many there were; without any nothing
   is written. */
KERNEL int gather_rows(ag_real *to, const ag_real *from, const int32_t *senders, int n, int nodes,
                       int f)
{
    int found = 0;
    for (int k = 0; k < n; k++) {
        const int u = senders[k];
        if (u < 0 || u >= nodes) continue;
        const ag_real *row = from + (int64_t)u * f;
        if (found++)
            take_row(to, row, 0, f, 1);
        else
            take_row(to, row, 0, f, 0);
    }
    return found;
}

/* ---- on a device ---- */

/* Products are calls of their own, and everything between them has the size of the graph. Scratch
 * forward: sums [n,in]; backward: g = dy (where y > 0) and its sums over the messages out of a
 * node, [n,out] each. */

ROW_OF(graph_conv_messages, a->xs[0].size[0], a->xs[0].size[1])
{
    const int nodes = a->xs[0].size[0], f = a->xs[0].size[1], first = XI(4)[2 * r];
    ag_real *to = a->scratch + r * f;
    (void)add;
    if (!gather_rows(to, X(0), XI(5) + first, XI(4)[2 * r + 1], nodes, f))
        EACH (i, f) to[i] = 0;
}

/* y holds both products. */
ROW_OF(graph_conv_finish, a->xs[0].size[0], a->xs[1].size[0])
{
    const int out = a->xs[1].size[0];
    const ag_real *b = X(3);
    ag_real *y = Y(0) + r * out;
    (void)add;
    EACH (i, out) {
        const ag_real v = y[i] + b[i];
        y[i] = a->attr.i[0] && v < 0 ? 0 : v; /* a NaN stays */
    }
}

ROW_OF(graph_conv_through, a->xs[0].size[0], a->xs[1].size[0])
{
    const int out = a->xs[1].size[0];
    const ag_real *y = a->attr.i[0] ? Y(0) + r * out : 0;
    (void)add;
    take_row(a->scratch + r * out, DY(0) + r * out, y, out, 0);
}

ROW_OF(graph_conv_messages_back, a->xs[0].size[0], a->xs[1].size[0])
{
    const int nodes = a->xs[0].size[0], out = a->xs[1].size[0];
    const int first = XI(6)[2 * r], n = XI(6)[2 * r + 1];
    ag_real *to = a->scratch + ((int64_t)nodes + r) * out;
    int found = 0;
    (void)add;
    for (int k = 0; k < n; k++) {
        const int v = XI(7)[2 * (int64_t)(first + k)];
        if (v < 0 || v >= nodes) continue;
        const ag_real *from = a->scratch + (int64_t)v * out;
        if (found++)
            take_row(to, from, 0, out, 1);
        else
            take_row(to, from, 0, out, 0);
    }
    if (!found)
        EACH (i, out) to[i] = 0;
}
