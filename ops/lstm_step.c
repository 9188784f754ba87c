/* SPDX-License-Identifier: MIT */
/* Sequences are ranked by length, the longest first, so that step t runs on the first of them alone
   and nothing is padded. Rows stay where they are; state and cell lie in the order of the ranks. */
#include "ops/lstm_step.h"
#include "core/panels.h"
#include "core/parallel.h"
#include "ops/lstm.h"

#include <string.h>

/* Counting sort by length; sequences of one length stay in order. */
static void rank_sequences(const ag_args *a, lstm_sizes s, lstm_ranks by)
{
    int longer = 0, first = lstm_start(XI(1), s, 0, 0);
    memset(by.at_least, 0, (size_t)(s.n + 1) * sizeof *by.at_least);
    for (int g = 0, row = first; g < s.sequences; g++) {
        const int end = lstm_start(XI(1), s, g + 1, row);
        by.at_least[end - row]++;
        row = end;
    }
    for (int t = s.n; t >= 0; t--) {
        const int count = by.at_least[t];
        by.at_least[t] = longer;
        longer += count;
    }
    for (int g = 0, row = first; g < s.sequences; g++) {
        const int end = lstm_start(XI(1), s, g + 1, row), rank = by.at_least[end - row]++;
        by.sequence[rank] = g;
        by.first[rank] = row;
        row = end;
    }
}

static void clear(ag_real *x, int64_t n)
{
    if (n > 0) memset(x, 0, (size_t)n * sizeof *x);
}

/* Rows of an array outside of all sequences become 0. */
static void clear_outside(const ag_args *a, lstm_sizes s, ag_real *rows, int64_t width)
{
    int first = lstm_start(XI(1), s, 0, 0), end = first;
    for (int g = 0; g < s.sequences; g++) end = lstm_start(XI(1), s, g + 1, end);
    clear(rows, first * width);
    clear(rows + end * width, (s.n - end) * width);
}

/* ---- a step: the rows t of the sequences that have one, arrays in order of rank ---- */

typedef struct step {
    const ag_args *a;
    lstm_sizes s;
    lstm_ranks by;
    int t, active;
    ag_real *state, *cell, *product; /* backward: their gradients; that of the gates */
    ag_real *weight;                 /* panels of w_state', backward of w_state */
} step;

static step step_of(const ag_args *a)
{
    const lstm_sizes s = lstm_sizes_of(a);
    const int64_t state = (int64_t)s.sequences * s.h;
    step p = {a,   s,          lstm_ranks_of(a, s), 0,
              0,   a->scratch, a->scratch + state,  a->scratch + 2 * state,
              NULL};
    p.weight = p.product + 4 * state;
    return p;
}

static int set_step(step *p, int t)
{
    p->t = t;
    p->active = t < p->s.n ? p->by.at_least[t + 1] : 0;
    return p->active;
}

/* Ranks in a block of work. */
static int block_ranks(int h) { return 1 + 4095 / (h + 1); }

static void each_block(step *p, void (*body)(void *context, int64_t block, int thread))
{
    const int some = block_ranks(p->s.h);
    ag_parallel((p->active + some - 1) / some, body, p);
}

static void forward_block(void *context, int64_t block, int thread)
{
    const step *p = context;
    const ag_args *a = p->a;
    const int64_t h = p->s.h, lo = block * block_ranks(p->s.h), end = lo + block_ranks(p->s.h);
    ag_real *gates = Y(1);
    (void)thread;
    for (int64_t k = lo; k < end && k < p->active; k++) {
        const int64_t r = p->by.first[k] + p->t;
        ag_real *state = p->state + k * h, *cell = p->cell + k * h;
        if (Y(2)) {
            memcpy(Y(2) + r * h, state, (size_t)h * sizeof *state);
            memcpy(Y(2) + (p->s.n + r) * h, cell, (size_t)h * sizeof *cell);
        }
        lstm_row(gates + 4 * r * h, state, cell, p->product + 4 * k * h, a->n_in == 5 ? X(4) : NULL,
                 p->s.h);
    }
}

static void backward_block(void *context, int64_t block, int thread)
{
    const step *p = context;
    const ag_args *a = p->a;
    const int64_t h = p->s.h, lo = block * block_ranks(p->s.h), end = lo + block_ranks(p->s.h);
    ag_real *gates = Y(1), *before_cell = Y(2) + p->s.n * h;
    (void)thread;
    for (int64_t k = lo; k < end && k < p->active; k++) {
        const int64_t r = p->by.first[k] + p->t;
        ag_real *part = p->product + 4 * k * h;
        lstm_row_back(part, p->cell + k * h, p->state + k * h, gates + 4 * r * h,
                      before_cell + r * h, p->s.h);
        memcpy(gates + 4 * r * h, part, (size_t)(4 * h) * sizeof *part);
    }
}

/* ---- all steps ---- */

void ag__lstm_forward(const ag_args *a)
{
    step p = step_of(a);
    const lstm_sizes s = p.s;
    const size_t row = (size_t)s.h * sizeof(ag_real);
    const int64_t all = (int64_t)s.sequences * s.h;
    rank_sequences(a, s, p.by);
    if (s.h == 0) return;
    ag__panels_pack(p.weight, X(3), 1, 4 * s.h, s.h);
    if (Y(2)) clear_outside(a, s, Y(2), s.h);
    if (Y(2)) clear_outside(a, s, Y(2) + (int64_t)s.n * s.h, s.h);
    clear(p.state, all);
    clear(p.cell, all);
    clear(p.product, 4 * all);
    for (int t = 0; set_step(&p, t); t++) {
        if (t) ag__panels_product(p.product, p.state, p.weight, p.active, 4 * s.h, s.h);
        each_block(&p, forward_block);
    }
    for (int64_t k = 0; k < s.sequences; k++)
        memcpy(Y(0) + (int64_t)p.by.sequence[k] * s.h, p.state + k * s.h, row);
}

void ag__lstm_backward(const ag_args *a)
{
    step p = step_of(a);
    const lstm_sizes s = p.s;
    const size_t row = (size_t)s.h * sizeof(ag_real);
    const int64_t all = (int64_t)s.sequences * s.h;
    int t = 0;
    if (s.h == 0) return;
    for (int64_t k = 0; k < s.sequences; k++)
        memcpy(p.state + k * s.h, DY(0) + (int64_t)p.by.sequence[k] * s.h, row);
    clear(p.cell, all);
    clear_outside(a, s, Y(1), 4 * (int64_t)s.h);
    ag__panels_pack(p.weight, X(3), 0, s.h, 4 * s.h);
    while (set_step(&p, t)) t++;
    while (t-- > 0) {
        set_step(&p, t);
        each_block(&p, backward_block);
        if (t) ag__panels_product(p.state, p.product, p.weight, p.active, s.h, 4 * s.h);
    }
}

int64_t ag__lstm_scratch(lstm_sizes s, int backward)
{
    const int64_t panels = backward ? ag__panels_size(s.h, 4 * s.h) : ag__panels_size(4 * s.h, s.h);
    return 6 * (int64_t)s.sequences * s.h + panels;
}
