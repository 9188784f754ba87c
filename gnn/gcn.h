/* SPDX-License-Identifier: MIT */
/* Sums with symmetric normalisation. Loops of the graph are ignored: every node has one loop. */
#include "core/kernel.h"
#include "ops/first_axis.h"

/* Inputs: rows, sources, rows_t, targets. */
ELEMENTS(gcn_norm_forward, a->xs[0].size[0])
{
    for (int64_t v = lo; v < hi; v++) {
        const int first = XI(0)[2 * v], n = XI(0)[2 * v + 1];
        int others = 0;
        for (int p = first; p < first + n; p++) others += XI(1)[p] != v;
        Y(0)[v] = 1 / v_sqrt((ag_real)(1 + others));
    }
}

/* y = s_v (s_v x_v + the sum of s_u x_u over the other senders), + b in every part of o features.
   `wide` is 2 where senders are pairs (node, position). */
KERNEL void gcn_row(ag_real *to, const ag_real *x, const ag_real *s, const int32_t *senders,
                    int wide, int first, int n, int64_t v, int nodes, int f, const int add)
{
    ag_real *__restrict__ y = to;
    const ag_real own = s[v] * s[v];
    const ag_real *self = x + v * f;
    EACH (i, f) PUT(y, i, own * self[i]);
    for (int k = first; k < first + n; k++) {
        const int u = senders[(int64_t)k * wide];
        if (u < 0 || u >= nodes || u == v) continue;
        const ag_real w = s[v] * s[u];
        const ag_real *from = x + (int64_t)u * f;
        EACH (i, f) y[i] += w * from[i];
    }
}

/* Inputs: x [n, ...], norm [n], rows, sources, rows_t, targets, b (may be missing). */
ROW_OF(gcn_sum_forward, a->xs[0].size[0], row_width(a->xs[0]))
{
    const int f = row_width(a->xs[0]), o = ag__columns(a->xs[0]), nodes = a->xs[0].size[0];
    ag_real *y = Y(0) + r * f;
    gcn_row(y, X(0), X(1), XI(3), 1, XI(2)[2 * r], XI(2)[2 * r + 1], r, nodes, f, 0);
    SETTLE; /* if o is not a multiple of the lanes, a lane adds to what another lane wrote */
    for (int c = 0; a->n_in > 6 && c < f; c += o)
        EACH (i, o) y[c + i] += X(6)[i];
}

ROW_OF_PUT(gcn_sum_backward, a->xs[0].size[0], row_width(a->xs[0]))
{
    const int f = row_width(a->xs[0]), nodes = a->xs[0].size[0];
    gcn_row(DX + r * f, DY(0), X(1), XI(5), 2, XI(4)[2 * r], XI(4)[2 * r + 1], r, nodes, f, add);
}
