/* SPDX-License-Identifier: MIT */
/* Where the values of a kernel's nodes lie while a tile is computed: parameters in memory with the
   strides of their shape, computed values in scratch with the strides of their box, and views
   (broadcast, transpose, reshape, slice, reverse) in the memory of their operand. */
#ifndef TPU_PLACES_H
#define TPU_PLACES_H

#include "examples/tpu/analytic/tile_work.h"

typedef struct tpu_place {
    int base; /* the node whose memory it is: a parameter, or a node that is computed */
    double stride[TPU_RANK]; /* in elements; axes of one element: 0 */
} tpu_place;

/* 1 for views, parameters and constants, which no nest computes. */
int tpu_is_view(int opcode);

/* The place of node u from those of its operands. box: its box; computed: it has scratch of its
   own. */
void tpu_place_node(tpu_place *place, int u, const tpu_hlo *hlo, const double *box, int computed);
/* Row-major strides of a box. */
void tpu_place_dense(double stride[TPU_RANK], const double *box, int rank);

#endif
