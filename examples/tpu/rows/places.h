/* SPDX-License-Identifier: MIT */
/* Where the values of a kernel's nodes lie while a tile is computed: parameters in memory with the
   strides of their shape, computed values in scratch with the strides of their box, and views
   (broadcast, transpose, reshape, slice, reverse) in the memory of their operand. */
#ifndef NESTS_TILE_PLACES_H
#define NESTS_TILE_PLACES_H

#include "examples/tpu/rows/tiling.h"

typedef struct nests_place {
    int base; /* the node whose memory it is: a parameter, or a node that is computed */
    double stride[TPUGRAPHS_AXES]; /* in elements; axes of one element: 0 */
} nests_place;

/* How a node that only moves elements, or maps them one by one, reads an operand: axis a of the
   operand is at at[a] + step[a] * the index of axis from[a] of the node (-1: of none). */
typedef struct nests_view {
    int from[TPUGRAPHS_AXES];
    double at[TPUGRAPHS_AXES], step[TPUGRAPHS_AXES];
} nests_view;

void nests_view_of(nests_view *view, const tpu_hlo *hlo, int u, int v);

/* 1 for views, parameters and constants, which no nest computes. */
int nests_is_view(int opcode);

/* The place of node u from those of its operands. box: its box; computed: it has scratch of its
   own. */
void nests_place_node(nests_place *place, int u, const tpu_hlo *hlo, const double *box,
                      int computed);
/* Row-major strides of a box. */
void nests_place_dense(double stride[TPUGRAPHS_AXES], const double *box, int rank);

#endif
