/* SPDX-License-Identifier: MIT */
/* Rows of the weighted sum over messages and of its partner, the product along messages. */
#ifndef AG_GNN_WEIGHTED_ROWS_H
#define AG_GNN_WEIGHTED_ROWS_H

#include "core/kernel.h"

/* HEAD_CHUNK values of y stay in the cache; heads of fewer than SHORT_HEAD values are short. */
enum { HEAD_CHUNK = 1024, SHORT_HEAD = 16 };

/* The messages into or out of a node: senders, or pairs of a receiver and the position of the
   message. Without pairs, message q has the position q. */
typedef struct head_messages {
    const int32_t *ends;
    int pairs, first, n, nodes;
} head_messages;

/* The heads of a node, d values each; on a GPU a unit is one of them, since heads may be short. */
typedef struct head_unit {
    int64_t v;
    int head, heads, d;
} head_unit;

AG_BOTH int head_units(int heads) { return MOST_LANES == 1 || heads < 1 ? 1 : heads; }

/* The other end of message q; -1: there is no such node. */
KERNEL int end_of(head_messages m, int64_t q)
{
    const int u = m.ends[q * (m.pairs ? 2 : 1)];
    return u < m.nodes ? u : -1;
}
KERNEL int64_t position_of(head_messages m, int64_t q) { return m.pairs ? m.ends[2 * q + 1] : q; }

/* to[h,:] = w[h] for heads of d values. */
KERNEL void spread_heads(ag_real *to, const ag_real *w, int heads, const int d)
{
    ag_real *__restrict__ all = to;
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < d; i++) all[h * d + i] = w[h];
}

/* y[h,:] += w[h] x[h,:] for short heads, at most HEAD_CHUNK values in all. The weights are first
   repeated for each value, so that one long loop goes over all values. */
KERNEL void weighted_heads(ag_real *y, const ag_real *x, const ag_real *w, int heads, int d)
{
    ag_real *__restrict__ to = y, spread[HEAD_CHUNK];
    switch (d) {
    case 1: break;
    case 2: spread_heads(spread, w, heads, 2); break;
    case 3: spread_heads(spread, w, heads, 3); break;
    case 4: spread_heads(spread, w, heads, 4); break;
    case 8: spread_heads(spread, w, heads, 8); break;
    default: spread_heads(spread, w, heads, d); break;
    }
    const ag_real *s = d == 1 ? w : spread;
    for (int i = 0; i < heads * d; i++) to[i] += s[i] * x[i];
}

/* weighted_row for a CPU and short heads: takes as many heads of a message at a time as the cache
   holds. */
KERNEL_ONCE void weighted_row_short(ag_real *y, const ag_real *x, const ag_real *w, head_messages m,
                                    int heads, int d, int add)
{
    const int most = HEAD_CHUNK / d;
    for (int h = 0; h < heads; h += most) {
        const int some = heads - h < most ? heads - h : most;
        if (!add)
            for (int i = 0; i < some * d; i++) y[h * d + i] = 0;
        for (int q = m.first; q < m.first + m.n; q++) {
            const int64_t u = end_of(m, q), p = position_of(m, q);
            if (u < 0) continue;
            weighted_heads(y + h * d, x + (u * heads + h) * d, w + p * heads + h, some, d);
        }
    }
}

/* weighted_row for a CPU and long heads: one head after the other. */
KERNEL void weighted_row_long(ag_real *y, const ag_real *x, const ag_real *w, head_messages m,
                              int heads, int d, const int add)
{
    for (int h = 0; h < heads; h++, y += d) {
        if (!add)
            for (int i = 0; i < d; i++) y[i] = 0;
        for (int q = m.first; q < m.first + m.n; q++) {
            const int u = end_of(m, q);
            if (u < 0) continue;
            const int64_t p = position_of(m, q);
            const ag_real s = w[p * heads + h], *from = x + ((int64_t)u * heads + h) * d;
            for (int i = 0; i < d; i++) y[i] += s * from[i];
        }
    }
}

/* weighted_row for a GPU: a lane adds its values of the head in a register, in the same order. */
KERNEL void weighted_row_lanes(ag_real *y, const ag_real *x, const ag_real *w, head_messages m,
                               head_unit t, const int add)
{
    EACH (i, t.d) {
        ag_real v = add ? y[t.head * t.d + i] : 0;
        for (int q = m.first; q < m.first + m.n; q++) {
            const int64_t u = end_of(m, q), p = position_of(m, q);
            if (u < 0) continue;
            v += w[p * t.heads + t.head] * x[(u * t.heads + t.head) * t.d + i];
        }
        y[t.head * t.d + i] = v;
    }
}

/* y[v,h,:] = or += the sum of w[p,h] x[u,h,:] over the messages p, for the heads h of a unit. */
KERNEL void weighted_row(ag_real *y, const ag_real *x, const ag_real *w, head_messages m,
                         head_unit t, const int add)
{
    y += t.v * t.heads * t.d;
    if (MOST_LANES > 1)
        weighted_row_lanes(y, x, w, m, t, add);
    else if (t.d > 0 && t.d < SHORT_HEAD)
        weighted_row_short(y, x, w, m, t.heads, t.d, add);
    else
        weighted_row_long(y, x, w, m, t.heads, t.d, add);
}

KERNEL ag_real head_product(const ag_real *va, const ag_real *b, const int d)
{
    ag_real s;
    SUM(s, i, d, va[i] * b[i]);
    return s;
}

/* product_row for a CPU and short heads of a length that the compiler may know. */
KERNEL void product_heads(ag_real *w, const ag_real *va, const ag_real *b, head_messages m,
                          int heads, const int d, int add)
{
    for (int q = m.first; q < m.first + m.n; q++) {
        const int64_t u = end_of(m, q);
        ag_real *__restrict__ to = w + (int64_t)q * heads;
        if (u < 0) {
            for (int h = 0; h < heads; h++) to[h] = add ? to[h] : 0;
            continue;
        }
        const ag_real *bu = b + u * heads * d;
        if (add)
            for (int h = 0; h < heads; h++) to[h] += head_product(va + h * d, bu + h * d, d);
        else
            for (int h = 0; h < heads; h++) to[h] = head_product(va + h * d, bu + h * d, d);
    }
}

KERNEL_ONCE void product_row_short(ag_real *w, const ag_real *va, const ag_real *b, head_messages m,
                                   int heads, int d, int add)
{
    switch (d) {
    case 1: product_heads(w, va, b, m, heads, 1, add); break;
    case 2: product_heads(w, va, b, m, heads, 2, add); break;
    case 3: product_heads(w, va, b, m, heads, 3, add); break;
    case 4: product_heads(w, va, b, m, heads, 4, add); break;
    case 8: product_heads(w, va, b, m, heads, 8, add); break;
    default: product_heads(w, va, b, m, heads, d, add); break;
    }
}

/* product_row for a GPU, and for a CPU and long heads. */
KERNEL void product_row_long(ag_real *w, const ag_real *va, const ag_real *b, head_messages m,
                             head_unit t, const int add)
{
    for (int q = m.first; q < m.first + m.n; q++) {
        const int64_t u = end_of(m, q);
        for (int h = t.head; h < t.heads; h += head_units(t.heads)) {
            ag_real s = 0;
            if (u >= 0) {
                const ag_real *vh = va + h * t.d, *bh = b + (u * t.heads + h) * t.d;
                SUM(s, i, t.d, vh[i] * bh[i]);
            }
            if (LANE == 0) PUT(w, (int64_t)q * t.heads + h, s);
        }
    }
}

/* w[p,h] = <a[v,h,:], b[u,h,:]> for the messages p into v from u and the heads h of a unit. */
KERNEL void product_row(ag_real *w, const ag_real *va, const ag_real *b, head_messages m,
                        head_unit t, const int add)
{
    va += t.v * t.heads * t.d;
    if (MOST_LANES == 1 && t.d > 0 && t.d < SHORT_HEAD)
        product_row_short(w, va, b, m, t.heads, t.d, add);
    else
        product_row_long(w, va, b, m, t, add);
}

#endif
