/* SPDX-License-Identifier: MIT */
/* Sums over messages. Inputs: x, rows, sources, rows_t, targets (see ag_graph). */
#include "core/kernel.h"
#include "gnn/message_rows.h"
#include "gnn/weighted_rows.h"

enum { SPMM_SUM, SPMM_MEAN, SPMM_MAX, SPMM_CHUNK = 1024, SPMM_GROUP = 4 };

/* On a GPU a row is a chunk of a node's features, since a node may have many; on a CPU it is all of
   them. */
typedef struct spmm_unit {
    int64_t v, c, m; /* the node; the first feature; how many */
} spmm_unit;

AG_BOTH int64_t spmm_chunks(int64_t f)
{
    return MOST_LANES == 1 ? 1 : (f + SPMM_CHUNK - 1) / SPMM_CHUNK;
}
AG_BOTH spmm_unit spmm_unit_of(int64_t r, int64_t f)
{
    const int64_t chunks = spmm_chunks(f), c = r % chunks * SPMM_CHUNK, left = f - c;
    spmm_unit u = {r / chunks, c, left};
    if (chunks > 1 && left > SPMM_CHUNK) u.m = SPMM_CHUNK;
    return u;
}

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

/* spmm_row for a CPU: up to SPMM_GROUP messages in one sweep; more messages chunk by chunk, so that
   y stays in the cache. */
KERNEL void spmm_row_chunks(ag_real *y, const ag_real *x, const int32_t *senders, int wide,
                            int first, int n, int nodes, int64_t f, int64_t all, ag_real scale,
                            const int32_t *rows, const int add)
{
    const int chunk = n > SPMM_GROUP ? SPMM_CHUNK : 1 << 20;
    for (int64_t c = 0; c < all; c += chunk) {
        const int m = all - c < chunk ? (int)(all - c) : chunk;
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
                           int first, int n, int nodes, int64_t f, int64_t all, ag_real scale,
                           const int32_t *rows, const int add)
{
    EACH (i, all) {
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

/* y = the sum of s x[sender] over the n messages from `first` on, for `all` of the f features,
   from where x and y point to. `wide` is 2 when senders are pairs (node, position); then s is 1 /
   (messages of the receiver) for the mean. */
KERNEL void spmm_row(ag_real *y, const ag_real *x, const int32_t *senders, int wide, int first,
                     int n, int nodes, int64_t f, int64_t all, ag_real scale, const int32_t *rows,
                     const int add)
{
    if (MOST_LANES == 1)
        spmm_row_chunks(y, x, senders, wide, first, n, nodes, f, all, scale, rows, add);
    else
        spmm_row_lanes(y, x, senders, wide, first, n, nodes, f, all, scale, rows, add);
}

ROW_OF(spmm_forward, a->xs[0].size[0] * spmm_chunks(values_of(a->xs[0])), values_of(a->xs[0]))
{
    const int64_t f = values_of(a->xs[0]);
    const spmm_unit u = spmm_unit_of(r, f);
    const int first = XI(1)[2 * u.v], n = XI(1)[2 * u.v + 1];
    const ag_real s = a->attr.i[0] == SPMM_MEAN && n ? 1 / (ag_real)n : 1;
    spmm_row(Y(0) + u.v * f + u.c, X(0) + u.c, XI(2), 1, first, n, a->xs[0].size[0], f, u.m, s, 0,
             0);
}

ROW_OF_PUT(spmm_backward, a->xs[0].size[0] * spmm_chunks(values_of(a->xs[0])), values_of(a->xs[0]))
{
    const int64_t f = values_of(a->xs[0]);
    const spmm_unit u = spmm_unit_of(r, f);
    const int first = XI(3)[2 * u.v], n = XI(3)[2 * u.v + 1];
    spmm_row(DX + u.v * f + u.c, DY(0) + u.c, XI(4), 2, first, n, a->xs[0].size[0], f, u.m, 1,
             a->attr.i[0] == SPMM_MEAN ? XI(1) : 0, add);
}

/* ---- max: the position of the first largest message is kept per feature ---- */

ROW_OF(spmm_max_forward, a->xs[0].size[0] * spmm_chunks(values_of(a->xs[0])), values_of(a->xs[0]))
{
    const int64_t f = values_of(a->xs[0]);
    const spmm_unit u = spmm_unit_of(r, f);
    const int first = XI(1)[2 * u.v], n = XI(1)[2 * u.v + 1], nodes = a->xs[0].size[0];
    ag_real *y = Y(0) + u.v * f;
    int32_t *at = YI(1) + u.v * f;
    for (int64_t c = u.c; c < u.c + u.m; c += SPMM_CHUNK) {
        const int m = f - c < SPMM_CHUNK ? (int)(f - c) : SPMM_CHUNK;
        EACH (i, m) {
            y[c + i] = 0;
            at[c + i] = -1;
        }
        for (int k = 0; k < n; k++) {
            const int sender = XI(2)[first + k];
            if (sender < 0 || sender >= nodes) continue;
            const ag_real *from = X(0) + sender * f + c;
            EACH (i, m) {
                const int better = at[c + i] < 0 || from[i] > y[c + i];
                y[c + i] = better ? from[i] : y[c + i];
                at[c + i] = better ? first + k : at[c + i];
            }
        }
    }
}

ROW_OF_PUT(spmm_max_backward, a->xs[0].size[0] * spmm_chunks(values_of(a->xs[0])),
           values_of(a->xs[0]))
{
    const int64_t f = values_of(a->xs[0]);
    const spmm_unit u = spmm_unit_of(r, f);
    const int first = XI(3)[2 * u.v], n = XI(3)[2 * u.v + 1], nodes = a->xs[0].size[0];
    ag_real *dx = DX + u.v * f;
    for (int64_t c = u.c; c < u.c + u.m; c += SPMM_CHUNK) {
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

/* ---- weighted sum and its partner, the product over messages: gnn/weighted_rows.h ---- */

/* For both ops: the number of rows, the columns of a row (ROW_OF), and the unit of row r. */
AG_BOTH int64_t head_rows(const ag_args *a, int heads)
{
    return (int64_t)a->xs[0].size[0] * head_units(heads);
}
AG_BOTH int64_t head_columns(const ag_args *a, int heads)
{
    return values_of(a->xs[0]) / (heads ? heads : 1);
}
KERNEL head_unit head_unit_of(const ag_args *a, int heads, int64_t r)
{
    const int units = head_units(heads);
    const head_unit t = {r / units, (int)(r % units), heads, (int)head_columns(a, heads)};
    return t;
}

/* For both ops: the messages into v and out of it. Inputs 2 to 5: rows, sources, rows_t,
   targets. */
KERNEL head_messages messages_into(const ag_args *a, int64_t v)
{
    const head_messages m = {XI(3), 0, XI(2)[2 * v], XI(2)[2 * v + 1], a->xs[0].size[0]};
    return m;
}
KERNEL head_messages messages_from(const ag_args *a, int64_t v)
{
    const head_messages m = {XI(5), 1, XI(4)[2 * v], XI(4)[2 * v + 1], a->xs[0].size[0]};
    return m;
}

/* w [p, heads] for the messages into v and the heads of the unit. */
KERNEL void product_unit(const ag_args *a, ag_real *w, const ag_real *to, const ag_real *from,
                         head_unit t, const int add)
{
    product_row(w, to, from, messages_into(a, t.v), t, add);
    if (t.head == 0) clear_tail(w, XI(2), t.v, a->xs[0].size[0], a->xs[3].size[0], t.heads, add);
}

/* Inputs of the weighted sum: x, w, then the graph. */
AG_BOTH int weight_heads(ag_shape w) { return w.rank == 2 ? w.size[1] : 1; }

ROW_OF(spmm_weighted_forward, head_rows(a, weight_heads(a->xs[1])),
       head_columns(a, weight_heads(a->xs[1])))
{
    const head_unit t = head_unit_of(a, weight_heads(a->xs[1]), r);
    weighted_row(Y(0), X(0), X(1), messages_into(a, t.v), t, 0);
}

ROW_OF_PUT(spmm_weighted_backward_x, head_rows(a, weight_heads(a->xs[1])),
           head_columns(a, weight_heads(a->xs[1])))
{
    const head_unit t = head_unit_of(a, weight_heads(a->xs[1]), r);
    weighted_row(DX, DY(0), X(1), messages_from(a, t.v), t, add);
}

ROW_OF_PUT(spmm_weighted_backward_w, head_rows(a, weight_heads(a->xs[1])),
           head_columns(a, weight_heads(a->xs[1])))
{
    product_unit(a, DX, DY(0), X(0), head_unit_of(a, weight_heads(a->xs[1]), r), add);
}

/* Inputs of the product: a, b, then the graph; attr.i[0] heads. */
ROW_OF(sddmm_forward, head_rows(a, a->attr.i[0]), head_columns(a, a->attr.i[0]))
{
    product_unit(a, Y(0), X(0), X(1), head_unit_of(a, a->attr.i[0], r), 0);
}

ROW_OF_PUT(sddmm_backward_a, head_rows(a, a->attr.i[0]), head_columns(a, a->attr.i[0]))
{
    const head_unit t = head_unit_of(a, a->attr.i[0], r);
    weighted_row(DX, X(1), DY(0), messages_into(a, t.v), t, add);
}

ROW_OF_PUT(sddmm_backward_b, head_rows(a, a->attr.i[0]), head_columns(a, a->attr.i[0]))
{
    const head_unit t = head_unit_of(a, a->attr.i[0], r);
    weighted_row(DX, X(0), DY(0), messages_from(a, t.v), t, add);
}
