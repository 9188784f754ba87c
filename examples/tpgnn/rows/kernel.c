/* SPDX-License-Identifier: MIT */
/* The innermost loops around a statement as a compiler leaves them. */
#include "examples/tpgnn/rows/statement.h"

/* Compilers vectorise a loop that stays, too, with elements that they store one by one. */
static int scatters(const nests_statement *s, const nest_loop *stays)
{
    const int level = s->cost->block;
    if (!stays || stays->outer || stays->kind != NEST_SERIAL || s->cost->vector >= 0) return 0;
    return nest_moves(s->of.a, level) && nest_beside(s->of.t, s->of.a, level, level) > 1;
}

void nests_write_kernel(nests_writer *w, const nests_statement *s)
{
    const nest_cost *c = s->cost;
    const nest_loop *stays = nests_loop_at(s, c->block);
    double places = 0;
    int first;
    const double run = nest_adjacent(&first, s->of.t, s->of.a, c->vector, c->block);
    for (int i = 0; i < s->loads; i++) {
        double n = 1;
        for (int k = 0; k < c->block && k < s->load[i]->loops; k++)
            if (k != c->vector && nest_moves(s->load[i], k))
                n = nest_cap(n * nests_loop_at(s, k)->extent);
        places = nest_cap(places + n);
    }
    nests_put(w, c->copies);
    nests_put(w, c->copies / c->tile);
    nests_put(w, c->tile);
    nests_put(w, places);
    nests_put(w, places / c->copies);
    nests_put(w, c->block);
    nests_put(w, c->vector < 0 ? -1 : c->vector == c->block ? 2 : 1);
    nests_put(w, c->lanes);
    nests_put(w, c->registers);
    nests_put(w, c->scattered);
    nests_put(w, c->gathered);
    nests_put(w, stays ? stays->outer : -1);
    nests_put(w, stays ? stays->size : -1);
    nests_put(w, stays ? nest_cap(stays->size * stays->extent) : -1);
    nests_put(w, stays ? nest_moves(s->of.a, c->block) : -1);
    nests_put(w, stays ? stays->branches : -1);
    nests_put(w, stays ? stays->sources : -1);
    nests_put(w, stays ? stays->step : -1);
    nests_put(w, stays ? stays->kind : -1);
    nests_put(w, s->of.store->saved);
    nests_put(w, 1024 * nest_allocations(s->of.t, s->of.store) / c->trips);
    nests_put(w,
              stays ? s->of.store->life >= 0 && &s->of.t->loops[s->of.store->life] == stays : -1);
    nests_put(w, scatters(s, stays) ? stays->extent : 0);
    nests_put(w, run);
    nests_write_strides(w, s, first);
    nests_put(w, stays ? nest_beside(s->of.t, s->of.a, c->block, c->block) : -1);
    for (int i = 0; i < NESTS_ROW_LOADS; i++)
        nests_put(w, stays && i < s->loads ? nest_beside(s->of.t, s->load[i], c->block, c->block)
                                           : -1);
    nests_put(w, c->issue > c->chain);
    int level = c->block;
    for (int i = 0; i < 2; i++) level = nests_write_loop(w, s, level, 0);
    double outside = 1;
    for (const nest_loop *l; (l = nests_loop_at(s, level)); level++)
        outside = nest_cap(outside * l->extent);
    nests_put(w, outside);
    nests_put(w, c->trips / c->copies / c->lanes);
    nests_put(w, 64 * c->cycles * c->copies * c->lanes / c->trips);
}

/* ---- how far an access is from its next use of the same place ---- */

/* The first loop outside the block that repeats the places of the access: what is touched inside
   it, in which share of a near cache, how often it runs. */
static void write_access(nests_writer *w, const nests_statement *s, const nest_access *a)
{
    const nest_loop *l;
    int level = 0;
    for (; (l = nests_loop_at(s, level)); level++)
        if (level >= s->cost->block && l->extent > 1 && !nest_moves(a, level)) break;
    nests_put(w, l ? l->extent : 0);
    nests_put(w, a->lines[level]);
    nests_put(w, a->crowd[level] / a->lines[level]);
    nests_put(w, a->crowd[level]);
    nests_put(w, nests_lines_touched(s, level));
    double lines[2];
    nest_fetch(lines, &s->of, a);
    for (int i = 0; i < 2; i++) nests_put(w, 1024 * lines[i] / s->cost->trips);
}

void nests_write_reuse(nests_writer *w, const nests_statement *s)
{
    write_access(w, s, s->of.a);
    for (int i = 0; i < s->loads; i++) write_access(w, s, s->load[i]);
    w->columns += 7 * (NESTS_ROW_LOADS - s->loads);
}
