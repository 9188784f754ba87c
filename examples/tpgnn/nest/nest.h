/* SPDX-License-Identifier: MIT */
/* Features of a node from the loops around it: the number of executions, how an access moves
   through memory, the memory that it touches, an estimate of a store's cost. All features follow
   from the tree alone. */
#ifndef TPGNN_NEST_H
#define TPGNN_NEST_H

#include "examples/tpgnn/data/data.h"

enum { TPGNN_NEST = 48 }; /* columns */
/* The version of these columns. A model of another version is refused. */
enum { TPGNN_COLUMNS = 2 };

/* x [nodes,TPGNN_NEST], row by row; every value is finite and within -2..8 (most are log2(1 + a
   quantity) / 8, some 0 or 1). Columns that do not apply to a node are 0. Of deeper nests the
   innermost 32 loops count for accesses and stores. *memory: NULL, or what another call has left
   there; the caller frees it. */
void tpgnn_nest(float *x, const tpgnn_data *data, const tpgnn_schedule *s, ag_arena **memory);

/* mark [nodes]: 1 for nodes that only repeat what the columns say, and for all nodes below them:
   sizes and minima, extents, index arithmetic, values of attributes. The root has 0. */
void tpgnn_nest_indices(uint8_t *mark, const tpgnn_data *data, const tpgnn_schedule *s);

#endif
