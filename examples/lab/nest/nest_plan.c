/* SPDX-License-Identifier: MIT */
/* Plans a nest: chooses its loops, their order, and those of the inner loop. */
#include "examples/lab/nest/nest.h"

#include <string.h>

void nest_begin(nest *nest, nest_kind kind, lab_op op, lab_type type)
{
    memset(nest, 0, sizeof *nest);
    nest->kind = kind;
    nest->op = op;
    nest->type = type;
}

int nest_loop_add(nest *nest, int64_t size, int reduce, int64_t out, int64_t in0, int64_t in1,
                  int64_t in2)
{
    if (nest->n_loops == NEST_LOOPS) return NEST_LOOPS - 1;
    nest->loop[nest->n_loops] = (nest_loop){size, out, {in0, in1, in2}, reduce, -1, -1};
    return nest->n_loops++;
}

void nest_window_add(nest *nest, nest_window window)
{
    if (nest->n_windows < NEST_WINDOWS) nest->window[nest->n_windows++] = window;
}

static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

/* 1 if the smallest and the largest index of a window are inside, so that its loops move input 0 by
   plain strides. */
static int never_cut(const nest *nest, const nest_window *w)
{
    int64_t low = w->offset, high = w->offset;
    for (int i = 0; i < 2; i++) {
        const int64_t move = w->step[i] * (nest->loop[w->loop[i]].size - 1);
        if (move < 0)
            low += move;
        else
            high += move;
    }
    return low >= 0 && high < w->limit && w->dilation == 1;
}

static void simplify_windows(nest *nest)
{
    int kept = 0;
    for (int i = 0; i < nest->n_windows; i++) {
        const nest_window w = nest->window[i];
        if (!never_cut(nest, &w)) {
            nest->window[kept++] = w;
            continue;
        }
        for (int j = 0; j < 2; j++) nest->loop[w.loop[j]].in[0] += w.stride * w.step[j];
        nest->in_at[0] += w.stride * w.offset;
    }
    nest->n_windows = kept;
    /* At this point `closes` is the window of a loop, whichever of its two loops it is. */
    for (int i = 0; i < kept; i++)
        for (int j = 0; j < 2; j++) nest->loop[nest->window[i].loop[j]].closes = i;
}

/* The stride that orders a loop among its kind: of the output, or of input 0 in reductions. */
static int64_t weight(const nest *nest, const nest_loop *l)
{
    if (l->size == 1) return INT64_MAX; /* outermost: its stride means nothing */
    if (!l->reduce) return magnitude(l->out);
    if (l->closes < 0) return magnitude(l->in[0]);
    return INT64_MAX / 2 + magnitude(nest->window[l->closes].stride) % (INT64_MAX / 4);
}

/* Takes the loops of one kind out of `from`, largest stride first. Loops with one iteration are
   dropped unless a window needs them. */
static int sorted(nest_loop *to, const nest *nest, int reduce)
{
    int n = 0;
    for (int i = 0; i < nest->n_loops; i++) {
        const nest_loop *l = &nest->loop[i];
        if (l->reduce != reduce || (l->size == 1 && l->closes < 0)) continue;
        int at = n++;
        for (; at > 0 && weight(nest, &to[at - 1]) < weight(nest, l); at--) to[at] = to[at - 1];
        to[at] = *l;
    }
    return n;
}

static int fits(const nest_loop *outer, const nest_loop *inner)
{
    if (outer->closes >= 0 || inner->closes >= 0) return 0;
    int same = outer->out == inner->size * inner->out;
    for (int k = 0; k < NEST_INPUTS; k++) same &= outer->in[k] == inner->size * inner->in[k];
    return same;
}

/* Merges two loops that together run through memory like one. */
static int merged(nest_loop *loop, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (kept && fits(&loop[kept - 1], &loop[i])) {
            const int64_t size = loop[kept - 1].size;
            loop[kept - 1] = loop[i];
            loop[kept - 1].size *= size;
        } else
            loop[kept++] = loop[i];
    }
    return kept;
}

/* Strides along which the inner loop would be slow: neither 0 nor 1. */
static int jumps(const nest *nest, const nest_loop *l)
{
    const int inputs = nest->kind == NEST_DOT ? 2 : 1;
    int n = l->out != 0 && l->out != 1;
    for (int k = 0; k < inputs; k++) {
        int64_t stride = l->in[k];
        if (!k && l->closes >= 0) /* the distance by which its window moves input 0 */
            stride = nest->window[l->closes].stride * nest->window[l->closes].step[l->reduce];
        n += stride != 0 && stride != 1;
    }
    return n;
}

static nest_loop take(nest_loop *loop, int *n, int at)
{
    const nest_loop l = loop[at];
    memmove(&loop[at], &loop[at + 1], (size_t)(--*n - at) * sizeof *loop);
    return l;
}

/* The reduction loop of the tail: -1 when each of them is cut together with the output's. */
static int tail_reduction(const nest_loop *sum, int n_sum, const nest_loop *row)
{
    for (int i = n_sum - 1; i >= 0; i--)
        if (sum[i].closes < 0 || sum[i].closes != row->closes) return i;
    return -1;
}

/* The reduction loop along which all inputs are contiguous, if they are not along the row; -1:
   none. */
static int inner_reduction(const nest *nest, const nest_loop *sum, int n_sum, const nest_loop *row)
{
    enum { SHORT = 8 };
    if (!jumps(nest, row)) return -1;
    for (int i = n_sum - 1; i >= 0; i--)
        if (sum[i].closes < 0 && sum[i].size >= SHORT && !jumps(nest, &sum[i])) return i;
    return -1;
}

/* Each window is opened by the outer of its loops and closed by the inner. */
static void link_windows(nest *nest)
{
    char open[NEST_WINDOWS] = {0};
    nest_loop *order[NEST_LOOPS + 2];
    int n = 0;
    for (int i = 0; i < nest->depth; i++) order[n++] = &nest->loop[i];
    order[n++] = &nest->n;
    order[n++] = &nest->r;
    for (int i = 0; i < n; i++) {
        const int w = order[i]->closes;
        if (w < 0 || open[w]++) continue;
        order[i]->opens = w;
        order[i]->closes = -1;
    }
}

static nest_body choose_body(const nest *nest, int rows)
{
    if (nest->kind == NEST_MAP) return nest_map_body(nest->op, nest->type);
    return nest->kind == NEST_DOT ? nest_dot_body(rows) : nest_reduce_body(nest->kind, rows);
}

void nest_plan(nest *nest)
{
    simplify_windows(nest);
    nest_loop out[NEST_LOOPS], sum[NEST_LOOPS];
    int n_out = merged(out, sorted(out, nest, 0)), n_sum = merged(sum, sorted(sum, nest, 1));
    const nest_loop one = {1, 1, {0}, 0, -1, -1};
    nest->n = n_out ? out[--n_out] : one;
    nest->r = one;
    nest->r.reduce = 1;
    const int inner = inner_reduction(nest, sum, n_sum, &nest->n);
    const int at = inner >= 0 ? inner : tail_reduction(sum, n_sum, &nest->n);
    if (at >= 0) nest->r = take(sum, &n_sum, at);
    memcpy(nest->loop, out, (size_t)n_out * sizeof *out);
    memcpy(nest->loop + n_out, sum, (size_t)n_sum * sizeof *sum);
    nest->n_loops = nest->depth = n_out + n_sum;
    nest->start = n_out;
    link_windows(nest);
    nest->body = choose_body(nest, inner < 0);
}
