/* SPDX-License-Identifier: MIT */
/* The work of one step of a tiled kernel, as numbers. Steps whose numbers are equal share their
   planned nests; the places that they read and write outside are kept apart, in the step's
   moves. */
#ifndef LAB_TILE_SCRIPT_H
#define LAB_TILE_SCRIPT_H

#include "examples/lab/tile/tile_plan.h"

#include <stddef.h>

typedef struct tile_loop {
    int size, reduce, out, in[NEST_INPUTS];
} tile_loop;

/* One nest, of integers alone. Bases are items; in[1] of a gather is the row numbers, whose loop is
   the first. */
typedef struct tile_command {
    int item, kind, accumulate, gather;
    int n_inputs, n_loops;
    int out, in[NEST_INPUTS];
    int out_at, in_at[NEST_INPUTS]; /* offsets; of a script: 0 where the base is outside */
    tile_loop loop[NEST_LOOPS];
} tile_command;

/* Numbers in front of the loops. */
enum { TILE_COMMAND_HEAD = offsetof(tile_command, loop) / sizeof(int) };

/* The numbers of a step, and its moves in the order of the commands: of the output and of each
   input that is outside. */
typedef struct tile_script {
    int *words;
    int n_words, words_room;
    int *moves;
    int n_moves, moves_room;
    int failed; /* no memory */
} tile_script;

/* Makes room for `want` numbers; 0: no memory. */
int tile_room(int **list, int *have, int want);
void tile_script_add(tile_script *s, const tile_items *t, const tile_command *command);
/* Reads the command at words, returns its length. */
int tile_script_read(tile_command *command, const int *words);
void tile_script_free(tile_script *s);

/* A step is made of these: the boxes and places of items; the block of the reduction, NULL after
   it; `later`: the reduction adds to what is there. */
typedef struct tile_step {
    tile_script *out;
    const tile_items *t;
    const tile_box *box;
    const tile_place *place;
    const tile_box *blocked;
    int later;
} tile_step;

/* A command that writes the box of item i, without loops. */
tile_command tile_command_of(const tile_step *s, int i, nest_kind kind, int n_inputs);
/* Its input k is item `input`, from the start of the box on; returns the strides. */
const int64_t *tile_command_read(tile_command *c, int k, const tile_step *s, int input,
                                 const tile_box *box);
/* Writes the commands of the items from first to last; of the reduction. */
void tile_step_items(const tile_step *s, int first, int last);
void tile_step_reduction(const tile_step *s);

/* The distinct steps so far, without their moves. */
enum { TILE_CLASSES = 4096, TILE_BUCKETS = 2 * TILE_CLASSES };
typedef struct tile_classes {
    int n, at[TILE_CLASSES + 1]; /* class i: words at[i] to at[i + 1] */
    uint64_t hash[TILE_CLASSES];
    int bucket[TILE_BUCKETS]; /* number of a class + 1 */
    int *words, words_room;
} tile_classes;

/* The number of the class of a step, which is added if necessary; -1: no memory or too many. */
int tile_classes_find(tile_classes *c, const tile_script *s);

#endif
