/* SPDX-License-Identifier: MIT */
/* One row of a step of an LSTM of h units, forward and back. Gates of a row: i, f, g, o, h each.
   Loops write to one array each: a compiler proves that of two at a time that they do not overlap,
   of ten it does not. */
#include "ops/lstm_step.h"

/* y = sigmoid or tanh of y + p + b; b may be NULL. */
KERNEL void lstm_gates(ag_real *y, const ag_real *p, const ag_real *b, int n, const int sigmoid)
{
    if (b)
        EACH (u, n) y[u] += b[u];
    EACH (u, n) {
        const ag_real v = y[u] + p[u];
        y[u] = sigmoid ? v_sigmoid(v) : v_tanh(v);
    }
}

/* gates holds the part of the input and becomes the gates; product is that of the state, bias may
   be NULL. state and cell go one step on. */
KERNEL void lstm_row(ag_real *gates, ag_real *state, ag_real *cell, const ag_real *product,
                     const ag_real *bias, int h)
{
    const ag_real *i = gates, *f = gates + h, *g = gates + 2 * h, *o = gates + 3 * h;
    lstm_gates(gates, product, bias, 2 * h, 1);
    lstm_gates(gates + 2 * h, product + 2 * h, bias ? bias + 2 * h : 0, h, 0);
    lstm_gates(gates + 3 * h, product + 3 * h, bias ? bias + 3 * h : 0, h, 1);
    SETTLE;
    EACH (u, h) cell[u] = f[u] * cell[u] + i[u] * g[u];
    EACH (u, h) state[u] = o[u] * v_tanh(cell[u]);
}

/* Units that pass together; how many of them a lane has. */
enum { LSTM_CHUNK = AG_PER_LANE == 1 ? MOST_LANES : 128, LSTM_HELD = AG_PER_LANE == 1 ? 1 : 128 };

/* dgates is the gradient of what the gates are functions of; dstate is that of the state after the
   step, dcell goes one step back. */
KERNEL void lstm_row_back(ag_real *dgates, ag_real *dcell, const ag_real *dstate,
                          const ag_real *gates, const ag_real *before_cell, int h)
{
    for (int first = 0; first < h; first += LSTM_CHUNK) {
        const int n = h - first < LSTM_CHUNK ? h - first : LSTM_CHUNK;
        const ag_real *i = gates + first, *f = i + h, *g = f + h, *o = g + h;
        const ag_real *before = before_cell + first, *ds = dstate + first;
        ag_real *di = dgates + first, *df = di + h, *dg = df + h, *d_o = dg + h;
        ag_real *dc = dcell + first, t[LSTM_HELD], d[LSTM_HELD];
        EACH (u, n) t[AT(u)] = v_tanh(f[u] * before[u] + i[u] * g[u]);
        EACH (u, n) d[AT(u)] = dc[u] + ds[u] * o[u] * (1 - t[AT(u)] * t[AT(u)]);
        EACH (u, n) di[u] = d[AT(u)] * g[u] * i[u] * (1 - i[u]);
        EACH (u, n) df[u] = d[AT(u)] * before[u] * f[u] * (1 - f[u]);
        EACH (u, n) dg[u] = d[AT(u)] * i[u] * (1 - g[u] * g[u]);
        EACH (u, n) d_o[u] = ds[u] * t[AT(u)] * o[u] * (1 - o[u]);
        EACH (u, n) dc[u] = d[AT(u)] * f[u];
    }
}

/* ---- on a device ---- */

/* Scratch: states, cells [sequences,h] and products [sequences,4h] in the order of the ranks,
 * backward their gradients; then where each sequence begins and the last one ends. */

KERNEL int32_t *lstm_bounds_of(const ag_args *a, lstm_sizes s)
{
    return (int32_t *)(a->scratch + 6 * (int64_t)s.sequences * s.h);
}

KERNEL int lstm_length(const int32_t *bounds, int64_t g) { return bounds[g + 1] - bounds[g]; }

ELEMENTS(lstm_bounds, a->xs[1].size[0])
{
    const lstm_sizes s = lstm_sizes_of(a);
    (void)add;
    for (int64_t g = lo; g < hi; g++) {
        int start = 0;
        for (int k = 0; k <= g; k++) start = lstm_start(XI(1), s, k, start);
        lstm_bounds_of(a, s)[g] = start;
    }
}

/* A sequence's rank: how many are longer, or as long and before it. */
ELEMENTS(lstm_rank, a->xs[1].size[0] - 1)
{
    const lstm_sizes s = lstm_sizes_of(a);
    const lstm_ranks by = lstm_ranks_of(a, s);
    const int32_t *bounds = lstm_bounds_of(a, s);
    (void)add;
    for (int64_t g = lo; g < hi; g++) {
        const int own = lstm_length(bounds, g);
        int rank = 0;
        for (int k = 0; k < s.sequences; k++)
            rank += lstm_length(bounds, k) > own || (lstm_length(bounds, k) == own && k < g);
        by.sequence[rank] = (int32_t)g;
        by.first[rank] = bounds[g];
    }
}

ELEMENTS(lstm_at_least, (int64_t)a->xs[0].size[0] + 1)
{
    const lstm_sizes s = lstm_sizes_of(a);
    const lstm_ranks by = lstm_ranks_of(a, s);
    const int32_t *bounds = lstm_bounds_of(a, s);
    (void)add;
    for (int64_t t = lo; t < hi; t++) {
        int long_enough = 0, end = s.sequences; /* ranks below, and from there on not */
        while (long_enough < end) {
            const int middle = long_enough + (end - long_enough) / 2;
            if (lstm_length(bounds, by.sequence[middle]) >= t)
                long_enough = middle + 1;
            else
                end = middle;
        }
        by.at_least[t] = long_enough;
    }
}

/* A step: attr.i[0] is its row within each sequence, attr.i[1] how many ranks have one. */
ROW(lstm_step, a->attr.i[1])
{
    const lstm_sizes s = lstm_sizes_of(a);
    const int64_t h = s.h, all = s.sequences * h;
    const int64_t row = lstm_ranks_of(a, s).first[r] + (int64_t)a->attr.i[0];
    ag_real *state = a->scratch + r * h, *cell = state + all;
    (void)add;
    if (Y(2)) {
        EACH (u, h) Y(2)[row * h + u] = state[u];
        EACH (u, h) Y(2)[(s.n + row) * h + u] = cell[u];
    }
    lstm_row(Y(1) + 4 * row * h, state, cell, a->scratch + 2 * all + 4 * r * h,
             a->n_in == 5 ? X(4) : NULL, s.h);
}

ROW(lstm_last, a->xs[1].size[0] - 1)
{
    const lstm_sizes s = lstm_sizes_of(a);
    ag_real *y = Y(0) + (int64_t)lstm_ranks_of(a, s).sequence[r] * s.h;
    (void)add;
    EACH (u, s.h) y[u] = a->scratch[r * s.h + u];
}

ROW(lstm_last_back, a->xs[1].size[0] - 1)
{
    const lstm_sizes s = lstm_sizes_of(a);
    const ag_real *dy = DY(0) + (int64_t)lstm_ranks_of(a, s).sequence[r] * s.h;
    ag_real *dstate = a->scratch + r * s.h, *dcell = dstate + (int64_t)s.sequences * s.h;
    (void)add;
    EACH (u, s.h) dstate[u] = dy[u];
    EACH (u, s.h) dcell[u] = 0;
}

/* Rows outside of all sequences. */
ROW(lstm_outside, a->xs[0].size[0])
{
    const lstm_sizes s = lstm_sizes_of(a);
    const int32_t *bounds = lstm_bounds_of(a, s);
    (void)add;
    if (r < bounds[0] || r >= bounds[s.sequences])
        EACH (u, 4 * s.h) Y(1)[4 * r * s.h + u] = 0;
}

ROW(lstm_step_back, a->attr.i[1])
{
    const lstm_sizes s = lstm_sizes_of(a);
    const int64_t h = s.h, all = s.sequences * h;
    const int64_t row = lstm_ranks_of(a, s).first[r] + (int64_t)a->attr.i[0];
    ag_real *dstate = a->scratch + r * h, *part = a->scratch + 2 * all + 4 * r * h,
            *gates = Y(1) + 4 * row * h;
    (void)add;
    lstm_row_back(part, dstate + all, dstate, gates, Y(2) + (s.n + row) * h, s.h);
    SETTLE;
    EACH (u, 4 * s.h) gates[u] = part[u];
}
