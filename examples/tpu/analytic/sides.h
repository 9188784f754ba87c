/* SPDX-License-Identifier: MIT */
/* The nodes that a tile needs on the two sides of a kernel's reduction: after it, once per tile,
   and before it, once per block of the reduction. Both functions set want and box of the tiling's
   nodes. */
#ifndef TPU_SIDES_H
#define TPU_SIDES_H

#include "examples/tpu/analytic/tile_work.h"

/* From the root's box, which is set, back to the reduction, included. */
void tpu_want_after(tpu_tiling *t);
/* From the reduction's box, which is set, and a block of it, back to the parameters. */
void tpu_want_before(tpu_tiling *t, const double block[TPU_RANK]);

/* 1 if the window of node u leaves its operand v, so that u reads a copy with borders and gaps:
   `box` is then its size, every[a] the distance of the operand's elements there. */
int tpu_padded(double box[TPU_RANK], double every[TPU_RANK], const tpu_tiling *t, int u, int v,
               const double block[TPU_RANK]);

double tpu_volume(const double box[TPU_RANK]);
/* 1 for dots and convolutions. */
int tpu_is_product(const tpu_hlo *hlo, int u);

#endif
