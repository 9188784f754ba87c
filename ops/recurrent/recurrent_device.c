/* SPDX-License-Identifier: MIT */
/* Recurrent nets on a device: a step is a product and a kernel over the ranks that have a row
   there. Their number follows from the starts if the caller gave these; otherwise the device is
   asked for it. */
#include "core/cuda/device.h"
#include "core/gemm.h"
#include "ops/recurrent/recurrent.h"
#include "ops/recurrent/recurrent_step.h"

#include <string.h>

/* ---- how many sequences have more than t rows ---- */

enum { WINDOW = 512 };

typedef struct counts {
    const ag_args *a;
    recurrent_sizes s;
    int from; /* active[i]: sequences with more than from + i rows; -1: nothing yet */
    int32_t active[WINDOW];
} counts;

static void count_given(counts *c, const int32_t *starts)
{
    int first = recurrent_start(starts, c->s, 0, 0);
    for (int g = 0; g < c->s.sequences; g++) {
        const int end = recurrent_start(starts, c->s, g + 1, first), more = end - first - c->from;
        if (more > 0) c->active[more < WINDOW ? more - 1 : WINDOW - 1]++;
        first = end;
    }
    for (int i = WINDOW - 1; i > 0; i--) c->active[i - 1] += c->active[i];
}

static void count_there(counts *c)
{
    const int left = c->s.n - c->from, n = left < WINDOW ? left : WINDOW;
    ag__device_download(c->active, recurrent_ranks_of(c->a, c->s).at_least + c->from + 1,
                        (size_t)n * sizeof *c->active);
}

static int active_at(counts *c, int t)
{
    if (t >= c->s.n) return 0;
    if (c->from != t / WINDOW * WINDOW) {
        c->from = t / WINDOW * WINDOW;
        memset(c->active, 0, sizeof c->active);
        if (c->a->given[1])
            count_given(c, c->a->given[1]);
        else
            count_there(c);
    }
    return c->active[t - c->from];
}

/* ---- the steps ---- */

static ag_args step_of(const ag_args *a, int t, int active)
{
    ag_args step = *a;
    step.attr.i[STEP] = t;
    step.attr.i[ACTIVE] = active;
    return step;
}

static ag_real *products(const ag_args *a, recurrent_sizes s)
{
    return a->scratch + 2 * (int64_t)s.sequences * s.h;
}

static void fill(ag_real *x, int64_t n) { ag__device_fill(x, 0, (size_t)n * sizeof *x); }

void ag__recurrent_forward_there(const ag_args *a, const ag_kernel *kernel)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    counts c = {a, s, -1, {0}};
    recurrent_bounds_kernel.cuda(a);
    recurrent_rank_kernel.cuda(a);
    recurrent_at_least_kernel.cuda(a);
    if (s.h == 0) return;
    if (Y(2)) fill(Y(2), ag__elements(a->ys[2]));
    if (a->attr.i[ALL_STATES]) fill(Y(0), ag__elements(a->ys[0]));
    fill(a->scratch, recurrent_stepped(s));
    for (int t = 0, active; (active = active_at(&c, t)) > 0; t++) {
        const ag_args step = step_of(a, t, active);
        if (t)
            ag__gemm(AG_CUDA, products(a, s), a->scratch, X(3), 0, 1, active, s.wide, s.h, 0, NULL);
        kernel->cuda(&step);
    }
    if (!a->attr.i[ALL_STATES]) recurrent_last_kernel.cuda(a);
}

void ag__recurrent_backward_there(const ag_args *a, const ag_kernel *kernel)
{
    const recurrent_sizes s = recurrent_sizes_of(a);
    counts c = {a, s, -1, {0}};
    int t = 0;
    if (s.h == 0) return;
    recurrent_bounds_kernel.cuda(a);
    recurrent_last_back_kernel.cuda(a);
    recurrent_outside_kernel.cuda(a);
    while (active_at(&c, t) > 0) t++;
    while (t-- > 0) {
        const ag_args step = step_of(a, t, active_at(&c, t));
        kernel->cuda(&step);
        if (t)
            ag__gemm(AG_CUDA, a->scratch, products(a, s), X(3), 0, 0, step.attr.i[ACTIVE], s.h,
                     s.wide, 0, NULL);
    }
}
