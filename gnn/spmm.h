/* SPDX-License-Identifier: MIT */
/* Sums over messages. Inputs: x, rows, sources, rows_t, targets (see ag_graph). */
#include "core/kernel.h"
#include "gnn/tail.h"

enum { SPMM_SUM, SPMM_MEAN, SPMM_MAX, SPMM_CHUNK = 1024, SPMM_GROUP = 4 };

/* Features of a node: all axes but the first. */
AG_BOTH int64_t features_of(ag_shape s) { return s.size[0] ? ag__sizes(s, 1, s.rank) : 0; }

/* to = what it holds (with `add`) + s[0] from[0] + s[1] from[1] ..., in this order. */
KERNEL void spmm_join(ag_real *to, const ag_real *const *from, const ag_real *s, const int count,
                      int m, const int add)
{
    ag_real *__restrict__ y = to;
    EACH (i, m) {
        ag_real v = add ? y[i] : s[0] * from[0][i];
        for (int k = !add; k < count; k++) v += s[k] * from[k][i];
        y[i] = v;
    }
}

KERNEL void spmm_some(ag_real *to, const ag_real *const *from, const ag_real *s, int count, int m,
                      const int add)
{
    switch (count) {
    case 1: spmm_join(to, from, s, 1, m, add); break;
    case 2: spmm_join(to, from, s, 2, m, add); break;
    case 3: spmm_join(to, from, s, 3, m, add); break;
    case 4: spmm_join(to, from, s, 4, m, add); break;
    default: break;
    }
}

/* spmm_row for a CPU: up to SPMM_GROUP messages in one sweep; with more, chunk by chunk so that y
   stays in the cache. */
KERNEL void spmm_row_chunks(ag_real *y, const ag_real *x, const int32_t *senders, int wide,
                            int first, int n, int nodes, int64_t f, ag_real scale,
                            const int32_t *rows, const int add)
{
    const int chunk = n > SPMM_GROUP ? SPMM_CHUNK : 1 << 20;
    for (int64_t c = 0; c < f; c += chunk) {
        const int m = f - c < chunk ? (int)(f - c) : chunk;
        const ag_real *from[SPMM_GROUP];
        ag_real s[SPMM_GROUP];
        int written = add, count = 0;
        for (int k = 0; k < n; k++) {
            const int u = senders[(int64_t)(first + k) * wide];
            const int known = u >= 0 && u < nodes;
            if (known) {
                s[count] = rows ? 1 / (ag_real)rows[2 * u + 1] : scale;
                from[count++] = x + u * f + c;
            }
            if (count < SPMM_GROUP && k + 1 < n) continue;
            if (written)
                spmm_some(y + c, from, s, count, m, 1);
            else
                spmm_some(y + c, from, s, count, m, 0);
            written |= count > 0;
            count = 0;
        }
        if (!written)
            EACH (i, m) y[c + i] = 0;
    }
}

/* spmm_row for a GPU: a lane adds its values in a register, in the same order. */
KERNEL void spmm_row_lanes(ag_real *y, const ag_real *x, const int32_t *senders, int wide,
                           int first, int n, int nodes, int64_t f, ag_real scale,
                           const int32_t *rows, const int add)
{
    EACH (i, f) {
        ag_real v = add ? y[i] : 0;
        int written = add;
        for (int k = first; k < first + n; k++) {
            const int u = senders[(int64_t)k * wide];
            if (u < 0 || u >= nodes) continue;
            const ag_real part = (rows ? 1 / (ag_real)rows[2 * u + 1] : scale) * x[u * f + i];
            v = written ? v + part : part;
            written = 1;
        }
        y[i] = v;
    }
}

/* y = sum over the n messages at `first` of s x[sender]. `wide` is 2 when senders are pairs (node,
   position); then s is 1 / (messages of the receiver) for the mean. */
KERNEL void spmm_row(ag_real *y, const ag_real *x, const int32_t *senders, int wide, int first,
                     int n, int nodes, int64_t f, ag_real scale, const int32_t *rows, const int add)
{
    if (LANES == 1)
        spmm_row_chunks(y, x, senders, wide, first, n, nodes, f, scale, rows, add);
    else
        spmm_row_lanes(y, x, senders, wide, first, n, nodes, f, scale, rows, add);
}

ROW(spmm_forward, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    const int first = XI(1)[2 * r], n = XI(1)[2 * r + 1];
    const ag_real s = a->attr.i[0] == SPMM_MEAN && n ? 1 / (ag_real)n : 1;
    (void)add;
    spmm_row(Y(0) + r * f, X(0), XI(2), 1, first, n, a->xs[0].size[0], f, s, 0, 0);
}

ROW(spmm_backward, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    const int first = XI(3)[2 * r], n = XI(3)[2 * r + 1];
    spmm_row(DX + r * f, DY(0), XI(4), 2, first, n, a->xs[0].size[0], f, 1,
             a->attr.i[0] == SPMM_MEAN ? XI(1) : 0, add);
}

/* ---- max: the position of the first largest message is kept per feature
 * ------------------------------- */

ROW(spmm_max_forward, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    const int first = XI(1)[2 * r], n = XI(1)[2 * r + 1], nodes = a->xs[0].size[0];
    ag_real *y = Y(0) + r * f;
    int32_t *at = YI(1) + r * f;
    (void)add;
    for (int64_t c = 0; c < f; c += SPMM_CHUNK) {
        const int m = f - c < SPMM_CHUNK ? (int)(f - c) : SPMM_CHUNK;
        EACH (i, m) {
            y[c + i] = 0;
            at[c + i] = -1;
        }
        for (int k = 0; k < n; k++) {
            const int u = XI(2)[first + k];
            if (u < 0 || u >= nodes) continue;
            const ag_real *from = X(0) + u * f + c;
            EACH (i, m) {
                const int better = at[c + i] < 0 || from[i] > y[c + i];
                y[c + i] = better ? from[i] : y[c + i];
                at[c + i] = better ? first + k : at[c + i];
            }
        }
    }
}

ROW(spmm_max_backward, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    const int first = XI(3)[2 * r], n = XI(3)[2 * r + 1], nodes = a->xs[0].size[0];
    ag_real *dx = DX + r * f;
    for (int64_t c = 0; c < f; c += SPMM_CHUNK) {
        const int m = f - c < SPMM_CHUNK ? (int)(f - c) : SPMM_CHUNK;
        if (!add)
            EACH (i, m) dx[c + i] = 0;
        for (int k = 0; k < n; k++) {
            const int v = XI(4)[2 * (first + k)], p = XI(4)[2 * (first + k) + 1];
            if (v < 0 || v >= nodes) continue;
            const int32_t *at = YI(1) + v * f + c;
            const ag_real *dy = DY(0) + v * f + c;
            EACH (i, m) dx[c + i] += at[i] == p ? dy[i] : 0;
        }
    }
}

/* ---- weighted sum and its partner, the product over messages
 * ------------------------------------------- */

/* y[h,:] += w[p,h] x[u,h,:] over the messages; senders as in spmm_row, positions 0: they count up.
 */
KERNEL void weighted_row(ag_real *y, const ag_real *x, const ag_real *w, const int32_t *senders,
                         int pairs, int first, int n, int nodes, int heads, int64_t f,
                         const int add)
{
    const int d = (int)(f / (heads ? heads : 1));
    for (int h = 0; h < heads; h++) {
        if (!add)
            EACH (i, d) y[h * d + i] = 0;
        for (int k = 0; k < n; k++) {
            const int q = first + k, u = senders[(int64_t)q * (pairs ? 2 : 1)];
            const int64_t p = pairs ? senders[2 * (int64_t)q + 1] : q;
            if (u < 0 || u >= nodes) continue;
            const ag_real s = w[p * heads + h];
            const ag_real *from = x + u * f + h * d;
            EACH (i, d) y[h * d + i] += s * from[i];
        }
    }
}

/* w[p,h] = <a[v,h,:], b[u,h,:]> for the messages p into v. */
KERNEL void product_row(ag_real *w, const ag_real *va, const ag_real *b, const int32_t *senders,
                        int first, int n, int nodes, int heads, int64_t f, const int add)
{
    const int d = (int)(f / (heads ? heads : 1));
    for (int k = 0; k < n; k++) {
        const int u = senders[first + k];
        for (int h = 0; h < heads; h++) {
            ag_real s = 0;
            if (u >= 0 && u < nodes) {
                const ag_real *vh = va + h * d, *bh = b + u * f + h * d;
                SUM(s, i, d, vh[i] * bh[i]);
            }
            if (LANE == 0) PUT(w, (int64_t)(first + k) * heads + h, s);
        }
    }
}

/* Inputs of the weighted sum: x, w, rows, sources, rows_t, targets. */
AG_BOTH int weight_heads(ag_shape w) { return w.rank == 2 ? w.size[1] : 1; }

ROW(spmm_weighted_forward, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    (void)add;
    weighted_row(Y(0) + r * f, X(0), X(1), XI(3), 0, XI(2)[2 * r], XI(2)[2 * r + 1],
                 a->xs[0].size[0], weight_heads(a->xs[1]), f, 0);
}

ROW(spmm_weighted_backward_x, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    weighted_row(DX + r * f, DY(0), X(1), XI(5), 1, XI(4)[2 * r], XI(4)[2 * r + 1],
                 a->xs[0].size[0], weight_heads(a->xs[1]), f, add);
}

ROW(spmm_weighted_backward_w, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    const int heads = weight_heads(a->xs[1]);
    product_row(DX, DY(0) + r * f, X(0), XI(3), XI(2)[2 * r], XI(2)[2 * r + 1], a->xs[0].size[0],
                heads, f, add);
    clear_tail(DX, XI(2), r, a->xs[0].size[0], a->xs[3].size[0], heads, add);
}

/* Inputs of the product: a, b, rows, sources, rows_t, targets; attr.i[0] heads. */
ROW(sddmm_forward, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    (void)add;
    product_row(Y(0), X(0) + r * f, X(1), XI(3), XI(2)[2 * r], XI(2)[2 * r + 1], a->xs[0].size[0],
                a->attr.i[0], f, 0);
    clear_tail(Y(0), XI(2), r, a->xs[0].size[0], a->xs[3].size[0], a->attr.i[0], 0);
}

ROW(sddmm_backward_a, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    weighted_row(DX + r * f, X(1), DY(0), XI(3), 0, XI(2)[2 * r], XI(2)[2 * r + 1],
                 a->xs[0].size[0], a->attr.i[0], f, add);
}

ROW(sddmm_backward_b, a->xs[0].size[0])
{
    const int64_t f = features_of(a->xs[0]);
    weighted_row(DX + r * f, X(0), DY(0), XI(5), 1, XI(4)[2 * r], XI(4)[2 * r + 1],
                 a->xs[0].size[0], a->attr.i[0], f, add);
}
