/* SPDX-License-Identifier: MIT */
/* The loop nests of a kernel that is cut in tiles: what a compiler knows of its own code before it
   runs. The time of a kernel is the sum of the times of its nests, so a model may price each nest
   by its row of columns and add. */
#ifndef TPU_NESTS_H
#define TPU_NESTS_H

#include "examples/tpu/analytic/tile_work.h"
#include "examples/tpugraphs/loops.h"

enum { TPU_INPUTS = TPUGRAPHS_LOOP_INPUTS };
enum { TPU_LOOPS = 2 * TPU_RANK + 2 };

/* A nest in the order in which it runs: row is the loop along the output and sum the one along a
   reduction that are innermost (size 1: none); `folds`: the reduction is inside. */
typedef struct tpu_plan {
    tpugraphs_loop row, sum, next; /* next: the loop around both */
    int depth;                     /* loops around both */
    double free, reduced; /* iterations of all other loops of the output and of the reduction */
    int folds;
} tpu_plan;

/* Plans n loops by tpugraphs_plan_loops; those of one iteration are left out. */
void tpu_plan_loops(tpu_plan *plan, const tpugraphs_loop *loop, int n);

/* The work of a nest: fills or moves elements, arithmetic, special functions, products, sums. */
typedef enum tpu_nest_kind {
    TPU_NEST_FILL,
    TPU_NEST_MOVES,
    TPU_NEST_ARITHMETIC,
    TPU_NEST_SPECIAL,
    TPU_NEST_PRODUCTS,
    TPU_NEST_SUMS,
    TPU_NEST_KINDS
} tpu_nest_kind;

/* The columns of a nest, in the order of docs/tpu.md. */
enum { TPU_NEST_COLUMNS = 58 };

typedef struct tpu_nest {
    int node;     /* of the kernel, that it computes or copies for */
    double work;  /* elements or products, in all calls together */
    double price; /* ns of all calls together, a guess that models correct */
    float column[TPU_NEST_COLUMNS];
} tpu_nest;

typedef struct tpu_nests {
    tpu_nest *nest;
    int count, room;
} tpu_nests;

/* Sets the nests of one tile; `tile` as in tpu_tiling_work. */
void tpu_nests_set(tpu_nests *nests, tpu_tiling *tiling, const float *tile);
void tpu_nests_free(tpu_nests *nests);

#endif
