/* SPDX-License-Identifier: MIT */
/* Finds the default tile of a kernel, and the scratch that its values share. */
#include "examples/tpugraphs/cut.h"

#include <math.h>

enum {
    FIRST_SCRATCH = 8 * 1024, /* floats of a default tile, if possible */
    ALIGN = 16                /* floats of a cache line, on which scratch starts */
};

int tpugraphs_affordable(const tpugraphs_cost *c, double least)
{
    return c->scratch <= TPUGRAPHS_TILE_SCRATCH && c->work <= TPUGRAPHS_TILE_REPEATED * least;
}

int tpugraphs_few_steps(const tpugraphs_cost *c, double least)
{
    return c->steps <= TPUGRAPHS_TILE_FEW_STEPS ||
           (c->steps <= TPUGRAPHS_TILE_MOST_STEPS && c->steps * TPUGRAPHS_TILE_STEP_WORK <= least);
}

/* Enlarges one bound towards `target`, as far as the scratch allows. */
static void enlarge(tpugraphs_bounds *b, double *bound, double size, double target,
                    const tpugraphs_cut *cut, double scratch)
{
    const double old = *bound;
    for (*bound = fmin(target, size); *bound > old; *bound = floor(*bound / 2))
        if (cut->cost(cut->kernel, b).scratch <= scratch) return;
    *bound = old;
}

/* First enlarges to a block that gives each loop work, then the most minor axis as far as possible,
   then the reduction, then the other axes. Products run along the most minor axis all the time. */
static void enlarge_all(tpugraphs_bounds *b, const tpugraphs_cut *cut, double scratch)
{
    const int minor = cut->rank - 1;
    for (int round = 0; round < 2; round++) {
        const double whole = round ? INFINITY : 64, wide = !round && cut->product ? 256 : whole;
        if (minor >= 0) enlarge(b, &b->out[minor], cut->size[minor], wide, cut, scratch);
        for (int a = cut->n_blocked - 1; a >= 0; a--)
            enlarge(b, &b->blocked[a], cut->blocked[a], whole, cut, scratch);
        for (int a = minor - 1; a >= 0; a--)
            enlarge(b, &b->out[a], cut->size[a], round ? whole : 8, cut, scratch);
    }
}

tpugraphs_cost tpugraphs_default_tile(tpugraphs_bounds *b, const tpugraphs_cut *cut)
{
    tpugraphs_cost c;
    double scratch = FIRST_SCRATCH;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) b->out[a] = b->blocked[a] = 1;
    do {
        enlarge_all(b, cut, scratch);
        c = cut->cost(cut->kernel, b);
        scratch *= 2;
    } while (scratch <= TPUGRAPHS_TILE_SCRATCH &&
             !(tpugraphs_affordable(&c, cut->least) && tpugraphs_few_steps(&c, cut->least)));
    return c;
}

double tpugraphs_find_slots(tpugraphs_value *value, int n, int kept)
{
    int slots = 0;
    double all = 0;
    for (int i = kept >= 0 ? -1 : 0; i < n; i++) {
        tpugraphs_value *v = &value[i < 0 ? kept : i];
        if (v->last < 0 || i == kept) continue;
        v->slot = slots;
        for (int j = 0; j < slots; j++)
            if (value[j].busy < i && (v->slot == slots || value[j].room > value[v->slot].room))
                v->slot = j;
        if (v->slot == slots) value[slots++].room = 0;
        value[v->slot].room = fmax(value[v->slot].room, v->size);
        value[v->slot].busy = v->last;
    }
    for (int j = 0; j < slots; j++) {
        value[j].at = all;
        all += ceil(value[j].room / ALIGN) * ALIGN;
    }
    return all;
}
