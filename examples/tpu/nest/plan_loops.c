/* SPDX-License-Identifier: MIT */
#include "examples/tpu/nest/nests.h"

#include <math.h>
#include <string.h>

enum { SHORT = 8 }; /* a reduction shorter than this is never put inside of the row */

static double weight(const tpu_loop *l) { return fabs(l->reduce ? l->in[0] : l->out); }

/* The loops of one kind that run more than once, largest stride first. */
static int sorted(tpu_loop *to, const tpu_loop *from, int n, int reduce)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (from[i].reduce != reduce || from[i].n <= 1) continue;
        int at = kept++;
        for (; at > 0 && weight(&to[at - 1]) < weight(&from[i]); at--) to[at] = to[at - 1];
        to[at] = from[i];
    }
    return kept;
}

static int equal(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

static int fits(const tpu_loop *outer, const tpu_loop *inner)
{
    return equal(outer->out, inner->n * inner->out) &&
           equal(outer->in[0], inner->n * inner->in[0]) &&
           equal(outer->in[1], inner->n * inner->in[1]) &&
           equal(outer->in[2], inner->n * inner->in[2]);
}

static int merged(tpu_loop *loop, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (kept && fits(&loop[kept - 1], &loop[i])) {
            const double size = loop[kept - 1].n;
            loop[kept - 1] = loop[i];
            loop[kept - 1].n *= size;
        } else
            loop[kept++] = loop[i];
    return kept;
}

static int jumps(const tpu_loop *l, int inputs)
{
    int n = l->out != 0 && l->out != 1;
    for (int k = 0; k < inputs; k++) n += l->in[k] != 0 && l->in[k] != 1;
    return n > 0;
}

/* The reduction loop along which all inputs are contiguous, if they are not along the row. */
static int inner_reduction(const tpu_loop *sum, int n, const tpu_loop *row, int inputs)
{
    if (!jumps(row, inputs)) return -1;
    for (int i = n - 1; i >= 0; i--)
        if (sum[i].n >= SHORT && !jumps(&sum[i], inputs)) return i;
    return -1;
}

static double iterations(const tpu_loop *loop, int n)
{
    double all = 1;
    for (int i = 0; i < n; i++) all *= loop[i].n;
    return all;
}

void tpu_plan_loops(tpu_plan *plan, const tpu_loop *loop, int n, int inputs)
{
    const tpu_loop one = {.n = 1, .out = 1};
    tpu_loop out[TPU_LOOPS], sum[TPU_LOOPS];
    int n_out = merged(out, sorted(out, loop, n, 0));
    int n_sum = merged(sum, sorted(sum, loop, n, 1));
    *plan = (tpu_plan){.row = n_out ? out[--n_out] : one, .sum = one, .next = one};
    const int inner = inner_reduction(sum, n_sum, &plan->row, inputs);
    const int at = inner >= 0 ? inner : n_sum - 1;
    plan->folds = inner >= 0;
    if (at >= 0) {
        plan->sum = sum[at];
        memmove(&sum[at], &sum[at + 1], (size_t)(--n_sum - at) * sizeof *sum);
    }
    plan->free = iterations(out, n_out);
    plan->reduced = iterations(sum, n_sum);
    plan->depth = n_out + n_sum;
    if (plan->depth) plan->next = n_sum ? sum[n_sum - 1] : out[n_out - 1];
}
