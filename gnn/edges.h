/* SPDX-License-Identifier: MIT */
#ifndef AG_GNN_EDGES_H
#define AG_GNN_EDGES_H

#include "autograd/op.h"

/* Shape rule of the arrays of a graph behind the first `at` inputs, for as many nodes as input 0
   has: rows [n,2], sources [p], rows_t [n,2], targets [p,2]. 0, or the call is rejected. */
int ag__check_edges(ag_call *call, int at);

#endif
