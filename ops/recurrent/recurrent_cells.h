/* SPDX-License-Identifier: MIT */
/* One row of a step of h units, forward and back. Gates of a row, h each: i, f, g, o of an LSTM; r,
   z, n of a GRU. Each loop writes to one array: a compiler can prove that two arrays do not
   overlap, but not that ten do not. */
#ifndef AG_OPS_RECURRENT_CELLS_H
#define AG_OPS_RECURRENT_CELLS_H

#include "core/kernel.h"

/* y = sigmoid or tanh of y + p + b; b may be NULL. */
KERNEL void recurrent_gates(ag_real *y, const ag_real *p, const ag_real *b, int n,
                            const int sigmoid)
{
    if (b)
        EACH (u, n) y[u] += b[u];
    EACH (u, n) {
        const ag_real v = y[u] + p[u];
        y[u] = sigmoid ? v_sigmoid(v) : v_tanh(v);
    }
}

/* How many units are processed together, and how many of them a lane has. */
enum { UNITS = AG_PER_LANE == 1 ? MOST_LANES : 128, UNITS_HELD = AG_PER_LANE == 1 ? 1 : 128 };

/* ---- LSTM ---- */

/* gates holds x w_input' and becomes the gates; product is state w_state'; bias may be NULL. state
   and cell advance by one step. */
KERNEL void lstm_row(ag_real *gates, ag_real *state, ag_real *cell, const ag_real *product,
                     const ag_real *bias, int h)
{
    const ag_real *i = gates, *f = gates + h, *g = gates + 2 * h, *o = gates + 3 * h;
    recurrent_gates(gates, product, bias, 2 * h, 1);
    recurrent_gates(gates + 2 * h, product + 2 * h, bias ? bias + 2 * h : 0, h, 0);
    recurrent_gates(gates + 3 * h, product + 3 * h, bias ? bias + 3 * h : 0, h, 1);
    SETTLE;
    EACH (u, h) cell[u] = f[u] * cell[u] + i[u] * g[u];
    EACH (u, h) state[u] = o[u] * v_tanh(cell[u]);
}

/* dgates becomes the gradient of the gates' arguments; dstate is the gradient of the state after
   the step. dcell is the part of the gradient of the cell after the step that comes through the
   next cell. It becomes the same part for the cell before the step. */
KERNEL void lstm_row_back(ag_real *dgates, ag_real *dcell, const ag_real *dstate,
                          const ag_real *gates, const ag_real *before_cell, int h)
{
    for (int first = 0; first < h; first += UNITS) {
        const int n = h - first < UNITS ? h - first : UNITS;
        const ag_real *i = gates + first, *f = i + h, *g = f + h, *o = g + h;
        const ag_real *before = before_cell + first, *ds = dstate + first;
        ag_real *di = dgates + first, *df = di + h, *dg = df + h, *d_o = dg + h;
        ag_real *dc = dcell + first, t[UNITS_HELD], d[UNITS_HELD];
        EACH (u, n) t[AT(u)] = v_tanh(f[u] * before[u] + i[u] * g[u]);
        EACH (u, n) d[AT(u)] = dc[u] + ds[u] * o[u] * (1 - t[AT(u)] * t[AT(u)]);
        EACH (u, n) di[u] = d[AT(u)] * g[u] * i[u] * (1 - i[u]);
        EACH (u, n) df[u] = d[AT(u)] * before[u] * f[u] * (1 - f[u]);
        EACH (u, n) dg[u] = d[AT(u)] * i[u] * (1 - g[u] * g[u]);
        EACH (u, n) d_o[u] = ds[u] * t[AT(u)] * o[u] * (1 - o[u]);
        EACH (u, n) dc[u] = d[AT(u)] * f[u];
    }
}

/* ---- GRU ---- */

/* As lstm_row, but b_state is added to product. Both biases are given, or both are NULL. */
KERNEL void gru_row(ag_real *gates, ag_real *state, ag_real *product, const ag_real *b_input,
                    const ag_real *b_state, int h)
{
    const ag_real *r = gates, *z = gates + h, *inner = product + 2 * h;
    ag_real *n = gates + 2 * h;
    if (b_input) {
        EACH (u, 3 * h) gates[u] += b_input[u];
        EACH (u, 3 * h) product[u] += b_state[u];
    }
    recurrent_gates(gates, product, NULL, 2 * h, 1);
    SETTLE;
    EACH (u, h) n[u] = v_tanh(n[u] + r[u] * inner[u]);
    EACH (u, h) state[u] = n[u] + z[u] * (state[u] - n[u]);
}

/* dproduct becomes the gradient of product, which is as gru_row left it. In gates, n becomes the
   gradient of its third of x w_input'; the thirds of r and z have the same gradient as in product.
   The gradient of the state after the step is dstate + direct; direct becomes the gradient of the
   state before the step, without the part that passes the gates. */
KERNEL void gru_row_back(ag_real *dproduct, ag_real *gates, ag_real *direct, const ag_real *dstate,
                         const ag_real *product, const ag_real *before_state, int h)
{
    for (int first = 0; first < h; first += UNITS) {
        const int many = h - first < UNITS ? h - first : UNITS;
        const ag_real *r = gates + first, *z = r + h, *inner = product + 2 * h + first;
        const ag_real *before = before_state + first, *ds = dstate + first;
        ag_real *dr = dproduct + first, *dz = dr + h, *di = dz + h, *past = direct + first;
        ag_real *n = gates + 2 * h + first, d[UNITS_HELD], dn[UNITS_HELD];
        EACH (u, many) d[AT(u)] = ds[u] + past[u];
        EACH (u, many) dn[AT(u)] = d[AT(u)] * (1 - z[u]) * (1 - n[u] * n[u]);
        EACH (u, many) dr[u] = dn[AT(u)] * inner[u] * r[u] * (1 - r[u]);
        EACH (u, many) dz[u] = d[AT(u)] * (before[u] - n[u]) * z[u] * (1 - z[u]);
        EACH (u, many) di[u] = dn[AT(u)] * r[u];
        EACH (u, many) past[u] = d[AT(u)] * z[u];
        EACH (u, many) n[u] = dn[AT(u)];
    }
}

#endif
