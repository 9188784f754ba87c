/* SPDX-License-Identifier: MIT */
/* The innermost loops around a statement, as a compiler sees them. */
#include "examples/tpgnn/rows/statement.h"

#include <math.h>

/* The loops that pragmas unroll and TIR vectorises, from the inside until one that stays. */
typedef struct block {
    double copies, tile;            /* statements; different places of the store */
    double lanes;                   /* elements of a vector */
    double places[NESTS_ROW_LOADS]; /* different places of each load */
    int vector, level;              /* of the vectorised loop, -1: none; the first that stays */
} block;

static void multiply(block *b, const nests_statement *s, const nest_loop *l)
{
    b->copies *= l->extent;
    if (nest_moves(s->of.a, b->level)) b->tile *= l->extent;
    for (int i = 0; i < s->loads; i++)
        if (nest_moves(s->load[i], b->level)) b->places[i] *= l->extent;
}

static void find_block(block *b, const nests_statement *s)
{
    *b = (block){.copies = 1, .tile = 1, .lanes = 1, .vector = -1};
    for (int i = 0; i < s->loads; i++) b->places[i] = 1;
    for (const nest_loop *l; (l = nests_loop_at(s, b->level)); b->level++) {
        if (l->extent <= 1) continue;
        if (l->kind == NEST_VECTOR && b->lanes <= 1) {
            b->lanes = l->extent;
            b->vector = b->level;
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
    const double registers = ceil(wide * s->of.a->element / 64);
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
    nests_put(w, nest_cap(b->copies * registers * (1 + s->of.store->loads)));
    nests_put(w, b->vector < 0 ? -1 : s->of.a->stride[b->vector]);
    nests_write_strides(w, s, b->vector);
}

/* A small buffer that lives in an iteration of a loop can be kept in registers, and the loop be
   vectorised if those inside are unrolled. */
static void write_life(nests_writer *w, const nests_statement *s)
{
    const nest_tree *t = s->of.t;
    int life = s->of.store->life, between = 0, straight = 1, level = 0;
    double inside = 1;
    for (int l = s->of.a->loop; l >= 0 && l != life; l = t->loops[l].up) {
        if (t->loops[l].extent <= 1) continue;
        between++;
        inside = nest_cap(inside * t->loops[l].extent);
        straight = straight && t->loops[l].unrolled;
    }
    while (life >= 0 && t->loops[life].extent <= 1) life = t->loops[life].up;
    const nest_loop *l = life < 0 ? NULL : &t->loops[life];
    for (int at = s->of.a->loop; l && at != life; at = t->loops[at].up) level++;
    nests_put(w, between);
    nests_put(w, inside);
    nests_put(w, straight);
    nests_put(w, s->of.a->size / s->of.a->element);
    nests_put(w, l ? l->extent : 0);
    nests_put(w, l ? l->kind : -1);
    nests_put(w, l ? l->height : -1);
    for (int i = 0; i < 2; i++)
        nests_put(w, l && i < s->loads && level < s->of.a->loops ? s->load[i]->stride[level] : -1);
}

void nests_write_block(nests_writer *w, const nests_statement *s)
{
    block b;
    find_block(&b, s);
    write_block(w, s, &b);
    nests_write_loop(w, s, nests_write_loop(w, s, b.level, 1), 1);
    write_life(w, s);
}
