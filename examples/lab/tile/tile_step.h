/* SPDX-License-Identifier: MIT */
/* The steps of a tiled kernel, a nest each, as numbers. Steps whose numbers are equal share their
   planned nest; the places that they read and write outside are kept apart, as moves. */
#ifndef LAB_TILE_STEP_H
#define LAB_TILE_STEP_H

#include "examples/harness/run/bag.h"
#include "examples/lab/tile/tile_plan.h"

enum { TILE_PLACES = 1 + NEST_INPUTS }; /* of a nest: the output, then the inputs */

typedef struct tile_loop {
    int size, reduce, move[TILE_PLACES];
} tile_loop;

/* One nest, of integers alone. */
typedef struct tile_command {
    int item, kind, accumulate;
    int gather; /* rows of the table (input 0), 0: it is no gather; input 1 is the row numbers,
                   whose loop is the first */
    int n_inputs, n_loops;
    int base[TILE_PLACES], at[TILE_PLACES]; /* items, and offsets in them: 0 outside */
    tile_loop loop[NEST_LOOPS];
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
