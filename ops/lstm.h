/* SPDX-License-Identifier: MIT */
/* One row of a step of an LSTM of h units, forward and back. Gates of a row: i, f, g, o, h each.
   Loops write to one array each: a compiler proves that of two at a time that they do not overlap,
   of ten it does not. */
#include "core/kernel.h"

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
    EACH (u, h) cell[u] = f[u] * cell[u] + i[u] * g[u];
    EACH (u, h) state[u] = o[u] * v_tanh(cell[u]);
}

enum { LSTM_CHUNK = 128 };

/* dgates is the gradient of what the gates are functions of; dstate is that of the state behind the
   step, dcell goes one step back. */
KERNEL void lstm_row_back(ag_real *dgates, ag_real *dcell, const ag_real *dstate,
                          const ag_real *gates, const ag_real *before_cell, int h)
{
    for (int first = 0; first < h; first += LSTM_CHUNK) {
        const int n = h - first < LSTM_CHUNK ? h - first : LSTM_CHUNK;
        const ag_real *i = gates + first, *f = i + h, *g = f + h, *o = g + h;
        const ag_real *before = before_cell + first, *ds = dstate + first;
        ag_real *di = dgates + first, *df = di + h, *dg = df + h, *d_o = dg + h;
        ag_real *dc = dcell + first, t[LSTM_CHUNK], d[LSTM_CHUNK];
        EACH (u, n) t[u] = v_tanh(f[u] * before[u] + i[u] * g[u]);
        EACH (u, n) d[u] = dc[u] + ds[u] * o[u] * (1 - t[u] * t[u]);
        EACH (u, n) di[u] = d[u] * g[u] * i[u] * (1 - i[u]);
        EACH (u, n) df[u] = d[u] * before[u] * f[u] * (1 - f[u]);
        EACH (u, n) dg[u] = d[u] * i[u] * (1 - g[u] * g[u]);
        EACH (u, n) d_o[u] = ds[u] * t[u] * o[u] * (1 - o[u]);
        EACH (u, n) dc[u] = d[u] * f[u];
    }
}
