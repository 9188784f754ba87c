/* SPDX-License-Identifier: MIT */
/* Plans the order of a nest's loops from sizes and strides. */
#include "examples/tpugraphs/loops.h"

#include <math.h>
#include <string.h>

enum { SHORT = 8 }; /* a reduction shorter than this is never put inside of the row */

/* 1 if a runs outside of b. */
static int is_outer(const tpugraphs_loop *a, const tpugraphs_loop *b, tpugraphs_rule rule)
{
    const int cut = a->reduce && (a->window || b->window);
    if (a->reduce != b->reduce) return !a->reduce;
    if (a->size == 1 || b->size == 1) return a->size == 1;
    if (cut && !a->window != !b->window) return a->window;
    if (rule == TPUGRAPHS_AS_GIVEN && !cut) return 1;
    return a->reduce ? fabs(a->in[0]) >= fabs(b->in[0]) : fabs(a->out) >= fabs(b->out);
}

static void sort(tpugraphs_loop *loop, int n, tpugraphs_rule rule)
{
    for (int i = 1; i < n; i++) {
        const tpugraphs_loop l = loop[i];
        int at = i;
        for (; at > 0 && !is_outer(&loop[at - 1], &l, rule); at--) loop[at] = loop[at - 1];
        loop[at] = l;
    }
}

/* Sizes may be means, which are not exact. */
static int equal(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

static int like_one(const tpugraphs_loop *outer, const tpugraphs_loop *inner)
{
    if (outer->window || inner->window || outer->reduce != inner->reduce) return 0;
    int same = equal(outer->out, inner->size * inner->out);
    for (int k = 0; k < TPUGRAPHS_LOOP_INPUTS; k++)
        same &= equal(outer->in[k], inner->size * inner->in[k]);
    return same;
}

static int merge(tpugraphs_loop *loop, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (kept && like_one(&loop[kept - 1], &loop[i])) {
            const double size = loop[kept - 1].size;
            loop[kept - 1] = loop[i];
            loop[kept - 1].size *= size;
        } else
            loop[kept++] = loop[i];
    }
    return kept;
}

int tpugraphs_loop_jumps(const tpugraphs_loop *l)
{
    int n = l->out != 0 && l->out != 1;
    for (int k = 0; k < TPUGRAPHS_LOOP_INPUTS; k++) n += l->in[k] != 0 && l->in[k] != 1;
    return n;
}

float tpugraphs_left_over(double size, double vector)
{
    return isfinite(size) && size >= 1 ? (float)(fmod(size, vector) / size) : 0;
}

/* The reduction along which inputs are contiguous, where they are not along the row; `any`: the
   last one, contiguous or not. -1: none. */
static int inner_reduction(const tpugraphs_loop *loop, int free, int n, const tpugraphs_loop *row,
                           int any)
{
    if (!any && !tpugraphs_loop_jumps(row)) return -1;
    for (int i = n - 1; i >= free; i--)
        if (!loop[i].window && (any || (loop[i].size >= SHORT && !tpugraphs_loop_jumps(&loop[i]))))
            return i;
    return -1;
}

/* The innermost reduction that the row does not cut; -1: none. */
static int outer_reduction(const tpugraphs_loop *loop, int free, int n, const tpugraphs_loop *row)
{
    for (int i = n - 1; i >= free; i--)
        if (!loop[i].window || loop[i].window != row->window) return i;
    return -1;
}

int tpugraphs_plan_loops(tpugraphs_loop *loop, int n, tpugraphs_rule rule, int *folds)
{
    const tpugraphs_loop none = {.size = 1, .out = 1};
    int free = 0;
    *folds = 0;
    sort(loop, n, rule);
    n = merge(loop, n);
    while (free < n && !loop[free].reduce) free++;
    if (free == n) return n;
    const tpugraphs_loop row = free ? loop[free - 1] : none;
    int at = inner_reduction(loop, free, n, &row, rule == TPUGRAPHS_SUM_INSIDE);
    *folds = at >= 0;
    if (at < 0) at = outer_reduction(loop, free, n, &row);
    if (at < 0) {
        loop[n++] = (tpugraphs_loop){.size = 1, .reduce = 1};
        return n;
    }
    const tpugraphs_loop tail = loop[at];
    memmove(&loop[at], &loop[at + 1], (size_t)(n - 1 - at) * sizeof *loop);
    loop[n - 1] = tail;
    return n;
}
