/* SPDX-License-Identifier: MIT */
/* Lines that a statement fetches into caches. */
#include "examples/tpgnn/nest/nest_internal.h"

nest_statement nest_take(const nest_tree *t, const nest_store *store)
{
    nest_statement s = {
        .t = t, .store = store, .a = &t->access[store->access], .loads = store->loads};
    for (int l = s.a->loop; l >= 0 && s.levels < NEST_LOOPS; l = t->loops[l].up)
        s.level[s.levels++] = &t->loops[l];
    return s;
}

typedef struct cache {
    double lines, crowds; /* crowds: weight of lines that share few sets */
} cache;

/* Physical addresses of a stride of pages share the sets of a middle cache, too. */
static const cache caches[3] = {{512, 0.5}, {16384, 1}, {65536, 1.0 / 64}};

/* 1 if the access is the first one of its statement to its buffer. */
static int is_first(const nest_statement *s, int i)
{
    for (int j = 0; j < i && j < NEST_BUFFERS; j++)
        if (s->a[j].buffer == s->a[i].buffer) return 0;
    return 1;
}

/* Lines that the innermost loops need; each buffer counts once. */
static double needed(const nest_statement *s, int level, const cache *c)
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
static double fetched(const nest_statement *s, const nest_access *a, int level)
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

/* The outermost level inside which everything stays in a cache; -1: the whole program does. It runs
   many times, so that it fetches nothing then. */
static int find_fit(const nest_statement *s, const cache *c)
{
    int level = 0;
    while (level < s->levels && needed(s, level + 1, c) <= c->lines) level++;
    return level == s->levels && s->t->lines <= c->lines ? -1 : level;
}

static double misses(const nest_statement *s, const cache *c)
{
    double all = 0;
    const int level = find_fit(s, c);
    if (level < 0) return 0;
    for (int i = 0; i <= s->loads; i++)
        if (is_first(s, i)) all = nest_cap(all + fetched(s, &s->a[i], level));
    return all;
}

void nest_miss(double lines[3], const nest_statement *s)
{
    for (int i = 0; i < 3; i++) lines[i] = misses(s, &caches[i]);
}

void nest_fetch(double lines[2], const nest_statement *s, const nest_access *a)
{
    for (int i = 0; i < 2; i++) {
        const int level = find_fit(s, &caches[i]);
        lines[i] = level < 0 ? 0 : fetched(s, a, level);
    }
}
