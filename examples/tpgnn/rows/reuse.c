/* SPDX-License-Identifier: MIT */
/* How far an access is from its next use of the same place, outside the unrolled block. */
#include "examples/tpgnn/rows/statement.h"

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
