/* SPDX-License-Identifier: MIT */
/* Sequences are ranked by length, the longest first, so that step t runs only on the first of them
   and nothing is padded. Rows stay where they are; state and cell lie in the order of the ranks. */
#include "ops/recurrent/recurrent_step.h"
#include "core/panels.h"
#include "core/parallel.h"
#include "ops/recurrent/recurrent.h"

#include <string.h>

/* Counting sort by length; sequences of one length stay in order. */
static void rank_sequences(const ag_args *a, recurrent_sizes s, recurrent_ranks by)
{
    int longer = 0, first = recurrent_start(XI(1), s, 0, 0);
    memset(by.at_least, 0, (size_t)(s.n + 1) * sizeof *by.at_least);
    for (int g = 0, row = first; g < s.sequences; g++) {
        const int end = recurrent_start(XI(1), s, g + 1, row);
        by.at_least[end - row]++;
        row = end;
    }
    for (int t = s.n; t >= 0; t--) {
        const int count = by.at_least[t];
        by.at_least[t] = longer;
        longer += count;
    }
    for (int g = 0, row = first; g < s.sequences; g++) {
        const int end = recurrent_start(XI(1), s, g + 1, row), rank = by.at_least[end - row]++;
        by.sequence[rank] = g;
        by.first[rank] = recurrent_first(a, row, end);
        row = end;
    }
}

static void clear(ag_real *x, int64_t n)
{
    if (n > 0) memset(x, 0, (size_t)n * sizeof *x);
}

/* Rows of an array outside of all sequences become 0. */
static void clear_outside(const ag_args *a, recurrent_sizes s, ag_real *rows, int64_t width)
{
    int first = recurrent_start(XI(1), s, 0, 0), end = first;
    for (int g = 0; g < s.sequences; g++) end = recurrent_start(XI(1), s, g + 1, end);
    clear(rows, first * width);
    clear(rows + end * width, (s.n - end) * width);
}

/* ---- a step: the rows t of the sequences that have one, arrays in order of rank ---- */

typedef struct steps {
    ag_args a; /* with the attributes of the step */
    recurrent_sizes s;
    const ag_kernel *kernel;
    ag_real *state, *product; /* backward: their gradients */
    ag_real *weight;          /* panels of w_state', backward of w_state */
} steps;

static steps steps_of(const ag_args *a, const ag_kernel *kernel)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    steps p = {*a, s, kernel, a->scratch, NULL, NULL};
    p.product = p.state + 2 * (int64_t)s.sequences * s.h;
    p.weight = p.state + recurrent_stepped(s);
    return p;
}

static int set_step(steps *p, int t)
{
    int *attr = p->a.attr.i;
    attr[STEP] = t;
    attr[ACTIVE] = t < p->s.n ? recurrent_ranks_of(&p->a, p->s).at_least[t + 1] : 0;
    return attr[ACTIVE];
}

/* Ranks in a block of work. */
static int block_ranks(int h) { return 1 + 4095 / (h + 1); }

static void run_block(void *context, int64_t block, int thread)
{
    const steps *p = context;
    const int64_t some = block_ranks(p->s.h), lo = block * some, left = p->a.attr.i[ACTIVE] - lo;
    (void)thread;
    p->kernel->range(&p->a, lo, lo + (some < left ? some : left));
}

static void run_step(steps *p)
{
    const int some = block_ranks(p->s.h);
    ag_parallel((p->a.attr.i[ACTIVE] + some - 1) / some, run_block, p);
}

/* ---- all steps ---- */

void ag__recurrent_forward(const ag_args *a, const ag_kernel *step)
{
    if (a->device == AG_CUDA) {
        ag__recurrent_forward_there(a, step);
        return;
    }
    steps p = steps_of(a, step);
    const recurrent_sizes s = p.s;
    const int64_t h = s.h;
    rank_sequences(a, s, recurrent_ranks_of(a, s));
    if (h == 0) return;
    ag__panels_pack(p.weight, X(3), 1, s.wide, s.h);
    if (Y(2)) clear_outside(a, s, Y(2), h);
    if (Y(2)) clear_outside(a, s, Y(2) + s.n * h, h * (a->ys[2].size[0] - 1));
    if (a->attr.i[ALL_STATES]) clear_outside(a, s, Y(0), h);
    clear(p.state, recurrent_stepped(s));
    for (int t = 0; set_step(&p, t); t++) {
        if (t) ag__panels_product(p.product, p.state, p.weight, p.a.attr.i[ACTIVE], s.wide, s.h);
        run_step(&p);
    }
    if (!a->attr.i[ALL_STATES]) recurrent_last_kernel.range(a, 0, s.sequences);
}

void ag__recurrent_backward(const ag_args *a, const ag_kernel *step_back)
{
    if (a->device == AG_CUDA) {
        ag__recurrent_backward_there(a, step_back);
        return;
    }
    steps p = steps_of(a, step_back);
    const recurrent_sizes s = p.s;
    int t = 0;
    if (s.h == 0) return;
    recurrent_last_back_kernel.range(a, 0, s.sequences);
    clear_outside(a, s, Y(1), s.wide);
    ag__panels_pack(p.weight, X(3), 0, s.h, s.wide);
    while (set_step(&p, t)) t++;
    while (t-- > 0) {
        set_step(&p, t);
        run_step(&p);
        if (t) ag__panels_product(p.state, p.product, p.weight, p.a.attr.i[ACTIVE], s.h, s.wide);
    }
}

int64_t ag__recurrent_scratch(const ag_args *a, int backward)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    return recurrent_stepped(s) + (a->device == AG_CUDA ? s.sequences + 1
                                   : backward           ? ag__panels_size(s.h, s.wide)
                                                        : ag__panels_size(s.wide, s.h));
}
