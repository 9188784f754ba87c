/* SPDX-License-Identifier: MIT */
/* Inputs: z [n, ..., 2o], b [o], rows, sources, rows_t, targets. The left halves travel, the right
 * halves stay. */
#include "core/kernel.h"

enum { SAGE_SUM, SAGE_MEAN };

/* Rows of features that a node has: the axes between the first and the last. */
AG_BOTH int rows_of_node(ag_shape s) { return s.size[0] ? (int)(ag__rows(s) / s.size[0]) : 0; }

ROW(sage_sum_forward, a->xs[0].size[0])
{
    const int nodes = a->xs[0].size[0], k = rows_of_node(a->xs[0]), o = a->xs[1].size[0];
    const int first = XI(2)[2 * r], n = XI(2)[2 * r + 1];
    const ag_real s = a->attr.i[0] == SAGE_MEAN && n ? 1 / (ag_real)n : 1;
    const ag_real *b = X(1);
    (void)add;
    for (int c = 0; c < k; c++) {
        const ag_real *own = X(0) + (r * k + c) * 2 * o + o;
        ag_real *y = Y(0) + (r * k + c) * o;
        EACH (i, o) y[i] = own[i] + b[i];
    }
    for (int p = first; p < first + n; p++) {
        const int u = XI(3)[p];
        if (u < 0 || u >= nodes) continue;
        for (int c = 0; c < k; c++) {
            const ag_real *z = X(0) + ((int64_t)u * k + c) * 2 * o;
            ag_real *y = Y(0) + (r * k + c) * o;
            EACH (i, o) y[i] += s * z[i];
        }
    }
}

ROW(sage_sum_backward_z, a->xs[0].size[0])
{
    const int nodes = a->xs[0].size[0], k = rows_of_node(a->xs[0]), o = a->xs[1].size[0];
    const int first = XI(4)[2 * r], n = XI(4)[2 * r + 1];
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
        if (v < 0 || v >= nodes) continue;
        const ag_real s = a->attr.i[0] == SAGE_MEAN ? 1 / (ag_real)XI(2)[2 * v + 1] : 1;
        for (int c = 0; c < k; c++) {
            const ag_real *dy = DY(0) + ((int64_t)v * k + c) * o;
            ag_real *dz = DX + (r * k + c) * 2 * o;
            EACH (i, o) dz[i] += s * dy[i];
        }
    }
}
