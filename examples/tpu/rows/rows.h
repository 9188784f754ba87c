/* SPDX-License-Identifier: MIT */
/* The loop nests of several configurations as rows of a table. */
#ifndef NESTS_TILE_ROWS_H
#define NESTS_TILE_ROWS_H

#include "examples/rows/rows.h"
#include "examples/tpu/rows/nests.h"

/* Columns of a row of a table: those of a nest but for the first, its kind, which is the word. */
enum { NESTS_TILE_ROW = NESTS_TILE_COLUMNS - 1 };

/* The nests of configurations, one after the other. Start from {0}. */
typedef struct nests_tile_rows {
    int configs;
    int *first;      /* [configs + 1] */
    float *x;        /* [first[configs], NESTS_TILE_COLUMNS] */
    double *price;   /* [first[configs]] ns, a guess: nests_tile_nest.price */
    int *node;       /* [first[configs]] of the kernel, that a nest computes or copies for */
    int *word, *row; /* of the table */
    int room, config_room;
    nests_tiling tiling; /* of the kernel added last */
    nests_tile nests;    /* of its last tile */
} nests_tile_rows;

/* Appends n configurations of a kernel (config NULL: 0..n-1); a fused kernel has one, its default
   tile. configs 0 starts anew. */
void nests_tile_rows_add(nests_tile_rows *rows, const tpu_kernel *kernel, const int *config, int n);
/* All of it as a table, whose arrays stay those of `rows`: x loses its first column, so nothing can
   be appended any more. The work of a row is its price. */
void nests_tile_rows_table(nests_rows *table, nests_tile_rows *rows);
void nests_tile_rows_free(nests_tile_rows *rows);

#endif
