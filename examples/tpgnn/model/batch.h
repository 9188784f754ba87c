/* SPDX-License-Identifier: MIT */
/* A batch of schedules, as the model reads it. */
#ifndef TPGNN_BATCH_H
#define TPGNN_BATCH_H

#include "examples/rows/joined.h"
#include "examples/tpgnn/nest/nest.h"
#include "gnn/gnn.h"

/* The kinds of edges, as bits. */
enum {
    TPGNN_TREE = 1,  /* from the parent to each child */
    TPGNN_NAMES = 2, /* from a variable, load or store to the node that declares what it names */
    TPGNN_BOTH = TPGNN_TREE | TPGNN_NAMES
};

/* The numbers of a node: value, child position, depth, whether it is named; then the columns of
   nest.h. */
enum { TPGNN_PLAIN = 4, TPGNN_NUMBERS = TPGNN_PLAIN + TPGNN_NEST };

typedef struct tpgnn_batch_options {
    unsigned edges; /* TPGNN_TREE, TPGNN_NAMES */
    int both;       /* 1: one graph with every edge in both directions; 0: a graph for each
                       direction */
    int compact;    /* 1: without the nodes of tpgnn_nest_indices */
    int nest;       /* 1: with the columns of nest.h; 0: they are 0 */
    int logs;       /* 1: constants of the paper's model are on the log scale of `number` */
    const nests_joined *joined; /* the layers for the rows of statements; costs read the vector of
                                   the statement or, with `both`, of the program; NULL: there are no
                                   rows */
} tpgnn_batch_options;

/* Adjacent schedules of one task form a group. Start from {0}. */
typedef struct tpgnn_batch {
    int graphs, nodes, stores, groups;
    const tpgnn_schedule **schedule; /* [graphs] */
    int32_t *start;                  /* [graphs + 1] first node */
    int32_t *word[TPGNN_FIELDS];     /* [nodes] in the vocabulary */
    ag_real *number;                 /* [nodes,TPGNN_NUMBERS] */
    ag_real *paper;          /* [nodes,2] value of a constant, within a million, since a program may
                                initialise a maximum with the largest float32; 1: named */
    int32_t *store;          /* [stores] the nodes that store; a tree without any: its root */
    int32_t *store_start;    /* [graphs + 1] */
    int32_t *program;        /* [stores] its graph */
    int32_t *group_start;    /* [groups + 1] first schedule */
    int32_t *rank;           /* [graphs] dense ranks of the run times within a group */
    ag_graph *down, *up;     /* messages from parents and users; the other way; `both`: all are in
                                down */
    nests_joined_batch rows; /* an item is a graph, a place the node that stores */
    nests_rows nests;        /* scratch */
    ag_arena *memory;        /* of the arrays */
    ag_arena *nest;          /* scratch of tpgnn_nest */
} tpgnn_batch;

/* Takes the schedules in this order. Fails: AG_EUSE (none), AG_ESHAPE (2^29 nodes), AG_EMEMORY. */
ag_status tpgnn_batch_fill(tpgnn_batch *batch, const tpgnn_data *data,
                           const tpgnn_schedule *const *schedule, int count,
                           const tpgnn_batch_options *options, ag_failure *why);
void tpgnn_batch_free(void *batch);

#endif
