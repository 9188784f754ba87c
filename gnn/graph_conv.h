/* SPDX-License-Identifier: MIT */
/* Rows of the panels of graph_conv. Messages from or to nodes that do not exist are skipped. */
#include "core/kernel.h"

/* to = from, or to += from. */
KERNEL void take_row(ag_real *to, const ag_real *from, int n, const int adds)
{
    ag_real *__restrict__ y = to;
    EACH (i, n) y[i] = adds ? y[i] + from[i] : from[i];
}

/* dx = from, or dx += from; NULL: zeros. */
KERNEL void put_row(ag_real *dx, const ag_real *from, int n, const int add)
{
    if (from)
        take_row(dx, from, n, add);
    else if (!add)
        EACH (i, n) dx[i] = 0;
}

/* to = the sum of the rows of `from` at n senders, which are `wide` places apart. Returns how many
   of the senders exist; if none does, nothing is written. */
KERNEL int gather_rows(ag_real *to, const ag_real *from, const int32_t *senders, int wide, int n,
                       int nodes, int f)
{
    int found = 0;
    for (int k = 0; k < n; k++) {
        const int u = senders[(int64_t)k * wide];
        if (u < 0 || u >= nodes) continue;
        const ag_real *row = from + (int64_t)u * f;
        if (found++)
            take_row(to, row, f, 1);
        else
            take_row(to, row, f, 0);
    }
    return found;
}

/* ---- on a device ---- */

/* Products are calls of their own, and each kernel between them covers the whole graph. Scratch in
 * forward: sums [n,in]; in backward: sums of dy over the messages out of a node [n,out]. */

ROW_OF(graph_conv_messages, a->xs[0].size[0], a->xs[0].size[1])
{
    const int nodes = a->xs[0].size[0], f = a->xs[0].size[1], first = XI(4)[2 * r];
    ag_real *to = a->scratch + r * f;
    if (!gather_rows(to, X(0), XI(5) + first, 1, XI(4)[2 * r + 1], nodes, f))
        EACH (i, f) to[i] = 0;
}

/* y holds both products. */
ROW_OF(graph_conv_finish, a->xs[0].size[0], a->xs[1].size[0])
{
    const int out = a->xs[1].size[0];
    const ag_real *b = X(3);
    ag_real *y = Y(0) + r * out;
    EACH (i, out) y[i] += b[i];
}

ROW_OF(graph_conv_messages_back, a->xs[0].size[0], a->xs[1].size[0])
{
    const int nodes = a->xs[0].size[0], out = a->xs[1].size[0];
    const int32_t *targets = XI(7) + 2 * (int64_t)XI(6)[2 * r];
    ag_real *to = a->scratch + r * out;
    if (!gather_rows(to, DY(0), targets, 2, XI(6)[2 * r + 1], nodes, out))
        EACH (i, out) to[i] = 0;
}
