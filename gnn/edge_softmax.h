/* SPDX-License-Identifier: MIT */
/* Values of messages. Inputs: x [n, ...] twice (edge_add) or [p, ...] (edge_softmax), then rows,
   sources, rows_t, targets. */
#include "gnn/message_rows.h"

/* ---- edge_add: y[p] = from[source] + to[target] ---- */

ROW_OF(edge_add_forward, a->xs[0].size[0], values_of(a->xs[0]))
{
    const int64_t f = values_of(a->xs[0]);
    const int first = XI(2)[2 * r], n = XI(2)[2 * r + 1];
    const ag_real *to = X(1) + r * f;
    for (int p = first; p < first + n; p++) {
        const int u = XI(3)[p];
        ag_real *y = Y(0) + p * f;
        if (u < 0 || u >= a->xs[0].size[0]) {
            EACH (i, f) y[i] = to[i];
        } else {
            const ag_real *from = X(0) + u * f;
            EACH (i, f) y[i] = from[i] + to[i];
        }
    }
    clear_tail(Y(0), XI(2), r, a->xs[0].size[0], a->xs[3].size[0], f, 0);
}

ROW_OF_PUT(edge_add_backward_from, a->xs[0].size[0], values_of(a->xs[0]))
{
    const int64_t f = values_of(a->xs[0]);
    const int first = XI(4)[2 * r], n = XI(4)[2 * r + 1];
    ag_real *dx = DX + r * f;
    if (!add)
        EACH (i, f) dx[i] = 0;
    for (int q = first; q < first + n; q++) {
        const ag_real *dy = DY(0) + XI(5)[2 * q + 1] * f;
        EACH (i, f) dx[i] += dy[i];
    }
}

ROW_OF_PUT(edge_add_backward_to, a->xs[0].size[0], values_of(a->xs[0]))
{
    const int64_t f = values_of(a->xs[0]);
    sum_messages(DX + r * f, DY(0) + XI(2)[2 * r] * f, XI(2)[2 * r + 1], f, add);
}

/* ---- edge_softmax: over the messages into a node, separately for every value ---- */

/* On a CPU a loop over the values of a message is fast with SOFTMAX_WIDE values or more: then it is
   the inner loop, at most SOFTMAX_MOST values at a time. Otherwise, and on a GPU, the inner loop
   goes over the messages. */
enum { SOFTMAX_WIDE = 8, SOFTMAX_MOST = 64 };

/* y from x in columns 0..m-1 of n messages, which are f values apart. */
KERNEL void edge_softmax_rows(ag_real *y, const ag_real *x, int n, int64_t f, int m)
{
    ag_real largest[SOFTMAX_MOST], s[SOFTMAX_MOST];
    for (int i = 0; i < m; i++) largest[i] = (ag_real)-INFINITY, s[i] = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
            largest[i] = x[k * f + i] > largest[i] ? x[k * f + i] : largest[i];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) s[i] += y[k * f + i] = v_exp(x[k * f + i] - largest[i]);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) y[k * f + i] /= s[i];
}

KERNEL void edge_softmax_rows_back(ag_real *dx, const ag_real *y, const ag_real *dy, int n,
                                   int64_t f, int m, const int add)
{
    ag_real s[SOFTMAX_MOST];
    for (int i = 0; i < m; i++) s[i] = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) s[i] += y[k * f + i] * dy[k * f + i];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) PUT(dx, k * f + i, y[k * f + i] * (dy[k * f + i] - s[i]));
}

AG_BOTH int softmax_wide(int64_t f) { return MOST_LANES == 1 && f >= SOFTMAX_WIDE; }
AG_BOTH int softmax_left(int64_t f, int64_t c)
{
    return f - c < SOFTMAX_MOST ? (int)(f - c) : SOFTMAX_MOST;
}

ROW_OF(edge_softmax_forward, a->xs[1].size[0], values_of(a->xs[0]))
{
    const int64_t f = values_of(a->xs[0]);
    const int first = XI(1)[2 * r], n = XI(1)[2 * r + 1];
    const ag_real *x = X(0) + first * f;
    ag_real *y = Y(0) + first * f;
    if (softmax_wide(f)) {
        for (int64_t c = 0; c < f; c += SOFTMAX_MOST)
            edge_softmax_rows(y + c, x + c, n, f, softmax_left(f, c));
    } else {
        EACH (i, f) {
            ag_real m = (ag_real)-INFINITY, s = 0;
            for (int k = 0; k < n; k++) m = x[k * f + i] > m ? x[k * f + i] : m;
            for (int k = 0; k < n; k++) s += y[k * f + i] = v_exp(x[k * f + i] - m);
            for (int k = 0; k < n; k++) y[k * f + i] /= s;
        }
    }
    clear_tail(Y(0), XI(1), r, a->xs[1].size[0], a->xs[0].size[0], f, 0);
}

ROW_OF_PUT(edge_softmax_backward, a->xs[1].size[0], values_of(a->xs[0]))
{
    const int64_t f = values_of(a->xs[0]);
    const int first = XI(1)[2 * r], n = XI(1)[2 * r + 1];
    const ag_real *y = Y(0) + first * f, *dy = DY(0) + first * f;
    ag_real *dx = DX + first * f;
    if (softmax_wide(f)) {
        for (int64_t c = 0; c < f; c += SOFTMAX_MOST)
            edge_softmax_rows_back(dx + c, y + c, dy + c, n, f, softmax_left(f, c), add);
    } else {
        EACH (i, f) {
            ag_real s = 0;
            for (int k = 0; k < n; k++) s += y[k * f + i] * dy[k * f + i];
            for (int k = 0; k < n; k++) PUT(dx, k * f + i, y[k * f + i] * (dy[k * f + i] - s));
        }
    }
    clear_tail(DX, XI(1), r, a->xs[1].size[0], a->xs[0].size[0], f, add);
}
