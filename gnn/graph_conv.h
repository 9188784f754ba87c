/* SPDX-License-Identifier: MIT */
/* Rows of the panels of graph_conv. Messages from or to nodes that are not there are passed over.
 */
#include "core/kernel.h"

/* to = from, or to += from; where `positive` is given, only what stands at a value above 0. */
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
