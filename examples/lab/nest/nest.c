/* SPDX-License-Identifier: MIT */
/* Runs a planned nest: the outer loops, their ranges within windows, and the tail. */
#include "examples/lab/nest/nest.h"

#include <math.h>

/* The range of a loop within its window: its start and the moves per iteration. */
typedef struct range {
    int64_t count, step; /* step: distance between the counters of two iterations */
    int64_t first;       /* counter of the first iteration */
    int64_t at, along;   /* of input 0: offset of the first iteration, move of each */
} range;

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t c = a % b;
        a = b;
        b = c;
    }
    return a;
}

/* The iterations of a loop of `size` with index = base + step * counter that are within a
   window. */
static range cut(const nest_window *w, int64_t base, int64_t step, int64_t size)
{
    const int64_t last = w->limit - 1, s = step < 0 ? -step : step;
    const int64_t below = step > 0 ? -base : base - last, above = step > 0 ? last - base : base;
    int64_t low = -lab_floor_divide(-below, s), high = lab_floor_divide(above, s);
    low = low < 0 ? 0 : low;
    high = high > size - 1 ? size - 1 : high;
    const int64_t every = w->dilation / gcd(s, w->dilation);
    for (int64_t i = 0; i < every && low <= high; i++, low++)
        if ((base + step * low) % w->dilation == 0)
            return (range){(high - low) / every + 1, every, low,
                           w->stride * ((base + step * low) / w->dilation),
                           w->stride * (step * every / w->dilation)};
    return (range){0, 1, 0, 0, 0};
}

/* index: of windows whose first loop has a counter, without the second loop's part. */
static range loop_range(const nest *nest, const nest_loop *l, const int64_t *index)
{
    if (l->closes < 0) return (range){l->size, 1, 0, 0, l->in[0]};
    const nest_window *w = &nest->window[l->closes];
    return cut(w, index[l->closes], w->step[l->reduce], l->size);
}

/* Moves input 0 by the range's start, and the others by the loop's strides. */
static void first_inputs(const float *in[NEST_INPUTS], const float *const from[NEST_INPUTS],
                         const nest_loop *l, const range *r)
{
    in[0] = from[0] + r->at;
    for (int k = 1; k < NEST_INPUTS; k++) in[k] = from[k] + r->first * l->in[k];
}

static void run_tail(const nest *nest, float *out, const float *const in[NEST_INPUTS],
                     const int64_t *index)
{
    const range n = loop_range(nest, &nest->n, index), r = loop_range(nest, &nest->r, index);
    if (!n.count || !r.count) return;
    nest_tail tail = {n.count, n.step * nest->n.out, {n.along}, r.count, {r.along}};
    const float *row[NEST_INPUTS], *start[NEST_INPUTS];
    for (int k = 1; k < NEST_INPUTS; k++) {
        tail.in[k] = n.step * nest->n.in[k];
        tail.along[k] = r.step * nest->r.in[k];
    }
    first_inputs(row, in, &nest->n, &n);
    first_inputs(start, row, &nest->r, &r);
    nest->body(out + n.first * nest->n.out, start, &tail);
}

/* Initialises the output's elements to which the reductions inside of the outer loops add. */
static void start_row(const nest *nest, float *out)
{
    const float value = nest->kind == NEST_MAX ? -INFINITY : 0.0f;
    for (int64_t i = 0; i < nest->n.size; i++) out[i * nest->n.out] = value;
}

static void walk(const nest *nest, int depth, float *out, const float *const in[NEST_INPUTS],
                 int64_t *index)
{
    if (depth == nest->start && nest->kind != NEST_MAP && !nest->accumulate) start_row(nest, out);
    if (depth == nest->depth) {
        run_tail(nest, out, in, index);
        return;
    }
    const nest_loop *l = &nest->loop[depth];
    const range r = loop_range(nest, l, index);
    const float *at[NEST_INPUTS];
    first_inputs(at, in, l, &r);
    out += r.first * l->out;
    for (int64_t i = 0; i < r.count; i++) {
        if (l->opens >= 0) {
            const nest_window *w = &nest->window[l->opens];
            index[l->opens] = w->offset + w->step[l->reduce] * i;
        }
        walk(nest, depth + 1, out, at, index);
        out += r.step * l->out;
        at[0] += r.along;
        for (int k = 1; k < NEST_INPUTS; k++) at[k] += r.step * l->in[k];
    }
}

void nest_run(const nest *nest, float *out, const float *const in[NEST_INPUTS])
{
    /* Missing inputs are replaced by input 0 with strides of 0. */
    const float *at[NEST_INPUTS];
    for (int k = 0; k < NEST_INPUTS; k++) at[k] = in[k] ? in[k] + nest->in_at[k] : in[0];
    int64_t index[NEST_WINDOWS] = {0};
    walk(nest, 0, out + nest->out_at, at, index);
}
