/* SPDX-License-Identifier: MIT */
/* Describes the loop nests of a kernel that is cut in tiles, each by a row of columns: what a
   compiler knows of its own code before it runs. The time of a kernel is the sum of the times of
   its nests, so a model may price each nest by its row of columns and add. */
#ifndef NESTS_TILE_ROWS_H
#define NESTS_TILE_ROWS_H

#include "examples/rows/rows.h"
#include "examples/tpu/rows/tiling.h"
#include "examples/tpugraphs/loops.h"

enum { NESTS_TILE_INPUTS = TPUGRAPHS_LOOP_INPUTS };
enum { NESTS_TILE_LOOPS = 2 * TPUGRAPHS_AXES + 2 };

/* A nest in the order in which it runs: `row` is the innermost loop along the output, `sum` the
   innermost one along a reduction (size 1: none); `folds`: `sum` is inside. */
typedef struct nests_plan {
    tpugraphs_loop row, sum, next; /* next: the loop around both */
    int depth;                     /* loops around both */
    double free, reduced; /* iterations of all other loops of the output and of the reduction */
    int folds;
} nests_plan;

/* Plans n loops by tpugraphs_plan_loops; those of one iteration are left out. */
void nests_plan_loops(nests_plan *plan, const tpugraphs_loop *loop, int n);

/* The kind of a nest: it fills or moves elements, or computes arithmetic, special functions,
   products or sums. */
typedef enum nests_tile_kind {
    NESTS_TILE_FILL,
    NESTS_TILE_MOVES,
    NESTS_TILE_ARITHMETIC,
    NESTS_TILE_SPECIAL,
    NESTS_TILE_PRODUCTS,
    NESTS_TILE_SUMS,
    NESTS_TILE_KINDS
} nests_tile_kind;

/* The columns of a nest, in the order of docs/nests.md, where its kind comes before them. */
enum { NESTS_TILE_COLUMNS = 57 };

/* Appends n configurations of a kernel (config NULL: 0..n-1); a fused kernel has one, its default
   tile. A configuration is an item, and each of its nests a row. The word of a row is the nest's
   kind; its work is a guess of the ns of all calls together, which models correct. rows->items 0
   starts again; rows->memory is the tiling of the kernel added last. */
void nests_tile_rows_add(nests_rows *rows, const tpu_kernel *kernel, const int *config, int n);

#endif
