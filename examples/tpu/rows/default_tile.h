/* SPDX-License-Identifier: MIT */
/* The tile that a kernel runs with when nobody chooses one: of a fusion file, the tile that its run
   time was measured with. */
#ifndef NESTS_TILE_DEFAULT_TILE_H
#define NESTS_TILE_DEFAULT_TILE_H

#include "examples/tpu/rows/tiling.h"

/* Follows examples/lab/tile/tile_bounds.c: first the output's most minor axis grows, then the
   reduction, then the other axes, as far as the scratch of a tile allows; more scratch is allowed
   until the tile neither computes too much twice nor makes too many steps. tile [24]. */
void nests_default_tile(float tile[TPUGRAPHS_TILE_FEATURES], nests_tiling *tiling);

#endif
