/* SPDX-License-Identifier: MIT */
/* One row of a step of an LSTM of h units, forward and back. Gates of a row: i, f, g, o, h each. */
#include "core/kernel.h"

/* gates holds the part of the input and becomes the gates; product is that of the state, bias may
   be NULL. state and cell go one step on; what they were is kept in before_state, before_cell. */
KERNEL void lstm_row(ag_real *__restrict__ gates, ag_real *__restrict__ before_state,
                     ag_real *__restrict__ before_cell, ag_real *__restrict__ state,
                     ag_real *__restrict__ cell, const ag_real *__restrict__ product,
                     const ag_real *__restrict__ bias, int h)
{
    EACH (u, h) {
        const ag_real bi = bias ? bias[u] : 0, bf = bias ? bias[h + u] : 0,
                      bg = bias ? bias[2 * h + u] : 0, bo = bias ? bias[3 * h + u] : 0;
        const ag_real i = v_sigmoid(gates[u] + product[u] + bi),
                      f = v_sigmoid(gates[h + u] + product[h + u] + bf),
                      g = v_tanh(gates[2 * h + u] + product[2 * h + u] + bg),
                      o = v_sigmoid(gates[3 * h + u] + product[3 * h + u] + bo);
        const ag_real c = f * cell[u] + i * g;
        gates[u] = i;
        gates[h + u] = f;
        gates[2 * h + u] = g;
        gates[3 * h + u] = o;
        before_state[u] = state[u];
        before_cell[u] = cell[u];
        cell[u] = c;
        state[u] = o * v_tanh(c);
    }
}

/* gates become the gradient of their inputs, of which part is a copy; dstate is that of the state
   behind the step, dcell goes one step back. */
KERNEL void lstm_row_back(ag_real *__restrict__ gates, ag_real *__restrict__ part,
                          ag_real *__restrict__ dcell, const ag_real *__restrict__ dstate,
                          const ag_real *__restrict__ before_cell, int h)
{
    EACH (u, h) {
        const ag_real i = gates[u], f = gates[h + u], g = gates[2 * h + u], o = gates[3 * h + u];
        const ag_real t = v_tanh(f * before_cell[u] + i * g);
        const ag_real d = dcell[u] + dstate[u] * o * (1 - t * t);
        gates[u] = part[u] = d * g * i * (1 - i);
        gates[h + u] = part[h + u] = d * before_cell[u] * f * (1 - f);
        gates[2 * h + u] = part[2 * h + u] = d * i * (1 - g * g);
        gates[3 * h + u] = part[3 * h + u] = dstate[u] * t * o * (1 - o);
        dcell[u] = d * f;
    }
}
