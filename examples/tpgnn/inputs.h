/* SPDX-License-Identifier: MIT */
/* A schedule as a model reads it: edges of its graph, and the inputs of the paper's model. */
#ifndef TPGNN_INPUTS_H
#define TPGNN_INPUTS_H

#include "examples/tpgnn/data.h"
#include "examples/tpgnn/fasttext.h"
#include "gnn/gnn.h"

/* Which edges; they add up. */
enum {
    TPGNN_TREE = 1,  /* from the parent to each child */
    TPGNN_NAMES = 2, /* from a variable, load or store to the node that declares what it names */
    TPGNN_BOTH = TPGNN_TREE | TPGNN_NAMES
};

/* Writes the edges, those of the tree first, each in the order of its child or user, and returns
   how many. source, target: room for 2 (nodes - 1) of them; `base` is added to every node. */
int tpgnn_edges(int32_t *source, int32_t *target, const tpgnn_schedule *s, unsigned which,
                int32_t base);
/* The graph of those. NULL with `why`, as ag_graph_build. */
ag_graph *tpgnn_graph(const tpgnn_schedule *s, unsigned which, ag_direction direction,
                      ag_failure *why);

/* Word vectors of the kinds' classes (what stands before the first dot of a type), [kinds,size]: a
   row per kind, also of those that the words do not have (tpgnn_fasttext_vector). Returns how many
   kinds have a class that was not trained. */
int tpgnn_class_vectors(float *out, const tpgnn_data *data, const tpgnn_fasttext *words);

/* The inputs of the paper's model: for each node its kind's vector, the value of a constant (else
   0), and 1 where its type has a name. x [nodes,size + 2]; vector [kinds,size]. Constants are
   clamped to -most..most: INFINITY leaves them as they stand, among them the largest float32 where
   a program starts a maximum. Source: make_pt.py of the authors' repository. */
void tpgnn_faithful_inputs(ag_real *x, const tpgnn_data *data, const tpgnn_schedule *s,
                           const float *vector, int size, double most);

#endif
