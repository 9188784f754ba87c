/* SPDX-License-Identifier: MIT */
/* Kernels of the steps of recurrent networks and, for a device, kernels that order the sequences.
 * Scratch, in the order of the ranks: states [sequences,h], cells [sequences,h] and products
 * [sequences,wide]; in backward, the gradients of these. On a device these are followed by
 * [sequences+1]: the first row of each sequence, then the end of the last (exclusive). */
#include "ops/recurrent/recurrent_cells.h"
#include "ops/recurrent/recurrent_step.h"

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
