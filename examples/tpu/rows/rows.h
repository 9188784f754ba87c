/* SPDX-License-Identifier: MIT */
/* The loop nests of several configurations as rows of a table. */
#ifndef NESTS_TILE_ROWS_H
#define NESTS_TILE_ROWS_H

#include "examples/rows/rows.h"
#include "examples/tpu/rows/nests.h"

/* A configuration is an item, a nest of it a row: its word is the kind, its work a guess of the ns
   of all calls together, which models correct. Start from {0}; table.items 0 starts anew. */
typedef struct nests_tile_rows {
    nests_rows table; /* its arrays are owned here */
    int *node;        /* [table.rows] of the kernel, that a nest computes or copies for */
    int room, item_room;
    nests_tiling tiling; /* of the kernel added last */
} nests_tile_rows;

/* Appends n configurations of a kernel (config NULL: 0..n-1); a fused kernel has one, its default
   tile. */
void nests_tile_rows_add(nests_tile_rows *rows, const tpu_kernel *kernel, const int *config, int n);
void nests_tile_rows_free(nests_tile_rows *rows);

#endif
