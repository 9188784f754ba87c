/* SPDX-License-Identifier: MIT */
/* Kernels of the steps of recurrent networks and, for a device, kernels that order the sequences.
 * Scratch, in the order of the ranks: states [sequences,h], cells [sequences,h] and products
 * [sequences,wide]; in backward, the gradients of these. On a device these are followed by
 * [sequences+1]: the first row of each sequence, then the end of the last (exclusive). */
#include "ops/recurrent/recurrent_step.h"

/* ---- one row of a step of h units: gates i, f, g, o of an LSTM; r, z, n of a GRU ---- */

/* Each loop writes to one array: a compiler can prove that two arrays do not overlap, but not that
   ten do not. */

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

/* ---- a step, over the ranks that have one ---- */

/* The row of a rank in this step, and the parts of the arrays that belong to the row or the
   rank. */
typedef struct step_place {
    int h, wide;
    int64_t row;
    ag_real *state, *cell, *product, *gates;
    ag_real *before, *beside; /* state before the row and what else is kept of it; NULL: nothing */
} step_place;

KERNEL step_place place_of(const ag_args *a, int64_t rank)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    const int64_t h = s.h, all = s.sequences * h, step = a->attr.i[STEP];
    step_place p;
    p.h = s.h;
    p.wide = s.wide;
    p.row = recurrent_ranks_of(a, s).first[rank] + (a->attr.i[BACKWARDS] ? -step : step);
    p.state = a->scratch + rank * h;
    p.cell = p.state + all;
    p.product = a->scratch + 2 * all + rank * s.wide;
    p.gates = Y(1) + p.row * s.wide;
    p.before = Y(2) ? Y(2) + p.row * h : NULL;
    p.beside = Y(2) ? Y(2) + s.n * h + p.row * h * (a->ys[2].size[0] - 1) : NULL;
    return p;
}

/* A step begins by keeping the state before it, and ends by writing the state after it. */
KERNEL void keep_before(step_place p)
{
    if (p.before)
        EACH (u, p.h) p.before[u] = p.state[u];
}
KERNEL void give_state(const ag_args *a, step_place p)
{
    if (a->attr.i[ALL_STATES])
        EACH (u, p.h) Y(0)[p.row * p.h + u] = p.state[u];
}
KERNEL void take_gradient(const ag_args *a, step_place p)
{
    if (a->attr.i[ALL_STATES])
        EACH (u, p.h) p.state[u] += DY(0)[p.row * p.h + u];
}

ROW(lstm_step, a->attr.i[ACTIVE])
{
    const step_place p = place_of(a, r);
    keep_before(p);
    if (p.beside)
        EACH (u, p.h) p.beside[u] = p.cell[u];
    lstm_row(p.gates, p.state, p.cell, p.product, a->n_in == 5 ? X(4) : NULL, p.h);
    give_state(a, p);
}

ROW(lstm_step_back, a->attr.i[ACTIVE])
{
    const step_place p = place_of(a, r);
    take_gradient(a, p);
    SETTLE;
    lstm_row_back(p.product, p.cell, p.state, p.gates, p.beside, p.h);
    SETTLE;
    EACH (u, p.wide) p.gates[u] = p.product[u];
}

ROW(gru_step, a->attr.i[ACTIVE])
{
    const step_place p = place_of(a, r);
    keep_before(p);
    gru_row(p.gates, p.state, p.product, a->n_in == 6 ? X(4) : NULL, a->n_in == 6 ? X(5) : NULL,
            p.h);
    if (p.beside)
        EACH (u, p.wide) p.beside[u] = p.product[u];
    give_state(a, p);
}

ROW(gru_step_back, a->attr.i[ACTIVE])
{
    const step_place p = place_of(a, r);
    take_gradient(a, p);
    SETTLE;
    gru_row_back(p.product, p.gates, p.cell, p.state, p.beside, p.before, p.h);
    SETTLE;
    EACH (u, 2 * p.h) p.gates[u] = p.product[u];
    EACH (u, p.wide) p.beside[u] = p.product[u];
}

/* ---- before the first step and after the last ---- */

ROW(recurrent_last, a->xs[1].size[0] - 1)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    ag_real *y = Y(0) + (int64_t)recurrent_ranks_of(a, s).sequence[r] * s.h;
    EACH (u, s.h) y[u] = a->scratch[r * s.h + u];
}

ROW(recurrent_last_back, a->xs[1].size[0] - 1)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    const ag_real *dy =
        a->attr.i[ALL_STATES] ? NULL : DY(0) + (int64_t)recurrent_ranks_of(a, s).sequence[r] * s.h;
    ag_real *dstate = a->scratch + r * s.h, *dcell = dstate + (int64_t)s.sequences * s.h;
    EACH (u, s.h) dstate[u] = dy ? dy[u] : 0;
    EACH (u, s.h) dcell[u] = 0;
}

/* ---- the order of the sequences, on a device ---- */

KERNEL int32_t *recurrent_bounds_of(const ag_args *a, recurrent_sizes s)
{
    return (int32_t *)(a->scratch + recurrent_stepped(s));
}

KERNEL int recurrent_length(const int32_t *bounds, int64_t g) { return bounds[g + 1] - bounds[g]; }

ELEMENTS(recurrent_bounds, a->xs[1].size[0])
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    for (int64_t g = lo; g < hi; g++) {
        int start = 0;
        for (int k = 0; k <= g; k++) start = recurrent_start(XI(1), s, k, start);
        recurrent_bounds_of(a, s)[g] = start;
    }
}

/* A sequence's rank: how many sequences are longer, or equally long and before it. */
ELEMENTS(recurrent_rank, a->xs[1].size[0] - 1)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    const recurrent_ranks by = recurrent_ranks_of(a, s);
    const int32_t *bounds = recurrent_bounds_of(a, s);
    for (int64_t g = lo; g < hi; g++) {
        const int own = recurrent_length(bounds, g);
        int rank = 0;
        for (int k = 0; k < s.sequences; k++) {
            const int other = recurrent_length(bounds, k);
            rank += other > own || (other == own && k < g);
        }
        by.sequence[rank] = (int32_t)g;
        by.first[rank] = recurrent_first(a, bounds[g], bounds[g + 1]);
    }
}

ELEMENTS(recurrent_at_least, (int64_t)a->xs[0].size[0] + 1)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    const recurrent_ranks by = recurrent_ranks_of(a, s);
    const int32_t *bounds = recurrent_bounds_of(a, s);
    for (int64_t t = lo; t < hi; t++) {
        int long_enough = 0, end = s.sequences; /* ranks below it are; from `end` on, none */
        while (long_enough < end) {
            const int middle = long_enough + (end - long_enough) / 2;
            if (recurrent_length(bounds, by.sequence[middle]) >= t)
                long_enough = middle + 1;
            else
                end = middle;
        }
        by.at_least[t] = long_enough;
    }
}

/* For rows outside of all sequences. */
ROW(recurrent_outside, a->xs[0].size[0])
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    const int32_t *bounds = recurrent_bounds_of(a, s);
    if (r < bounds[0] || r >= bounds[s.sequences])
        EACH (u, s.wide) Y(1)[r * s.wide + u] = 0;
}
