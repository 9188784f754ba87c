/* SPDX-License-Identifier: MIT */
/* lstm on a device: a step is a product and a kernel over the ranks that have a row there. How many
   these are is known here from the starts that the caller gave; else it is asked of the device. */
#include "core/cuda/device.h"
#include "core/gemm.h"
#include "ops/lstm.h"
#include "ops/lstm_step.h"

#include <string.h>

/* ---- how many sequences have more than t rows ---- */

enum { WINDOW = 512 };

typedef struct counts {
    const ag_args *a;
    lstm_sizes s;
    int from; /* active[i]: sequences with more than from + i rows; -1: nothing yet */
    int32_t active[WINDOW];
} counts;

static void count_given(counts *c, const int32_t *starts)
{
    int first = lstm_start(starts, c->s, 0, 0);
    for (int g = 0; g < c->s.sequences; g++) {
        const int end = lstm_start(starts, c->s, g + 1, first), more = end - first - c->from;
        if (more > 0) c->active[more < WINDOW ? more - 1 : WINDOW - 1]++;
        first = end;
    }
    for (int i = WINDOW - 1; i > 0; i--) c->active[i - 1] += c->active[i];
}

static void count_there(counts *c)
{
    const int left = c->s.n - c->from, n = left < WINDOW ? left : WINDOW;
    ag__device_download(c->active, lstm_ranks_of(c->a, c->s).at_least + c->from + 1,
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
    step.attr.i[0] = t;
    step.attr.i[1] = active;
    return step;
}

void ag__lstm_forward_there(const ag_args *a)
{
    const lstm_sizes s = lstm_sizes_of(a);
    const int64_t all = (int64_t)s.sequences * s.h, kept = 2 * (int64_t)s.n * s.h;
    counts c = {a, s, -1, {0}};
    lstm_bounds_kernel.cuda(a);
    lstm_rank_kernel.cuda(a);
    lstm_at_least_kernel.cuda(a);
    if (s.h == 0) return;
    if (Y(2)) ag__device_fill(Y(2), 0, (size_t)kept * sizeof(ag_real));
    ag__device_fill(a->scratch, 0, (size_t)(6 * all) * sizeof(ag_real));
    for (int t = 0, active; (active = active_at(&c, t)) > 0; t++) {
        const ag_args step = step_of(a, t, active);
        if (t)
            ag__gemm(AG_CUDA, a->scratch + 2 * all, a->scratch, X(3), 0, 1, active, 4 * s.h, s.h, 0,
                     NULL);
        lstm_step_kernel.cuda(&step);
    }
    lstm_last_kernel.cuda(a);
}

void ag__lstm_backward_there(const ag_args *a)
{
    const lstm_sizes s = lstm_sizes_of(a);
    const int64_t all = (int64_t)s.sequences * s.h;
    counts c = {a, s, -1, {0}};
    int t = 0;
    if (s.h == 0) return;
    lstm_bounds_kernel.cuda(a);
    lstm_last_back_kernel.cuda(a);
    lstm_outside_kernel.cuda(a);
    while (active_at(&c, t) > 0) t++;
    while (t-- > 0) {
        const ag_args step = step_of(a, t, active_at(&c, t));
        lstm_step_back_kernel.cuda(&step);
        if (t)
            ag__gemm(AG_CUDA, a->scratch, a->scratch + 2 * all, X(3), 0, 0, step.attr.i[1], s.h,
                     4 * s.h, 0, NULL);
    }
}

int64_t ag__lstm_scratch_there(lstm_sizes s)
{
    return 6 * (int64_t)s.sequences * s.h + s.sequences + 1;
}
