/* SPDX-License-Identifier: MIT */
/* The steps of a kernel, ready to run. */
#ifndef LAB_TILE_CALL_H
#define LAB_TILE_CALL_H

#include "examples/lab/tile/tile_script.h"

/* A planned nest; pointers to memory outside of the tile change from step to step. */
typedef struct tile_call {
    float *out;
    const float *in[NEST_INPUTS];
    int out_moves, in_moves[NEST_INPUTS];
    /* Of a gather: rows of the table (0: no gather), rows wanted, strides. The nest is one row. */
    int table_rows, n_rows, out_row, table_row, number;
    nest nest;
} tile_call;

typedef struct tile_class {
    int n_calls;
    tile_call *calls;
} tile_class;

typedef struct tile_plan {
    const tile_class *classes;
    const int *step, *end; /* of each step: the number of its class, then its moves */
} tile_plan;

void tile_call_plan(tile_call *call, const tile_command *command, const tile_items *t,
                    float *const *memory);
void tile_go(const void *plan); /* a tile_plan */

#endif
