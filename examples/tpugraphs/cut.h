/* SPDX-License-Identifier: MIT */
/* A kernel that is cut in tiles: the tile that it runs with when nobody chooses one, and the
   scratch that a tile needs. The lab cuts its kernels by this code (examples/lab/tile), and the
   model of loop nests finds here the tile with which the run times of a fusion file were measured
   (examples/tpu/rows). */
#ifndef TPUGRAPHS_CUT_H
#define TPUGRAPHS_CUT_H

#include "examples/tpugraphs/space.h"

enum {
    TPUGRAPHS_TILE_SCRATCH = 64 * 1024, /* floats of a tile at most: 256 KiB */
    TPUGRAPHS_TILE_USES =
        16, /* operands of products that a step uses this often are copied first */
    TPUGRAPHS_TILE_REPEATED = 8,     /* work at most, as a multiple of the least possible */
    TPUGRAPHS_TILE_FEW_STEPS = 64,   /* a tile with more steps than this */
    TPUGRAPHS_TILE_STEP_WORK = 1024, /* does at least this much work in each of them */
    TPUGRAPHS_TILE_MOST_STEPS = 8192 /* and never has more steps than this */
};

/* The sizes of blocks: of the output's axes, of the reduction's; 1 after the last. */
typedef struct tpugraphs_bounds {
    double out[TPUGRAPHS_AXES], blocked[TPUGRAPHS_AXES];
} tpugraphs_bounds;

typedef struct tpugraphs_cost {
    double scratch; /* floats */
    double steps;   /* tiles, and blocks of reductions */
    double work;    /* elements and multiply-adds that are computed */
} tpugraphs_cost;

typedef struct tpugraphs_cut {
    int rank, n_blocked;   /* axes of the output, of the reduction */
    const int *size;       /* of the output's axes */
    const double *blocked; /* of the reduction's */
    int product;           /* 1: it has a dot or a convolution */
    double least;          /* its work when nothing is computed twice */
    tpugraphs_cost (*cost)(void *kernel, const tpugraphs_bounds *bounds);
    void *kernel;
} tpugraphs_cut;

/* tpugraphs_affordable: 1 if the tile is not too large and does not compute too much twice.
   tpugraphs_few_steps: 1 if its steps are few, or each does enough. */
int tpugraphs_affordable(const tpugraphs_cost *cost, double least);
int tpugraphs_few_steps(const tpugraphs_cost *cost, double least);

/* Finds the default tile. Its block grows along the output's most minor axis first, then along the
   reduction, then along the other axes, as far as the scratch allows; more scratch is allowed until
   the tile is affordable and has few steps. Returns its cost; the last call of cut->cost is for
   this tile. */
tpugraphs_cost tpugraphs_default_tile(tpugraphs_bounds *bounds, const tpugraphs_cut *cut);

/* A value that a tile computes, and a slot of scratch: value[i] lies in slot value[value[i].slot].
 */
typedef struct tpugraphs_value {
    double size; /* floats */
    int last;    /* the number of the last value that reads it; below 0: it has no scratch */
    int slot;    /* set by tpugraphs_find_slots */
    /* Of slot i, also set by tpugraphs_find_slots: where it begins, its floats, the last value that
       reads what is in it. */
    double at, room;
    int busy;
} tpugraphs_value;

/* Finds slots in the order in which values are computed: one that is no longer read is used again,
   but the slot of `kept` (-1: none) is in use from the start. Returns the floats of all slots. */
double tpugraphs_find_slots(tpugraphs_value *value, int n, int kept);

#endif
