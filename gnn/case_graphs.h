/* SPDX-License-Identifier: MIT */
/* Graphs of the ops' test cases: the shapes and the values of rows, sources, rows_t, targets. */
#ifndef AG_GNN_CASE_GRAPHS_H
#define AG_GNN_CASE_GRAPHS_H

#include <stdint.h>

/* The shapes of the arrays of n nodes with p messages. */
#define GRAPH(n, p)                  \
 {2, {n, 2}}, {1, {p}}, {2, {n, 2}}, \
 {                                   \
  2, { p, 2 }                        \
 }

/* 5 nodes with messages 1->0, 2->0, 2->1, 0->3, 1->3, 2->3; nodes 2 and 4 receive none. */
#define SOME rows, sources, rows_t, targets
static const int32_t rows[] = {0, 2, 2, 1, 3, 0, 3, 3, 6, 0}, sources[] = {1, 2, 2, 0, 1, 2},
                     rows_t[] = {0, 1, 1, 2, 3, 3, 6, 0, 6, 0},
                     targets[] = {3, 3, 0, 0, 3, 4, 0, 1, 1, 2, 3, 5};

/* 5 nodes with messages 1->0, 2->0, 2->1, 0->3, 3->3, 2->3: 2 and 4 receive none, 4 has no edge, 3
   has a loop. Two more places are those of a pooled graph. */
#define LOOPED rows, looped_sources, looped_rows_t, looped_targets
static const int32_t looped_sources[] = {1, 2, 2, 0, 3, 2, -1, -1},
                     looped_rows_t[] = {0, 1, 1, 1, 2, 3, 5, 1, 6, 0},
                     looped_targets[] = {3, 3, 0, 0, 0, 1, 1, 2, 3, 5, 3, 4, -1, -1, -1, -1};

/* Up to 5 nodes without messages. */
#define NONE nobody, nobody, nobody, nobody
static const int32_t nobody[10];

#endif
