/* SPDX-License-Identifier: MIT */
/* The innermost loops around a statement, as a compiler sees them. */
#include "examples/tpgnn/rows/statement.h"

#include <math.h>

/* The loops that pragmas unroll and TIR vectorises, from the inside until one that stays. */
typedef struct block {
    double copies, tile;            /* statements; different places of the store */
    double lanes, across;           /* elements of a vector; the stride of the store along it */
    double places[NESTS_ROW_LOADS]; /* different places of each load */
    double beside[NESTS_ROW_LOADS]; /* its stride along the vector */
    int loop, level;                /* the first loop that stays, -1: none */
} block;

static int moves(const nest_access *a, int level) { return a->depends >> level & 1; }

static void multiply(block *b, const nests_statement *s, const nest_loop *l)
{
    b->copies *= l->extent;
    if (moves(s->a, b->level)) b->tile *= l->extent;
    for (int i = 0; i < s->loads; i++)
        if (moves(s->load[i], b->level)) b->places[i] *= l->extent;
}

static void find_block(block *b, const nests_statement *s)
{
    *b = (block){.copies = 1, .tile = 1, .lanes = 1, .across = -1, .loop = s->a->loop};
    for (int i = 0; i < NESTS_ROW_LOADS; i++) {
        b->places[i] = i < s->loads;
        b->beside[i] = -1;
    }
    for (; b->loop >= 0 && b->level < s->a->loops; b->loop = s->t->loops[b->loop].up, b->level++) {
        const nest_loop *l = &s->t->loops[b->loop];
        if (l->extent <= 1) continue;
        if (l->kind == NEST_VECTOR && b->lanes <= 1) {
            b->lanes = l->extent;
            b->across = s->a->stride[b->level];
            for (int i = 0; i < s->loads; i++) b->beside[i] = s->load[i]->stride[b->level];
        } else if (l->unrolled) {
            multiply(b, s, l);
        } else {
            break;
        }
    }
}

/* Vectors become as wide as the next power of two, in registers of 64 bytes. */
static void write_block(nests_writer *w, const nests_statement *s, const block *b)
{
    const double wide = exp2(ceil(log2(b->lanes)));
    const double registers = ceil(wide * s->a->element / 64);
    double loads = 0;
    for (int i = 0; i < s->loads; i++) loads += b->places[i];
    nests_put(w, b->copies);
    nests_put(w, b->tile);
    nests_put(w, b->lanes);
    nests_put(w, wide);
    nests_put(w, wide / b->lanes);
    nests_put(w, registers);
    nests_put(w, nest_cap(registers * b->tile));
    nests_put(w, loads / b->copies);
    nests_put(w, nest_cap(b->copies * registers * (1 + s->store->loads)));
    nests_put(w, b->across);
    for (int i = 0; i < NESTS_ROW_LOADS; i++) nests_put(w, b->beside[i]);
}

/* A loop around the block: its extent, what its body has, how the accesses move. */
static void write_around(nests_writer *w, const nests_statement *s, block *b)
{
    while (b->loop >= 0 && s->t->loops[b->loop].extent <= 1) {
        b->loop = s->t->loops[b->loop].up;
        b->level++;
    }
    if (b->loop < 0 || b->level >= s->a->loops) {
        for (int i = 0; i < 4 + NESTS_ROW_LOADS; i++) nests_put(w, -1);
        return;
    }
    const nest_loop *l = &s->t->loops[b->loop];
    nests_put(w, l->extent);
    nests_put(w, l->stores);
    nests_put(w, l->inside >= 0);
    nests_put(w, s->a->stride[b->level]);
    for (int i = 0; i < NESTS_ROW_LOADS; i++)
        nests_put(w, i < s->loads ? s->load[i]->stride[b->level] : -1);
    b->loop = l->up;
    b->level++;
}

/* The innermost loop around all accesses of the stored buffer; -1: it outlives all loops. */
static int find_life(const nests_statement *s)
{
    const nest_tree *t = s->t;
    int loop = s->a->loop;
    if (s->a->buffer < 0 || !t->kind[t->s->kind[s->a->buffer]].local) return -1;
    for (int i = 0; i < t->access_count; i++)
        if (t->access[i].buffer == s->a->buffer) loop = nest_common(t, loop, t->access[i].loop);
    return loop;
}

/* A small buffer that lives in an iteration of a loop can be kept in registers, and the loop be
   vectorised if those inside are unrolled. */
static void write_life(nests_writer *w, const nests_statement *s)
{
    const nest_tree *t = s->t;
    int life = find_life(s), between = 0, straight = 1, level = 0;
    double inside = 1;
    for (int l = s->a->loop; l >= 0 && l != life; l = t->loops[l].up) {
        if (t->loops[l].extent <= 1) continue;
        between++;
        inside = nest_cap(inside * t->loops[l].extent);
        straight = straight && t->loops[l].unrolled;
    }
    while (life >= 0 && t->loops[life].extent <= 1) life = t->loops[life].up;
    const nest_loop *l = life < 0 ? NULL : &t->loops[life];
    for (int at = s->a->loop; l && at != life; at = t->loops[at].up) level++;
    nests_put(w, between);
    nests_put(w, inside);
    nests_put(w, straight);
    nests_put(w, s->a->size / s->a->element);
    nests_put(w, l ? l->extent : 0);
    nests_put(w, l ? l->kind : -1);
    nests_put(w, l ? l->height : -1);
    for (int i = 0; i < 2; i++)
        nests_put(w, l && i < s->loads && level < s->a->loops ? s->load[i]->stride[level] : -1);
}

void nests_write_block(nests_writer *w, const nests_statement *s)
{
    block b;
    find_block(&b, s);
    write_block(w, s, &b);
    write_around(w, s, &b);
    write_around(w, s, &b);
    write_life(w, s);
}
