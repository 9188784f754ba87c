/* SPDX-License-Identifier: MIT */
/* The work of a compiler on the loops that TIR leaves to it: it unrolls innermost loops with a
   small body, moves statements out of loops on which they do not depend, and puts small buffers on
   the stack. The last limit is TVM's, the others fit measured run times. */
#include "examples/tpgnn/nest/nest_internal.h"

enum { LIMIT = 480, OVERHEAD = 6, INTERLEAVED = 8, STACK = 1024 };

int nest_common(const nest_tree *t, int loop, int other)
{
    while (loop != other) {
        const int depth = loop < 0 ? -1 : t->loops[loop].depth;
        const int others = other < 0 ? -1 : t->loops[other].depth;
        if (depth >= others)
            loop = t->loops[loop].up;
        else
            other = t->loops[other].up;
    }
    return loop;
}

/* ---- loops that a compiler unrolls ---- */

static int goes(const nest_loop *l) { return l->unrolled || l->kind == NEST_VECTOR; }

/* Instructions of a statement with the loops inside the first one that stays, which it returns; -1:
   none. Equal loads are loaded once. */
static int measure(double *size, double *copied, const nest_tree *t, const nest_store *store)
{
    const nest_access *a = &t->access[store->access];
    double copies = 1;
    int level = 0, loop = a->loop, stays = a->loop;
    for (; stays >= 0 && goes(&t->loops[stays]); stays = t->loops[stays].up)
        if (t->loops[stays].kind != NEST_VECTOR) copies = nest_cap(copies * t->loops[stays].extent);
    *copied = copies;
    *size = copies * (store->ops + 8 * store->divides + 10 * store->calls + 3 * store->choices);
    for (int i = 0; i <= store->loads; i++) {
        double places = 1;
        level = 0;
        if (i > 0 && a[i].buffer == a->buffer) continue;
        for (int l = loop; l != stays && level < a[i].loops; l = t->loops[l].up, level++)
            if (t->loops[l].kind != NEST_VECTOR && nest_moves(&a[i], level))
                places = nest_cap(places * t->loops[l].extent);
        if (i > 0 || store->loads == 0) *size = nest_cap(*size + 2 * places);
    }
    return stays;
}

static void unroll_more(nest_tree *t)
{
    for (int i = 0; i < t->store_count; i++) {
        double size, copies;
        const int loop = measure(&size, &copies, t, &t->stores[i]);
        if (loop < 0) continue;
        nest_loop *l = &t->loops[loop];
        l->size = nest_cap(l->size + size);
        l->branches = nest_cap(l->branches + copies * t->stores[i].choices);
        l->sources++;
    }
    for (int i = t->loop_count - 1; i >= 0; i--) {
        nest_loop *l = &t->loops[i];
        if (goes(l)) continue;
        const double all = nest_cap((l->size + OVERHEAD) * l->extent);
        l->whole = l->kind == NEST_SERIAL && !l->outer && (l->extent <= 1 || all <= LIMIT);
        if (l->up < 0) continue;
        nest_loop *up = &t->loops[l->up];
        up->sources += l->sources;
        up->branches = nest_cap(up->branches + l->branches * l->extent);
        if (l->whole)
            up->size = nest_cap(up->size + (l->extent <= 1 ? l->size : all));
        else
            up->outer = 1;
    }
}

/* ---- statements that a compiler moves out of loops ---- */

static void find_life(nest_tree *t, nest_store *store)
{
    const nest_access *a = &t->access[store->access];
    store->life = -1;
    if (a->buffer < 0 || !t->kind[t->s->kind[a->buffer]].local) return;
    store->life = a->loop;
    for (int i = 0; i < t->access_count; i++)
        if (t->access[i].buffer == a->buffer)
            store->life = nest_common(t, store->life, t->access[i].loop);
}

/* 1 if nothing in the loop writes what the access loads, except statements that are moved out of
   it and for the statement's own sums, which start in it. */
static int is_constant(const nest_tree *t, const nest_store *store, const nest_access *load,
                       int loop)
{
    if (load->buffer < 0) return 0;
    if (load->buffer == t->access[store->access].buffer)
        return nest_common(t, store->life, loop) == loop;
    for (int i = 0; i < t->store_count; i++) {
        const nest_store *o = &t->stores[i];
        const nest_access *a = &t->access[o->access];
        if (a->buffer != load->buffer || nest_common(t, a->loop, loop) != loop) continue;
        if (o->hoisted < 0 || t->loops[o->hoisted].depth > t->loops[loop].depth) return 0;
    }
    return 1;
}

/* Unrolled statements that depend on no variable of a loop leave it. */
static void hoist(nest_tree *t, nest_store *store)
{
    const nest_access *a = &t->access[store->access];
    int loop = a->loop, level = 0;
    store->hoisted = -1;
    store->saved = 1;
    while (loop >= 0 && (goes(&t->loops[loop]) || t->loops[loop].whole)) {
        loop = t->loops[loop].up;
        level++;
    }
    for (; loop >= 0 && level < a->loops; loop = t->loops[loop].up, level++) {
        for (int i = 0; i <= store->loads; i++) {
            if (nest_moves(&a[i], level)) return;
            if (i && !is_constant(t, store, &a[i], loop)) return;
        }
        if (nest_common(t, store->life, loop) != loop) return;
        store->hoisted = loop;
        store->saved = nest_cap(store->saved * t->loops[loop].extent);
    }
}

double nest_adjacent(int *first, const nest_tree *t, const nest_access *a, int vector, int block)
{
    double run = 1;
    *first = -1;
    for (int grown = 1; grown && run < NEST_MOST;) {
        grown = 0;
        int l = a->loop;
        for (int i = 0; i < block && i < a->loops; i++, l = t->loops[l].up) {
            if (i == vector || t->loops[l].extent <= 1 || a->stride[i] != run) continue;
            if (*first < 0) *first = i;
            run = nest_cap(run * t->loops[l].extent);
            grown = 1;
        }
    }
    return run;
}

double nest_beside(const nest_tree *t, const nest_access *a, int vector, int block)
{
    int first;
    const double run = nest_adjacent(&first, t, a, vector, block);
    return vector < a->loops && run <= INTERLEAVED ? a->stride[vector] / run : a->stride[vector];
}

/* Larger buffers are not on the stack. */
double nest_allocations(const nest_tree *t, const nest_store *store)
{
    const nest_access *a = &t->access[store->access];
    if (a->buffer < 0 || !t->kind[t->s->kind[a->buffer]].local || a->size <= STACK) return 0;
    for (const nest_store *o = t->stores; o < store; o++)
        if (t->access[o->access].buffer == a->buffer) return 0;
    const int loop = t->loop[a->buffer];
    return loop < 0 ? 1 : t->loops[loop].trips;
}

void nest_lower(nest_tree *t)
{
    unroll_more(t);
    for (int i = 0; i < t->store_count; i++) {
        find_life(t, &t->stores[i]);
        hoist(t, &t->stores[i]);
    }
}
