/* SPDX-License-Identifier: MIT */
/* A program as the arrays of a TpuGraphs file. */
#ifndef LAB_FEATURES_H
#define LAB_FEATURES_H

#include "examples/lab/program/program.h"

enum { LAB_FEATURES = 140 };

/* The 140 features of node i of a checked program, as featurizers.h of google-research-datasets/
   tpu_graphs computes them; the root is the last node, layouts (134-139) are row-major. */
void lab_node_features(float *features, const lab_program *p, int i);

/* Edges (u consumes v), unique, sorted by u, then v: rows [u, v] of int64. Returns their number;
   edges has room for n * LAB_OPERANDS rows. */
int lab_edges(int64_t (*edges)[2], const lab_program *p);

/* Rows that TpuGraphs leaves out: [node, operand] of all operands in their order, and [node,
   batch axes, contracted axis of each operand] of all dots. `first` is added to each node. Return
   the number of rows; there is room for n * LAB_OPERANDS and for n. */
int lab_operands(int64_t (*pairs)[2], const lab_program *p, int64_t first);
int lab_dots(int64_t (*dots)[4], const lab_program *p, int64_t first);

/* The op code of what node i does with the elements that it reduces; 0 when it reduces none. */
int lab_reducer_code(const lab_program *p, int i);

#endif
