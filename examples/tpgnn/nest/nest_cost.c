/* SPDX-License-Identifier: MIT */
/* An estimate of a store's cost: instructions, dependent sums, cache lines. The constants are round
   numbers of processors with registers of 64 bytes; they only weight the terms of a feature that
   the model learns from. */
#include "examples/tpgnn/nest/nest_internal.h"

#include <math.h>

/* LARGE: instructions of a body; ALLOCATION: quarters of cycles. */
enum { REGISTER = 64, REGISTERS = 28, LATENCY = 4, LARGE = 1200, ALLOCATION = 1200 };

/* A way to run the statement: the loops inside `block`, one of them or the next one vectorised. */
typedef struct way {
    double lanes, registers, copies; /* elements, registers of a vector; statements of a block */
    double issue, chain, tile;
    double scattered, gathered;
    int vector; /* level, -1: none */
} way;

static void find_levels(nest_statement *s)
{
    s->vector = -1;
    for (int i = s->levels - 1; i >= 0; i--)
        if (s->level[i]->kind == NEST_VECTOR && s->level[i]->extent > 1 && !s->store->scalar)
            s->vector = i;
    s->update = 0;
    for (int i = 1; i <= s->loads; i++)
        if (s->a[i].buffer == s->a->buffer && s->a->buffer >= 0) s->update = 1;
}

/* The innermost loops that are unrolled, by pragmas or, while the code stays small, by
   compilers. */
static void find_block(nest_statement *s)
{
    for (s->block = 0; s->block < s->levels; s->block++) {
        const nest_loop *l = s->level[s->block];
        if (s->block == s->vector || l->extent <= 1) continue;
        if (!l->unrolled && !l->whole) break;
    }
}

/* The number of different places of an access in a block. */
static double places(const nest_statement *s, const nest_access *a, int vector)
{
    double n = 1;
    for (int i = 0; i < s->block; i++)
        if (i != vector && (!a || nest_moves(a, i))) n = nest_cap(n * s->level[i]->extent);
    return n;
}

/* Instructions to load or store a vector. */
static double of_access(const nest_statement *s, const nest_access *a, int vector, const way *w)
{
    if (vector < 0 || a->stride[vector] == 0) return 1;
    return nest_beside(s->t, a, vector, s->block) <= 1 ? w->registers : 2 * w->lanes;
}

/* The number of iterations of the loops around a block in which an access reuses a value that
   registers keep. */
static double kept(const nest_statement *s, const nest_access *a, int vector, double registers)
{
    double n = 1;
    if (registers > REGISTERS) return 1;
    for (int i = s->block; i < s->levels && (i == vector || !nest_moves(a, i)); i++)
        if (i != vector) n = nest_cap(n * s->level[i]->extent);
    return n;
}

/* Registers of a vector loop. A loop that the compiler vectorises by itself has a remainder. */
static void find_width(way *w, const nest_statement *s, int vector)
{
    w->lanes = vector < 0 ? 1 : s->level[vector]->extent;
    const double full = w->lanes * s->a->element / REGISTER;
    w->registers = ceil(full);
    if (vector >= 0 && vector != s->vector) {
        const double rest = (full - floor(full)) * REGISTER / s->a->element;
        w->registers = floor(full) + ceil(rest / 4);
    }
}

/* Accesses of a block to elements that do not follow each other in a vector. */
static double gathered(const nest_statement *s, const way *w)
{
    double n = 0;
    for (int i = 0; i <= s->loads && w->vector >= 0; i++)
        if (nest_beside(s->t, &s->a[i], w->vector, s->block) > 1)
            n += places(s, &s->a[i], w->vector) * w->lanes;
    return nest_cap(n);
}

/* A vector of several registers whose length is no power of two is carried around a loop element by
   element: sums of a block that the loop around it adds to. */
static double scattered(const nest_statement *s, const way *w)
{
    if (!s->update || w->vector < 0 || w->vector != s->vector) return 0;
    if (w->lanes * s->a->element <= REGISTER || exp2(floor(log2(w->lanes))) >= w->lanes) return 0;
    if (s->block >= s->levels || nest_moves(s->a, s->block)) return 0;
    return nest_cap(w->tile * w->lanes);
}

/* Each iteration of the first loop that stays has a buffer of its own. */
static int is_private(const nest_statement *s, int level)
{
    return level == s->block && s->store->life >= 0 &&
           &s->t->loops[s->store->life] == s->level[level];
}

static void run(way *w, const nest_statement *s, int vector, double trips)
{
    find_width(w, s, vector);
    w->vector = vector;
    w->copies = places(s, NULL, vector);
    w->tile = places(s, s->a, vector);
    const double blocks = trips / w->lanes / w->copies;
    const double live = nest_cap(w->tile * w->registers);
    double memory = 0;
    for (int i = 0; i <= s->loads; i++) {
        const nest_access *a = &s->a[i];
        const int own = i == 0 || (a->buffer == s->a->buffer && s->update);
        const double n = places(s, a, vector) * of_access(s, a, vector, w);
        if (own && !s->update)
            memory += n;
        else
            memory += n * (own && live > REGISTERS ? w->copies / w->tile : 1) /
                      kept(s, a, vector, own ? live : n + live);
    }
    const nest_store *store = s->store;
    const double compute =
        w->copies * (w->registers * (store->ops + 8 * store->divides + 2 * store->choices) +
                     20 * w->lanes * store->calls);
    w->gathered = gathered(s, w);
    w->scattered = scattered(s, w);
    w->issue = nest_cap(blocks * ((compute + memory) / 2 + w->scattered));
    w->chain = 0;
    if (!s->update) return;
    /* Sums of the next block depend on these unless they are different sums. */
    const int waits =
        s->block < s->levels && !nest_moves(s->a, s->block) && !is_private(s, s->block);
    w->chain = nest_cap(blocks * w->copies / w->tile * LATENCY / (waits ? 1 : 4));
    if (vector == s->block) w->chain *= w->registers;
}

static double slower(const way *w) { return w->issue > w->chain ? w->issue : w->chain; }

/* Compilers find vectors in straight code less often than in loops, and give up on large bodies. */
static double hindrance(const nest_statement *s, int level)
{
    if (level < s->block) return 2;
    if (s->level[level]->size > LARGE) return 3;
    return s->level[level]->branches > 0 ? 2 : 1;
}

/* Chooses TIR's vectorised loop, or the best one that a compiler may find: the first loop around
   the block, or contiguous sums of the block. */
static way choose(const nest_statement *s, double trips)
{
    way best, w;
    run(&best, s, s->vector, trips);
    if (s->vector >= 0) return best;
    for (int i = 0; i <= s->block && i < s->levels; i++) {
        if (s->level[i]->extent < 4 || !(nest_moves(s->a, i) || is_private(s, i))) continue;
        if (i < s->block && s->a->stride[i] != 1) continue;
        run(&w, s, i, trips);
        w.issue *= hindrance(s, i);
        if (slower(&w) < slower(&best)) best = w;
    }
    return best;
}

/* The overhead of loops that are not unrolled: one per iteration or, for a vectorised loop, one per
   register. */
static double find_overhead(const nest_statement *s, const way *w)
{
    double n = 1, all = 0;
    for (int i = s->levels - 1; i >= s->block; i--) {
        if (i == s->vector) continue;
        n = nest_cap(n * (i == w->vector ? w->registers : s->level[i]->extent));
        all = nest_cap(all + 2 * n);
    }
    return all;
}

/* ---- instructions of the innermost loop ---- */

/* The innermost loop that is not vectorised, 0 without one. */
static int first_loop(const nest_statement *s)
{
    for (int i = 0; i < s->levels; i++)
        if (i != s->vector && s->level[i]->extent > 1) return i;
    return 0;
}

/* Counts the loads that repeat, follow or jump in the vectorised loop. */
static void classify(nest_cost *c, const nest_statement *s)
{
    for (int i = 1; i <= s->loads && s->vector >= 0; i++) {
        const double stride = s->a[i].stride[s->vector];
        c->broadcast += stride == 0;
        c->contiguous += stride == 1;
        c->strided += stride > 1;
    }
}

void nest_price(nest_cost *c, const nest_tree *t, const nest_store *store)
{
    nest_statement s = nest_take(t, store);
    *c = (nest_cost){.trips = s.a->loop < 0 ? 1 : t->loops[s.a->loop].trips};
    find_levels(&s);
    find_block(&s);
    const way w = choose(&s, c->trips);
    c->lanes = w.lanes;
    c->issue = w.issue;
    c->chain = w.chain;
    c->tile = w.tile;
    c->vectors = nest_cap(w.tile * w.registers);
    c->copies = w.copies;
    c->registers = w.registers;
    c->scattered = w.scattered;
    c->gathered = w.gathered;
    c->block = s.block;
    c->vector = w.vector;
    c->update = (uint8_t)s.update;
    c->innermost = (uint8_t)(s.update && !nest_moves(s.a, first_loop(&s)));
    c->overhead = find_overhead(&s, &w);
    nest_miss(c->miss, t, store);
    c->moved = nest_cap(c->trips * (s.loads + 1) * s.a->element);
    classify(c, &s);
    c->overhead = nest_cap(c->overhead + ALLOCATION * nest_allocations(t, store));
    c->issue /= store->saved;
    c->chain /= store->saved;
    c->overhead /= store->saved;
    for (int i = 0; i < 3; i++) c->miss[i] /= store->saved;
    c->cycles = nest_cap((c->issue > c->chain ? c->issue : c->chain) + c->overhead / 4 +
                         3 * c->miss[0] + 6 * c->miss[1]);
}
