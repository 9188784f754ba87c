/* SPDX-License-Identifier: MIT */
/* An estimate of a store's cost: instructions, dependent sums, cache lines. Its constants are round
   numbers for processors with registers of 64 bytes, and only weight what a model learns from. */
#include "examples/tpgnn/nest/nest_internal.h"

#include <math.h>

/* LARGE: instructions of a body; ALLOCATION: quarters of cycles. */
enum { REGISTER = 64, REGISTERS = 28, LATENCY = 4, LARGE = 1200, ALLOCATION = 1200 };

static void find_levels(nest_statement *s)
{
    s->vector = -1;
    for (int i = s->levels - 1; i >= 0; i--)
        if (s->level[i]->kind == NEST_VECTOR && s->level[i]->extent > 1 && !s->store->scalar)
            s->vector = i;
}

/* 1 if the statement loads what it stores to. */
static uint8_t updates(const nest_statement *s)
{
    for (int i = 1; i <= s->loads; i++)
        if (s->a[i].buffer == s->a->buffer && s->a->buffer >= 0) return 1;
    return 0;
}

/* The innermost loops that pragmas unroll or, while the code stays small, compilers. */
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
static double of_access(const nest_statement *s, const nest_access *a, int vector,
                        const nest_cost *c)
{
    if (vector < 0 || a->stride[vector] == 0) return 1;
    return nest_beside(s->t, a, vector, s->block) <= 1 ? c->registers : 2 * c->lanes;
}

/* Iterations around a block in which an access reuses a value that registers keep. */
static double kept(const nest_statement *s, const nest_access *a, int vector, double registers)
{
    double n = 1;
    if (registers > REGISTERS) return 1;
    for (int i = s->block; i < s->levels && (i == vector || !nest_moves(a, i)); i++)
        if (i != vector) n = nest_cap(n * s->level[i]->extent);
    return n;
}

/* Registers of a vector loop. A loop that the compiler vectorises by itself has a remainder. */
static void find_width(nest_cost *c, const nest_statement *s, int vector)
{
    c->lanes = vector < 0 ? 1 : s->level[vector]->extent;
    const double full = c->lanes * s->a->element / REGISTER;
    c->registers = ceil(full);
    if (vector >= 0 && vector != s->vector) {
        const double rest = (full - floor(full)) * REGISTER / s->a->element;
        c->registers = floor(full) + ceil(rest / 4);
    }
}

/* Accesses of a block to elements that do not follow each other in a vector. */
static double gathered(const nest_statement *s, const nest_cost *c)
{
    double n = 0;
    for (int i = 0; i <= s->loads && c->vector >= 0; i++)
        if (nest_beside(s->t, &s->a[i], c->vector, s->block) > 1)
            n += places(s, &s->a[i], c->vector) * c->lanes;
    return nest_cap(n);
}

/* A vector of several registers whose length is not a power of two is carried around a loop element
   by element: sums of a block that the loop around it adds to. */
static double scattered(const nest_statement *s, const nest_cost *c)
{
    if (!c->update || c->vector < 0 || c->vector != s->vector) return 0;
    if (c->lanes * s->a->element <= REGISTER || exp2(floor(log2(c->lanes))) >= c->lanes) return 0;
    if (s->block >= s->levels || nest_moves(s->a, s->block)) return 0;
    return nest_cap(c->tile * c->lanes);
}

/* Each iteration of the first loop that stays has a buffer of its own. */
static int is_private(const nest_statement *s, int level)
{
    return level == s->block && s->store->life >= 0 &&
           &s->t->loops[s->store->life] == s->level[level];
}

/* The cost of running the statement with the loops in its block, one of these or the next
 * vectorised. */
static void run(nest_cost *c, const nest_statement *s, int vector)
{
    find_width(c, s, vector);
    c->vector = vector;
    c->copies = places(s, NULL, vector);
    c->tile = places(s, s->a, vector);
    const double blocks = c->trips / c->lanes / c->copies;
    const double live = nest_cap(c->tile * c->registers);
    double memory = 0;
    for (int i = 0; i <= s->loads; i++) {
        const nest_access *a = &s->a[i];
        const int own = i == 0 || (a->buffer == s->a->buffer && c->update);
        const double n = places(s, a, vector) * of_access(s, a, vector, c);
        if (own && !c->update)
            memory += n;
        else
            memory += n * (own && live > REGISTERS ? c->copies / c->tile : 1) /
                      kept(s, a, vector, own ? live : n + live);
    }
    const nest_store *store = s->store;
    const double compute =
        c->copies * (c->registers * (store->ops + 8 * store->divides + 2 * store->choices) +
                     20 * c->lanes * store->calls);
    c->gathered = gathered(s, c);
    c->scattered = scattered(s, c);
    c->issue = nest_cap(blocks * ((compute + memory) / 2 + c->scattered));
    c->chain = 0;
    if (!c->update) return;
    /* Sums of the next block depend on these unless they are different sums. */
    const int waits =
        s->block < s->levels && !nest_moves(s->a, s->block) && !is_private(s, s->block);
    c->chain = nest_cap(blocks * c->copies / c->tile * LATENCY / (waits ? 1 : 4));
    if (vector == s->block) c->chain *= c->registers;
}

static double slower(const nest_cost *c) { return c->issue > c->chain ? c->issue : c->chain; }

/* Compilers find vectors in straight code less often than in loops, and give up on large bodies. */
static double hindrance(const nest_statement *s, int level)
{
    if (level < s->block) return 2;
    if (s->level[level]->size > LARGE) return 3;
    return s->level[level]->branches > 0 ? 2 : 1;
}

/* Chooses TIR's vectorised loop, or the best one that a compiler may find: the first loop around
   the block, or contiguous sums of the block. */
static void choose(nest_cost *best, const nest_statement *s)
{
    run(best, s, s->vector);
    for (int i = 0; s->vector < 0 && i <= s->block && i < s->levels; i++) {
        nest_cost c = *best;
        if (s->level[i]->extent < 4 || !(nest_moves(s->a, i) || is_private(s, i))) continue;
        if (i < s->block && s->a->stride[i] != 1) continue;
        run(&c, s, i);
        c.issue *= hindrance(s, i);
        if (slower(&c) < slower(best)) *best = c;
    }
}

/* The overhead of loops that stay: once per iteration or, where vectorised, per register. */
static double find_overhead(const nest_statement *s, const nest_cost *c)
{
    double n = 1, all = 0;
    for (int i = s->levels - 1; i >= s->block; i--) {
        if (i == s->vector) continue;
        n = nest_cap(n * (i == c->vector ? c->registers : s->level[i]->extent));
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
    find_levels(&s);
    find_block(&s);
    *c = (nest_cost){.trips = s.a->loop < 0 ? 1 : t->loops[s.a->loop].trips,
                     .block = s.block,
                     .update = updates(&s)};
    choose(c, &s);
    c->vectors = nest_cap(c->tile * c->registers);
    c->innermost = (uint8_t)(c->update && !nest_moves(s.a, first_loop(&s)));
    c->overhead = nest_cap(find_overhead(&s, c) + ALLOCATION * nest_allocations(t, store));
    nest_miss(c->miss, &s);
    c->moved = nest_cap(c->trips * (s.loads + 1) * s.a->element);
    classify(c, &s);
    c->issue /= store->saved;
    c->chain /= store->saved;
    c->overhead /= store->saved;
    for (int i = 0; i < 3; i++) c->miss[i] /= store->saved;
    c->cycles = nest_cap(slower(c) + c->overhead / 4 + 3 * c->miss[0] + 6 * c->miss[1]);
}
