/* SPDX-License-Identifier: MIT */
/* Trees that make no sense: any type anywhere, any value, any earlier node named. */
#ifndef TEST_TPGNN_DAMAGED_H
#define TEST_TPGNN_DAMAGED_H

#include "support/tpgnn_tree.h"

static inline uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % below;
}

/* Of 1 to 400 nodes. */
static inline tree *damaged(uint32_t *random)
{
#define UNROLL "AttrStmt.pragma_auto_unroll_max_step"
    static const char *const type[] = {
        "PrimFunc",    "Param",      "AllocBuffer", "For",    UNROLL,    "IfThenElse", "SeqStmt",
        "BufferStore", "BufferLoad", "Var",         "IntImm", "Add",     "Mul",        "FloorDiv",
        "FloorMod",    "Select",     "Call.exp",    "LT",     "Alien.x", "Sub"};
#undef UNROLL
    static const double value[] = {0, 1, 2, 3, 16, 1000, -7, 0.001, 3e38, -3e38};
    static const char *const kind[] = {"serial", "vectorized", "unrolled", "parallel"};
    tree *t = start();
    const int nodes = 1 + (int)draw(random, 400), wide = (int)draw(random, 5);
    while (t->s.nodes < nodes) {
        const int v = t->s.nodes, named = (int)draw(random, (uint32_t)v + 1) - 1;
        const uint32_t c = draw(random, 3) ? draw(random, 20) : 3 + draw(random, 8);
        open_as(t,
                kind_of(t, type[c], c == 3 ? kind[draw(random, 4)] : "-",
                        draw(random, 2) ? "float32" : "int8"),
                value[draw(random, 10)], named);
        while (t->top > 0 && (int)draw(random, 5) < wide) end(t, 1);
    }
    return t;
}

#endif
