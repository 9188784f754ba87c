/* SPDX-License-Identifier: MIT */
/* What a store costs about: instructions, sums that wait for each other, lines from caches. The
   constants are round numbers of processors with registers of 64 bytes; they only weigh terms of
   a model that learns from the sum. */
#include "examples/tpgnn/nest_parts.h"

#include <math.h>

enum { REGISTER = 64, REGISTERS = 28, LATENCY = 4, FORWARD = 9 };

typedef struct statement {
    const nest_tree *t;
    const nest_access *a; /* the store; its loads behind it */
    int loads, levels;
    const nest_loop *level[NEST_LOOPS]; /* from the innermost */
    double vector;                      /* elements of a vector statement */
} statement;

static void find_levels(statement *s, const nest_store *store)
{
    s->levels = 0;
    s->vector = 1;
    for (int l = s->a->loop; l >= 0 && s->levels < NEST_LOOPS; l = s->t->loops[l].up) {
        s->level[s->levels++] = &s->t->loops[l];
        if (s->t->loops[l].kind == NEST_VECTOR && !store->scalar)
            s->vector = nest_cap(s->vector * s->t->loops[l].extent);
    }
}

/* Instructions of a load or store in one execution. */
static double of_access(nest_cost *c, const nest_access *a, double vector, double registers)
{
    if (vector <= 1) return 1;
    if (a->across == 0) {
        c->broadcast++;
        return 1;
    }
    if (a->across == 1) {
        c->contiguous++;
        return registers;
    }
    c->strided++;
    return 2 * vector;
}

/* The loops inside the innermost one that repeats the stored place make independent sums. Where
   those are unrolled and few, sums stay in registers as long as that loop runs. */
static double find_sums(nest_cost *c, const statement *s, double registers)
{
    double kept = 1;
    int opened = 0, level = 0;
    c->tile = 1;
    for (; level < s->levels && (s->a->depends >> level & 1 || s->level[level]->extent <= 1 ||
                                 s->level[level]->kind == NEST_VECTOR);
         level++) {
        if (s->level[level]->kind == NEST_VECTOR) continue;
        if (!s->level[level]->unrolled && s->level[level]->extent > 1) opened = 1;
        c->tile = nest_cap(c->tile * s->level[level]->extent);
    }
    c->vectors = nest_cap(c->tile * registers);
    c->innermost = level < s->levels && c->tile == 1;
    if (opened || c->vectors > REGISTERS) return 1;
    for (; level < s->levels; level++) {
        if (s->level[level]->extent <= 1) continue;
        if (s->a->depends >> level & 1) break;
        kept = nest_cap(kept * s->level[level]->extent);
    }
    return kept;
}

/* Loops that stay: each iteration counts once. */
static double find_overhead(const statement *s)
{
    double n = 1, all = 0;
    for (int i = s->levels - 1; i >= 0; i--) {
        const nest_loop *l = s->level[i];
        if (l->kind == NEST_VECTOR) continue;
        n = nest_cap(n * l->extent);
        if (!l->unrolled) all = nest_cap(all + 2 * n);
    }
    return all;
}

/* ---- caches --------------------------------------------------------------------------------- */

/* Lines that the innermost loops touch, each buffer once. */
static double touched(const statement *s, int level)
{
    double all = 0;
    for (int i = 0; i <= s->loads; i++) {
        int first = 1;
        for (int j = 0; j < i && j < NEST_BUFFERS; j++)
            first = first && s->a[j].buffer != s->a[i].buffer;
        if (first) all += s->a[i].lines[level];
    }
    return all;
}

/* Lines that an access fetches, when what the loops inside `level` touch stays in a cache: outside
   of it a loop that touches nothing new finds everything there, until one does. */
static double fetched(const statement *s, const nest_access *a, int level)
{
    double lines = a->lines[level];
    int kept = 1;
    for (; level < s->levels; level++) {
        if (!kept) {
            lines = nest_cap(lines * s->level[level]->extent);
        } else {
            lines = a->lines[level + 1];
            kept = lines <= a->lines[level];
        }
    }
    return lines;
}

static double misses(const statement *s, double lines)
{
    double all = 0;
    int level = 0;
    while (level < s->levels && touched(s, level + 1) <= lines) level++;
    for (int i = 0; i <= s->loads; i++) {
        int first = 1;
        for (int j = 0; j < i && j < NEST_BUFFERS; j++)
            first = first && s->a[j].buffer != s->a[i].buffer;
        if (first) all = nest_cap(all + fetched(s, &s->a[i], level));
    }
    return all;
}

/* --------------------------------------------------------------------------------------------- */

void nest_price(nest_cost *c, const nest_tree *t, const nest_store *store)
{
    static const double cache[3] = {256, 4096, 65536}; /* lines */
    statement s = {.t = t, .a = &t->access[store->access], .loads = store->loads};
    *c = (nest_cost){.trips = s.a->loop < 0 ? 1 : t->loops[s.a->loop].trips};
    find_levels(&s, store);
    c->lanes = s.vector;
    const double registers = ceil(s.vector * s.a->element / REGISTER), n = c->trips / s.vector;
    const double kept = find_sums(c, &s, registers);
    double memory = 0;
    for (int i = 1; i <= s.loads; i++) {
        const int same = s.a[i].buffer == s.a->buffer && s.a->buffer >= 0;
        const double load = of_access(c, &s.a[i], s.vector, registers);
        if (same) c->update = 1;
        memory += load / (same ? kept : 1);
    }
    nest_cost unused = {0};
    memory += of_access(&unused, s.a, s.vector, registers) / (c->update ? kept : 1);
    const double choices = store->choices * (store->scalar ? 4 : 2);
    const double compute =
        registers * (store->ops + 8 * store->divides + choices) + 20 * s.vector * store->calls;
    c->issue = nest_cap(n * (compute + memory) / 2);
    if (c->update) c->chain = nest_cap(n * registers * (kept > 1 ? LATENCY : FORWARD) / c->vectors);
    c->overhead = find_overhead(&s);
    for (int i = 0; i < 3; i++) c->miss[i] = misses(&s, cache[i]);
    c->moved = nest_cap(c->trips * (s.loads + 1) * s.a->element);
    c->cycles = nest_cap((c->issue > c->chain ? c->issue : c->chain) + c->overhead / 2 +
                         4 * c->miss[0] + 10 * c->miss[1]);
}
