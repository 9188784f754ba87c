/* SPDX-License-Identifier: MIT */
/* The rows of the graphs of a batch: those of graph g are starts[g]..starts[g+1]-1. For ops that
   write a result for every row, with x as input 0 and starts int32 [graphs+1] as input 1. */
#ifndef AG_OPS_GRAPH_STARTS_H
#define AG_OPS_GRAPH_STARTS_H

#include "core/kernel.h"

AG_BOTH int64_t graphs_of(const ag_args *a) { return a->xs[1].size[0] - 1; }

/* A start outside of the rows counts as the nearest end; the first start counts as 0, and the last
   as the number of rows. So bad starts touch no other memory, and every row is written. */
AG_BOTH int graph_start(const ag_args *a, int64_t g)
{
    const int start = XI(1)[g], rows = a->xs[0].size[0];
    if (g == 0 || g == graphs_of(a)) return g ? rows : 0;
    return start < 0 ? 0 : start < rows ? start : rows;
}

#endif
