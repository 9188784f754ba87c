/* SPDX-License-Identifier: MIT */
/* The steps of a tiled kernel, a nest each. Steps whose descriptions are equal share their planned
   nest; the places that they read and write outside are kept apart, as moves. */
#ifndef LAB_TILE_STEP_H
#define LAB_TILE_STEP_H

#include "examples/harness/run/bag.h"
#include "examples/lab/tile/tile_plan.h"

enum { TILE_PLACES = 1 + NEST_INPUTS }; /* of a nest: the output, then the inputs */

/* A nest that is described but not planned, and where it works. */
typedef struct tile_command {
    int base[TILE_PLACES], at[TILE_PLACES]; /* items, and offsets in them: 0 outside */
    int inputs;
    /* Of a gather: rows of the table, which is input 0 (0: no gather); the rows that are wanted,
       and their strides in the output, the table and the numbers, which are input 1. The nest is
       one row. */
    int table_rows, rows, stride[3];
    nest nest;
} tile_command;

/* The steps in the making. */
typedef struct tile_steps {
    const tile_items *t;
    tile_box box[TILE_ITEMS];
    tile_place place[TILE_ITEMS];
    int64_t most[TILE_ITEMS]; /* elements of the largest box of each */
    tile_command *commands;   /* bags: the different ones, */
    uint64_t *hash;           /* of each of them, */
    int *
        steps; /* and for each step the number of its command, then a move for each place outside */
} tile_steps;

/* Adds the steps of the items from first to last. block: of the reduction, NULL after it; later:
   the reduction adds to what is there. */
void tile_steps_add(tile_steps *s, int first, int last, const tile_box *block, int later);

#endif
