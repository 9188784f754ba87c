/* SPDX-License-Identifier: MIT */
/* The work of one step of a tiled kernel, as numbers. Steps whose numbers are equal share their
   planned nests; the places that they read and write outside are kept apart, in the step's
   moves. */
#ifndef LAB_TILE_STEP_H
#define LAB_TILE_STEP_H

#include "examples/harness/run/bag.h"
#include "examples/lab/tile/tile_plan.h"

typedef struct tile_loop {
    int size, reduce, out, in[NEST_INPUTS];
} tile_loop;

/* One nest, of integers alone. Bases are items; in[1] of a gather is the row numbers, whose loop is
   the first. */
typedef struct tile_command {
    int item, kind, accumulate;
    int gather; /* rows of the table, 0: it is no gather */
    int n_inputs, n_loops;
    int out, in[NEST_INPUTS];
    int out_at, in_at[NEST_INPUTS]; /* offsets; of a command that was added: 0 in bases outside */
    tile_loop loop[NEST_LOOPS];
} tile_command;

/* A step in the making. */
typedef struct tile_step {
    const tile_items *t;
    tile_box box[TILE_ITEMS];
    tile_place place[TILE_ITEMS];
    const tile_box *blocked; /* the block of the reduction, NULL after it */
    int later;               /* the reduction adds to what is there */
    tile_command *commands;  /* a bag */
    int *moves; /* a bag: in the order of the commands, of the output and of each input that is
                   outside */
} tile_step;

/* Memory outside of the tile, to which the pointers change from step to step. */
static inline int tile_is_outside(const tile_items *t, int base)
{
    return t->item[base].role == TILE_EXTERNAL || base == t->root;
}

/* A command that writes the box of item i, without loops. */
tile_command tile_command_of(const tile_step *s, int i, nest_kind kind, int n_inputs);
/* Its input k is item `input`, from the start of the box on; returns the strides. */
const int64_t *tile_command_read(tile_command *c, int k, const tile_step *s, int input,
                                 const tile_box *box);
void tile_command_add(tile_step *s, tile_command command);

/* Adds the commands of the items from first to last; of the reduction. */
void tile_step_items(tile_step *s, int first, int last);
void tile_step_reduction(tile_step *s);

#endif
