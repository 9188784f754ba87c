/* SPDX-License-Identifier: MIT */
/* What the loops around a node mean for it: how often it runs, how an access moves through memory,
   how much it touches, what a store costs about. All of it follows from the tree alone. */
#ifndef TPGNN_NEST_H
#define TPGNN_NEST_H

#include "examples/tpgnn/data.h"

enum { TPGNN_NEST = 48 }; /* columns */
extern const char *const tpgnn_nest_names[TPGNN_NEST];

/* x [nodes,TPGNN_NEST], row by row; every value is finite and within -2..8 (most are log2(1 + a
   quantity) / 8, some 0 or 1). What does not apply to a node is 0. Of deeper nests the innermost
   32 loops count for accesses and stores. Both fail: AG_EMEMORY. */
ag_status tpgnn_nest(float *x, const tpgnn_data *data, const tpgnn_schedule *s, ag_failure *why);

/* mark [nodes]: 1 for nodes that only say what the columns above say in another way: sizes and
   minima, extents, index arithmetic, and values of attributes. The root has 0. All nodes below a
   marked one are marked. */
ag_status tpgnn_nest_indices(uint8_t *mark, const tpgnn_data *data, const tpgnn_schedule *s,
                             ag_failure *why);

#endif
