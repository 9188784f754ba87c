/* SPDX-License-Identifier: MIT */
/* A fused kernel cut in tiles. The kernel is a list of items, operands first. For each tile, and
   for each block of its reduction, the needed region (box) of every item is found, going backwards
   from the output. Items are then computed in scratch memory that is as large as their boxes. */
#ifndef LAB_TILE_PLAN_H
#define LAB_TILE_PLAN_H

#include "examples/lab/nest/nest.h"
#include "examples/lab/program/program.h"
#include "examples/tpugraphs/cut.h"

enum {
    TILE_NODES = 64, /* of a kernel at most */
    /* A node becomes at most two items before the reduction and two after it (a copy and a view).
       The inputs of the reduction and a copy for the root are further items. */
    TILE_ITEMS = 4 * TILE_NODES + 16,
    TILE_BOUNDS = 24 /* numbers of a tile */
};

typedef enum tile_role {
    TILE_EXTERNAL,    /* memory outside of the tile: a parameter, a constant, 0, 1, 2... */
    TILE_VIEW,        /* input 0 with other strides: broadcast, transpose, slice, reverse */
    TILE_RESHAPE,     /* input 0 with other axes: each is several of the old axes, or a part of
                         one */
    TILE_MAP,         /* an elementwise op; this and all below are computed */
    TILE_PAD,         /* input 0 with gaps and borders of input 1, a scalar */
    TILE_CONCATENATE, /* inputs concatenated along an axis */
    TILE_GATHER,      /* rows of input 0, which is external */
    TILE_REDUCTION    /* the one dot, convolution, reduce or reduce-window */
} tile_role;

typedef enum tile_memory { TILE_PARAMETER, TILE_CONSTANT, TILE_COUNT } tile_memory;

/* Axes of a reshape with the same elements: one input axis or one output axis, or both. */
typedef struct tile_group {
    int n_in, n_out;
    int in[LAB_RANK], out[LAB_RANK];
} tile_group;

typedef struct tile_item {
    tile_role role;
    const lab_node *node; /* NULL: a copy, memory, or a part of a reduction */
    int n_inputs, input[LAB_OPERANDS];
    int rank, size[LAB_RANK];
    /* external: which one */
    tile_memory memory;
    int number;                /* node of a parameter */
    float value;               /* of a constant */
    int64_t stride[LAB_RANK];  /* of memory outside */
    lab_moved moved[LAB_RANK]; /* of a view; of a pad the other way around: element i of the input
                                  is at first + step * i */
    int n_groups;
    tile_group group[LAB_RANK];
} tile_item;

_Static_assert(LAB_RANK == 6, "lists of ones");

/* Elements lo .. lo + n - 1 of each axis; `some` is 0 when nothing is wanted. */
typedef struct tile_box {
    int some;
    int lo[LAB_RANK], n[LAB_RANK];
} tile_box;

typedef struct tile_items {
    const lab_program *kernel;
    int n, root, reduction; /* the last item; the reduction's item, -1: none */
    int n_blocked;          /* axes of the reduction that are blocked, and their sizes */
    int blocked[LAB_RANK];
    tpugraphs_space space; /* of the reduction */
    tile_item item[TILE_ITEMS];
    tile_box box[TILE_ITEMS]; /* scratch of tile_estimate */
} tile_items;

/* The place of an element: in `base` (the number of an external item, or of one in scratch) at `at`
   + sum of stride[a] * index of axis a, where indices count within the whole value. */
typedef struct tile_place {
    int base;
    int64_t at, stride[LAB_RANK];
} tile_place;

/* ---- tile_items.c ---- */

/* The items of a kernel; bit k of copies: operand k of the reduction is copied to scratch first. 0:
   the kernel cannot be tiled. */
int tile_items_build(tile_items *t, const lab_program *kernel, unsigned copies);

int tile_is_computed(const tile_item *item);
int tile_is_reduction(const lab_node *node);
/* Whether an item is memory outside of the tile, to which pointers change from step to step. */
int tile_is_outside(const tile_items *t, int item);

/* ---- tile_reshape.c ---- */

/* Finds the groups of a reshape; 0: the shapes share none. */
int tile_reshape_groups(tile_item *item, const int *in_size, int in_rank);
void tile_reshape_box(tile_box *in, const tile_items *t, const tile_item *item,
                      const tile_box *out);
/* Adds strides and offset to the place of the input's first element. */
void tile_reshape_place(tile_place *place, const tile_items *t, const tile_item *item,
                        const tile_place *in, const tile_box *box);

/* ---- tile_boxes.c ---- */

/* Boxes of the items from `first` to `last`, from the boxes of those that read them: box[last] is
   given; blocked is the block of the reduction. */
void tile_boxes(tile_box *box, const tile_items *t, int first, int last, const tile_box *blocked);
void tile_reduction_box(tile_box *in, const tile_items *t, int k, const tile_box *out,
                        const tile_box *blocked);
/* The part of `out` that comes from input k of a pad or concatenate, in the axes of the input; its
   element e is at to[axis].first + to[axis].step * e. */
void tile_part_box(tile_box *in, lab_moved to[LAB_RANK], const tile_items *t, const tile_item *item,
                   int k, const tile_box *out);
/* Number of elements, 2^50 for more. */
int64_t tile_box_elements(const tile_box *box, int rank);

/* Finds the places of the items from first to last, by their boxes; those outside are known. */
void tile_places(tile_place *place, const tile_items *t, const tile_box *box, int first, int last);

/* ---- tile_cost.c ---- */

/* Estimates the cost from the first, the middle and the last step; uses: how often a step uses an
   element of each operand. */
tpugraphs_cost tile_estimate(double uses[2], tile_items *t, const tpugraphs_bounds *bounds);
/* Raises `most` to the numbers of elements in the boxes of the computed items from first to last.
   Returns their sum without the reduction's, which is counted separately. */
double tile_note_sizes(int64_t *most, const tile_items *t, const tile_box *box, int first,
                       int last);
/* Sets where each item's scratch begins, for boxes of at most `most` elements; returns the total.
 */
int64_t tile_slots(int64_t *at, const tile_items *t, const int64_t *most);
/* The first finds the block at `index`, a number for each axis. The second returns the number of
   blocks; count gets that along each axis. */
void tile_box_at(tile_box *box, const int *index, const int *size, const double *bound, int rank);
double tile_blocks(int *count, const int *size, const double *bound, int rank);

/* ---- tile_bounds.c ---- */

/* The default tile; 0: the kernel cannot be tiled. */
int tile_default(tpugraphs_bounds *bounds, tile_items *t, const lab_program *kernel);
void tile_write(int *tile, const tpugraphs_bounds *bounds, const tile_items *t);
/* The bounds of a tile (NULL: of the default one), or a failure that says what is wrong with it. */
ag_status tile_read(tpugraphs_bounds *bounds, tile_items *t, const lab_program *kernel,
                    const int *tile, ag_failure *why);

/* ---- tile_step.c ---- */

/* The steps of a kernel, a nest each. Steps whose descriptions are equal share their planned nest;
   the places that they read and write outside are kept apart, as moves. */

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
    tile_command *commands;   /* a bag: the different commands */
    uint64_t *hash;           /* a bag: the hash of each */
    /* a bag: for each step the number of its command, then a move for each place outside */
    int *steps;
} tile_steps;

/* Adds the steps of the items from first to last. block: the block of the reduction; NULL: after
   the reduction. later: the reduction adds to what is there. */
void tile_steps_add(tile_steps *s, int first, int last, const tile_box *block, int later);

/* ---- tile_compile.c ---- */

struct lab_run;
/* Appends the steps of a kernel for these bounds to the run. */
void tile_compile(struct lab_run *run, const tile_items *t, const tpugraphs_bounds *bounds);

#endif
