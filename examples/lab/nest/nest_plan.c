/* SPDX-License-Identifier: MIT */
/* Plans a nest: chooses its loops, their order, and those of the inner loop. */
#include "examples/lab/nest/nest.h"

/* 1 if the smallest and the largest index of a window are inside, so that its loops move input 0 by
   plain strides. */
static int never_cut(const nest *nest, const nest_window *w)
{
    int64_t low = w->offset, high = w->offset;
    for (int i = 0; i < 2; i++) {
        const int64_t move = w->step[i] * ((int64_t)nest->given[w->loop[i]].size - 1);
        if (move < 0)
            low += move;
        else
            high += move;
    }
    return low >= 0 && high < w->limit && w->dilation == 1;
}

/* Both loops of a window move input 0; those of one that is cut are numbered. */
static void simplify_windows(nest *nest)
{
    int kept = 0;
    for (int i = 0; i < nest->n_windows; i++) {
        const nest_window w = nest->window[i];
        const int cut = !never_cut(nest, &w);
        if (cut)
            nest->window[kept++] = w;
        else
            nest->in_at[0] += w.stride * w.offset;
        for (int j = 0; j < 2; j++) {
            nest->given[w.loop[j]].in[0] += (double)(w.stride * w.step[j]);
            if (cut) nest->given[w.loop[j]].window = kept;
        }
    }
    nest->n_windows = kept;
}

/* ---- the order, which tpugraphs_plan_loops gives ---- */

/* At first `closes` is the window of a loop, whichever of its two loops it is. */
static nest_loop loop_of(const tpugraphs_loop *from)
{
    nest_loop l = {(int64_t)from->size, (int64_t)from->out, {0}, from->reduce, -1,
                   from->window - 1};
    for (int k = from->window ? 1 : 0; k < NEST_INPUTS; k++) l.in[k] = (int64_t)from->in[k];
    return l;
}

/* Each window is opened by the outer of its loops, which comes first, and closed by the inner. */
static void link_window(nest_loop *l, char *open)
{
    if (l->closes < 0 || open[l->closes]++) return;
    l->opens = l->closes;
    l->closes = -1;
}

void nest_plan(nest *nest)
{
    tpugraphs_loop loop[NEST_LOOPS + 1];
    int folds, free = 0, n = 0;
    char open[NEST_WINDOWS] = {0};
    simplify_windows(nest);
    for (int i = 0; i < nest->n_given; i++) /* loops of one iteration are only for windows */
        if (nest->given[i].size > 1 || nest->given[i].window) loop[n++] = nest->given[i];
    n = tpugraphs_plan_loops(loop, n, nest->rule, &folds);
    nest->n = (nest_loop){1, 1, {0}, 0, -1, -1};
    nest->r = (nest_loop){1, 1, {0}, 1, -1, -1};
    nest->depth = 0;
    while (free < n && !loop[free].reduce) free++;
    for (int i = 0; i < n; i++) {
        const nest_loop l = loop_of(&loop[i]);
        if (i == free - 1)
            nest->n = l;
        else if (i == n - 1)
            nest->r = l;
        else
            nest->loop[nest->depth++] = l;
    }
    nest->start = free ? free - 1 : 0;
    for (int i = 0; i < nest->depth; i++) link_window(&nest->loop[i], open);
    link_window(&nest->n, open);
    link_window(&nest->r, open);
    nest->body = nest->kind == NEST_MAP ? nest_map_body(nest->op, nest->type)
                                        : nest_reduce_body(nest->kind, !folds);
}
