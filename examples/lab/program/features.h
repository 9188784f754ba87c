/* SPDX-License-Identifier: MIT */
/* A program as the arrays of a TpuGraphs file. */
#ifndef LAB_FEATURES_H
#define LAB_FEATURES_H

#include "core/io/io.h"
#include "examples/lab/program/program.h"

enum { LAB_FEATURES = 140 };

/* The 140 features of node i of a checked program, as featurizers.h of google-research-datasets/
   tpu_graphs computes them; the root is the last node, layouts (134-139) are row-major. */
void lab_node_features(float *features, const lab_program *p, int i);

/* Edges (u consumes v), unique, sorted by u, then v: rows [u, v] of int64. Returns their number;
   edges has room for n * LAB_OPERANDS rows. */
int lab_edges(int64_t (*edges)[2], const lab_program *p);

/* The op code with which node i joins the elements that it reduces; 0 if it reduces none. */
int lab_reducer_code(const lab_program *p, int i);

/* Adds the arrays of n programs to a file, one program after the other; offsets: also where the
   nodes and edges of each begin. */
ag_status lab_npz_graphs(ag_npz_writer *w, const lab_program *p, int n, int offsets,
                         ag_failure *why);

#endif
