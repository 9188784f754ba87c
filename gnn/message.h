/* SPDX-License-Identifier: MIT */
/* Aggregates of the values of the messages into a node. Inputs: x [p, ...], rows, sources, rows_t,
   targets; y [n, ...]. The unit of a node reads and writes only its messages, which are
   adjacent. */
#include "gnn/message_rows.h"

/* Node r: its messages, at x and dx, and how many values each has. */
typedef struct message_unit {
    int64_t f, at; /* at: of the first message, in elements */
    int first, n;
} message_unit;

KERNEL message_unit message_unit_of(const ag_args *a, int64_t r)
{
    const int64_t f = values_of(a->ys[0]);
    const message_unit u = {f, XI(1)[2 * r] * f, XI(1)[2 * r], XI(1)[2 * r + 1]};
    return u;
}

/* Backward: clears the places that no node has. */
KERNEL void clear_message_tail(const ag_args *a, int64_t r, const int add)
{
    clear_tail(DX, XI(1), r, a->xs[1].size[0], a->xs[0].size[0], values_of(a->ys[0]), add);
}

/* ---- sum; attr.i[0] is 1: mean ---- */

AG_BOTH ag_real message_share(const ag_args *a, int n)
{
    return a->attr.i[0] && n ? 1 / (ag_real)n : 1;
}

ROW_OF(message_sum_forward, a->ys[0].size[0], values_of(a->ys[0]))
{
    const message_unit u = message_unit_of(a, r);
    const ag_real share = message_share(a, u.n);
    ag_real *y = Y(0) + r * u.f;
    sum_messages(y, X(0) + u.at, u.n, u.f, 0);
    EACH (i, u.f) y[i] *= share;
}

ROW_OF_PUT(message_sum_backward, a->ys[0].size[0], values_of(a->ys[0]))
{
    const message_unit u = message_unit_of(a, r);
    const ag_real share = message_share(a, u.n), *dy = DY(0) + r * u.f;
    ag_real *dx = DX + u.at;
    for (int k = 0; k < u.n; k++, dx += u.f)
        EACH (i, u.f) PUT(dx, i, share * dy[i]);
    clear_message_tail(a, r, add);
}

/* ---- the first largest, with attr.i[0] the first smallest; Y(1): its position ---- */

ROW_OF(message_max_forward, a->ys[0].size[0], values_of(a->ys[0]))
{
    const message_unit u = message_unit_of(a, r);
    const int least = a->attr.i[0];
    const ag_real *x = X(0) + u.at;
    ag_real *y = Y(0) + r * u.f;
    int32_t *at = YI(1) + r * u.f;
    EACH (i, u.f) {
        y[i] = 0;
        at[i] = -1;
    }
    for (int p = u.first; p < u.first + u.n; p++, x += u.f)
        EACH (i, u.f) {
            const int better = at[i] < 0 || (least ? x[i] < y[i] : x[i] > y[i]);
            y[i] = better ? x[i] : y[i];
            at[i] = better ? p : at[i];
        }
}

ROW_OF_PUT(message_max_backward, a->ys[0].size[0], values_of(a->ys[0]))
{
    const message_unit u = message_unit_of(a, r);
    const ag_real *dy = DY(0) + r * u.f;
    const int32_t *at = YI(1) + r * u.f;
    ag_real *dx = DX + u.at;
    for (int p = u.first; p < u.first + u.n; p++, dx += u.f)
        EACH (i, u.f) PUT(dx, i, at[i] == p ? dy[i] : 0);
    clear_message_tail(a, r, add);
}

/* ---- standard deviation; Y(1): the mean ---- */

ROW_OF(message_std_forward, a->ys[0].size[0], values_of(a->ys[0]))
{
    const message_unit u = message_unit_of(a, r);
    const ag_real share = 1 / (ag_real)(u.n ? u.n : 1), *x = X(0) + u.at;
    ag_real *y = Y(0) + r * u.f, *mean = Y(1) + r * u.f;
    sum_messages(mean, x, u.n, u.f, 0);
    EACH (i, u.f) {
        mean[i] *= share;
        y[i] = 0;
    }
    for (int k = 0; k < u.n; k++, x += u.f)
        EACH (i, u.f) {
            const ag_real d = x[i] - mean[i];
            y[i] += d * d;
        }
    EACH (i, u.f) {
        const ag_real variance = y[i] * share;
        y[i] = variance <= (ag_real)1e-5 ? 0 : v_sqrt(variance); /* a NaN stays */
    }
}

/* dx = dy (x - mean) / (n y); the gradient through the mean is 0. */
ROW_OF_PUT(message_std_backward, a->ys[0].size[0], values_of(a->ys[0]))
{
    const message_unit u = message_unit_of(a, r);
    const ag_real share = 1 / (ag_real)(u.n ? u.n : 1), *x = X(0) + u.at;
    const ag_real *y = Y(0) + r * u.f, *mean = Y(1) + r * u.f, *dy = DY(0) + r * u.f;
    ag_real *dx = DX + u.at;
    for (int k = 0; k < u.n; k++, x += u.f, dx += u.f)
        EACH (i, u.f) PUT(dx, i, y[i] == 0 ? 0 : dy[i] * (x[i] - mean[i]) * share / y[i]);
    clear_message_tail(a, r, add);
}

/* ---- values of messages from other nodes; 0 for messages from a node to itself ---- */

KERNEL void other_messages(ag_real *to, const ag_real *from, const ag_args *a, int64_t r,
                           const int add)
{
    const int64_t f = values_of(a->xs[0]);
    const int first = XI(1)[2 * r], n = XI(1)[2 * r + 1];
    for (int p = first; p < first + n; p++) {
        const int other = XI(2)[p] != r;
        EACH (i, f) PUT(to + p * f, i, other ? from[p * f + i] : 0);
    }
    clear_tail(to, XI(1), r, a->xs[1].size[0], a->xs[0].size[0], f, add);
}

ROW_OF(message_others_forward, a->xs[1].size[0], values_of(a->xs[0]))
{
    other_messages(Y(0), X(0), a, r, 0);
}

ROW_OF_PUT(message_others_backward, a->xs[1].size[0], values_of(a->xs[0]))
{
    other_messages(DX, DY(0), a, r, add);
}

/* ---- factors of PNA; inputs: rows, sources, rows_t, targets ---- */

ELEMENTS(pna_degree_forward, a->xs[0].size[0])
{
    for (int64_t v = lo; v < hi; v++) {
        const int n = XI(0)[2 * v + 1];
        Y(0)[v] = v_log((ag_real)(1 + (n > 1 ? n : 1)));
    }
}
