/* SPDX-License-Identifier: MIT */
/* How far an access is from its next use of the same place, outside the unrolled block. */
#include "examples/tpgnn/rows/statement.h"

static int moves(const nest_access *a, int level) { return a->depends >> level & 1; }

/* The first loop outside the block that repeats the places of the access: what is touched inside
   it, in which share of a near cache, how often it runs. */
static void write_access(nests_writer *w, const nests_statement *s, const nest_access *a)
{
    const nest_tree *t = s->t;
    int level = 0, loop = a->loop;
    for (; loop >= 0 && level < a->loops; loop = t->loops[loop].up, level++)
        if (level >= s->cost->block && t->loops[loop].extent > 1 && !moves(a, level)) break;
    const int found = loop >= 0 && level < a->loops;
    nests_put(w, found ? t->loops[loop].extent : 0);
    nests_put(w, a->lines[level]);
    nests_put(w, a->crowd[level] / a->lines[level]);
    nests_put(w, a->crowd[level]);
    nests_put(w, nests_lines_touched(s, level));
    double lines[2];
    nest_fetch(lines, t, s->store, (int)(a - s->a));
    for (int i = 0; i < 2; i++) nests_put(w, 1024 * lines[i] / s->cost->trips);
}

void nests_write_reuse(nests_writer *w, const nests_statement *s)
{
    write_access(w, s, s->a);
    for (int i = 0; i < s->loads; i++) write_access(w, s, s->load[i]);
    w->columns += 7 * (NESTS_ROW_LOADS - s->loads);
}
