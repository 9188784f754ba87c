/* SPDX-License-Identifier: MIT */
/* An estimate of a store's cost: instructions, dependent sums, cache lines. The constants are round
   numbers of processors with registers of 64 bytes; they only weight the terms of a feature that
   the model learns from. */
#include "examples/tpgnn/nest/nest_internal.h"

#include <math.h>

enum { REGISTER = 64, REGISTERS = 28, LATENCY = 4, UNROLLED_SIZE = 400 };

typedef struct statement {
    const nest_tree *t;
    const nest_store *store;
    const nest_access *a; /* the store, followed by its loads */
    int loads, levels;
    const nest_loop *level[NEST_LOOPS]; /* from the innermost */
    int vector, block;                  /* level that TIR vectorises, -1: none; levels in a block */
    int update;
} statement;

/* A way to run the statement: the loops inside `block`, one of them or the next one vectorised. */
typedef struct way {
    double lanes, registers, copies; /* elements, registers of a vector; statements of a block */
    double issue, chain, tile;
    int vector; /* level, -1: none */
} way;

static void find_levels(statement *s)
{
    s->levels = 0;
    s->vector = -1;
    for (int l = s->a->loop; l >= 0 && s->levels < NEST_LOOPS; l = s->t->loops[l].up) {
        const nest_loop *loop = &s->t->loops[l];
        if (loop->kind == NEST_VECTOR && loop->extent > 1 && s->vector < 0 && !s->store->scalar)
            s->vector = s->levels;
        s->level[s->levels++] = loop;
    }
    s->update = 0;
    for (int i = 1; i <= s->loads; i++)
        if (s->a[i].buffer == s->a->buffer && s->a->buffer >= 0) s->update = 1;
}

/* The innermost loops that are unrolled, by pragmas or, while the code stays small, by
   compilers. */
static void find_block(statement *s)
{
    double size = s->loads + 1 + s->store->ops + s->store->choices;
    for (s->block = 0; s->block < s->levels; s->block++) {
        const nest_loop *l = s->level[s->block];
        if (s->block == s->vector || l->extent <= 1) continue;
        size = nest_cap(size * l->extent);
        if (!l->unrolled && (l->kind == NEST_PARALLEL || size > UNROLLED_SIZE)) break;
    }
}

static int moves(const nest_access *a, int level) { return a->depends >> level & 1; }

/* The number of different places of an access in a block. */
static double places(const statement *s, const nest_access *a, int vector)
{
    double n = 1;
    for (int i = 0; i < s->block; i++)
        if (i != vector && (!a || moves(a, i))) n = nest_cap(n * s->level[i]->extent);
    return n;
}

/* Instructions to load or store a vector. */
static double of_access(const nest_access *a, int vector, const way *w)
{
    if (vector < 0 || a->stride[vector] == 0) return 1;
    return a->stride[vector] == 1 ? w->registers : 2 * w->lanes;
}

/* The number of iterations of the loops around a block in which an access reuses a value that
   registers keep. */
static double kept(const statement *s, const nest_access *a, int vector, double registers)
{
    double n = 1;
    if (registers > REGISTERS) return 1;
    for (int i = s->block; i < s->levels && (i == vector || !moves(a, i)); i++)
        if (i != vector) n = nest_cap(n * s->level[i]->extent);
    return n;
}

/* Registers of a vector loop. A loop that the compiler vectorises by itself has a remainder. */
static void find_width(way *w, const statement *s, int vector)
{
    w->lanes = vector < 0 ? 1 : s->level[vector]->extent;
    const double full = w->lanes * s->a->element / REGISTER;
    w->registers = ceil(full);
    if (vector >= 0 && vector != s->vector) {
        const double rest = (full - floor(full)) * REGISTER / s->a->element;
        w->registers = floor(full) + ceil(rest / 4);
    }
}

static void run(way *w, const statement *s, int vector, double trips)
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
        const double n = places(s, a, vector) * of_access(a, vector, w);
        if (own && !s->update)
            memory += n;
        else
            memory += n * (own && live > REGISTERS ? w->copies / w->tile : 1) /
                      kept(s, a, vector, own ? live : n + live);
    }
    const nest_store *store = s->store;
    const double compute =
        w->copies * (w->registers * (store->ops + 8 * store->divides + 2 * store->choices) +
                     10 * w->lanes * store->calls);
    w->issue = nest_cap(blocks * (compute + memory) / 2);
    w->chain = 0;
    if (!s->update) return;
    /* Sums of the next block depend on these unless they are different sums. */
    const int waits = s->block < s->levels && !moves(s->a, s->block);
    w->chain = nest_cap(blocks * w->copies / w->tile * LATENCY / (waits ? 1 : 4));
    if (vector == s->block) w->chain *= w->registers;
}

static double slower(const way *w) { return w->issue > w->chain ? w->issue : w->chain; }

/* Chooses TIR's vectorised loop, or the best one that a compiler may find: the first loop around
   the block, or contiguous sums of the block. */
static way choose(const statement *s, double trips)
{
    way best, w;
    run(&best, s, s->vector, trips);
    if (s->vector >= 0) return best;
    for (int i = 0; i <= s->block && i < s->levels; i++) {
        if (s->level[i]->extent < 4 || !moves(s->a, i)) continue;
        if (i < s->block && s->a->stride[i] != 1) continue;
        run(&w, s, i, trips);
        if (slower(&w) < slower(&best)) best = w;
    }
    return best;
}

/* The overhead of loops that are not unrolled: one per iteration or, for a vectorised loop, one per
   register. */
static double find_overhead(const statement *s, const way *w)
{
    double n = 1, all = 0;
    for (int i = s->levels - 1; i >= s->block; i--) {
        if (i == s->vector) continue;
        n = nest_cap(n * (i == w->vector ? w->registers : s->level[i]->extent));
        all = nest_cap(all + 2 * n);
    }
    return all;
}

/* ---- caches ---- */

typedef struct cache {
    double lines, crowds; /* crowds: weight of lines that share few sets */
} cache;

static const cache caches[3] = {{512, 0.5}, {8192, 1.0 / 16}, {65536, 1.0 / 64}};

/* 1 if the access is the first one of its statement to its buffer. */
static int is_first(const statement *s, int i)
{
    for (int j = 0; j < i && j < NEST_BUFFERS; j++)
        if (s->a[j].buffer == s->a[i].buffer) return 0;
    return 1;
}

/* Lines that the innermost loops need; each buffer counts once. */
static double needed(const statement *s, int level, const cache *c)
{
    double all = 0;
    for (int i = 0; i <= s->loads; i++) {
        if (!is_first(s, i)) continue;
        const double crowd = s->a[i].crowd[level] * c->crowds, lines = s->a[i].lines[level];
        all += crowd > lines ? crowd : lines;
    }
    return all;
}

/* Lines that an access fetches when the lines touched by the loops inside `level` stay in a cache.
   Outside of it, a loop that touches no new line finds all of them there, until one does. */
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

/* A program runs many times, so one that fits into the cache as a whole fetches nothing. */
static double misses(const statement *s, const cache *c)
{
    double all = 0;
    int level = 0;
    while (level < s->levels && needed(s, level + 1, c) <= c->lines) level++;
    if (level == s->levels && s->t->lines <= c->lines) return 0;
    for (int i = 0; i <= s->loads; i++)
        if (is_first(s, i)) all = nest_cap(all + fetched(s, &s->a[i], level));
    return all;
}

/* ---- instructions of the innermost loop ---- */

/* The innermost loop that is not vectorised, 0 without one. */
static int first_loop(const statement *s)
{
    for (int i = 0; i < s->levels; i++)
        if (i != s->vector && s->level[i]->extent > 1) return i;
    return 0;
}

/* Counts the loads that repeat, follow or jump in the vectorised loop. */
static void classify(nest_cost *c, const statement *s)
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
    statement s = {.t = t, .store = store, .a = &t->access[store->access], .loads = store->loads};
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
    c->update = (uint8_t)s.update;
    c->innermost = (uint8_t)(s.update && !moves(s.a, first_loop(&s)));
    c->overhead = find_overhead(&s, &w);
    for (int i = 0; i < 3; i++) c->miss[i] = misses(&s, &caches[i]);
    c->moved = nest_cap(c->trips * (s.loads + 1) * s.a->element);
    classify(c, &s);
    c->cycles = nest_cap(slower(&w) + c->overhead / 4 + 3 * c->miss[0] + 3 * c->miss[1]);
}
