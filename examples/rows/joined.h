/* SPDX-License-Identifier: MIT */
/* Rows in a graph network. A row belongs to a node of its item's graph. What the rows of a node
   give is summed and added to the node's vector. With NESTS_COSTS the score is also a sum over
   rows, as times are:

       score(item) = ln of the sum over its rows of  count x work x exp(f(row) + g(node)),

   where g reads the vector that the graph network ends with. Each of several members has an f of
   its own and is trained by a loss of its own; a score is their mean. */
#ifndef NESTS_JOINED_H
#define NESTS_JOINED_H

#include "examples/rows/rows.h"
#include "examples/rows/scale.h"
#include "layers/layers.h"

/* Values of the option --rows: none; the columns themselves; a learned embedding of a row; an
   embedding and scores that are added up. */
typedef enum nests_use { NESTS_UNUSED, NESTS_SUMS, NESTS_EMBEDDED, NESTS_COSTS } nests_use;
#define NESTS_USES "none|sums|embedded|costs"
#define NESTS_USES_HELP                                                                       \
 "what a node reads of the loop nests that it runs (paper: none): the sum of their columns, " \
 "the sum of their learned embeddings, or that, and scores are added up as times are"

/* For harness_program.moved: an older run of these programs may hold a model that `nests` trains
   now. */
#define NESTS_MOVED "; a model of loop nests or of trees is trained by \"nests train\" now"

/* The names in results of a network with each of these; NETWORK is a literal. */
#define NESTS_NAMES(NETWORK) \
 NETWORK, NETWORK " with rows (sums)", NETWORK " with rows (embedded)", NETWORK " with rows (costs)"

#define NESTS_MEMBERS_HELP \
 "networks of the rows that are trained together; their scores are averaged"

enum {
    NESTS_JOINED_LAYERS = 2,
    NESTS_JOINED_WIDTH = 96,
    NESTS_WORD_WIDTH = 16,
    NESTS_JOINED_MEMBERS = 8 /* the most */
};

/* The shapes follow from these. columns, words, flags: of a row, as in nests_data; bins: of a
   column, as in nests_scale; in, out: channels of the vectors that rows join and that g reads;
   absolute: scores are ln(ns). Only for NESTS_COSTS, members (0 is 1) and skip: the share of
   training batches that leave out g. */
typedef struct nests_joined_options {
    nests_use use;
    int members, columns, words, bins, in, out;
    bool flags, absolute;
    double skip;
} nests_joined_options;

typedef struct nests_joined {
    nests_use use; /* NESTS_UNUSED: nothing below is there */
    int members, width;
    double skip;
    nests_scale scale;
    ag_param *table; /* [words, NESTS_WORD_WIDTH] */
    ag_linear_layer layer[NESTS_JOINED_MEMBERS][NESTS_JOINED_LAYERS]; /* of the embeddings */
    ag_param *join;    /* [in, members * width]: what a row adds to its node */
    ag_param *of_row;  /* f [members, width] */
    ag_param *of_node; /* g [1, out] */
    ag_param *steep; /* [1,1] ln of the factor of the scores; NULL unless items are only compared */
} nests_joined;

/* Declares the parameters ("rows.table", ...) and makes room for the scale. */
void nests_joined_add(nests_joined *joined, ag_params *params, const nests_joined_options *options);
void nests_joined_free(nests_joined *joined); /* except the parameters */

/* Items of a step. A place is a row of the activations [places, channels]: a node of an item. Sizes
   of rows and entries are rounded up, so that steps have few shapes. Start from {0}. */
typedef struct nests_joined_batch {
    int items, places, rows, entries, inputs;    /* inputs: of a row */
    ag_real *x;                                  /* [rows, inputs] */
    int32_t *word;                               /* [rows] */
    int32_t *place_row, *place_start;            /* [entries] by place; [places + 1] */
    int32_t *item_row, *item_place, *item_start; /* [entries] by item; [items + 1] */
    ag_real *item_weight;                        /* [entries] ln(times x work) less the base */
    ag_real *base;                               /* [items] ln(sum of times x work) + offset */
    ag_arena *memory;                            /* of the arrays */
} nests_joined_batch;

/* in, out [rows->first[rows->items]]: the place of each entry among the vectors that rows join, of
   which there are `places`, and among those that g reads (NULL: the same); -1: its node is not
   there. All rows->times must be above 0; rows->always is not read. */
void nests_joined_fill(nests_joined_batch *batch, const nests_joined *joined,
                       const nests_rows *rows, const int32_t *in, int places, const int32_t *out);
void nests_joined_batch_free(nests_joined_batch *batch);

/* The embedding of each row by each member, [rows, width]; NULL after the last member. */
typedef struct nests_embedded {
    ag_tensor *by[NESTS_JOINED_MEMBERS];
} nests_embedded;
nests_embedded nests_joined_embed(const nests_joined *joined, ag_tape *tape,
                                  const nests_joined_batch *batch);
/* The sum that the rows of each place add to its vector, [places, in]. embedded: from
   nests_joined_embed. */
ag_tensor *nests_joined_nodes(const nests_joined *joined, const nests_embedded *embedded,
                              const nests_joined_batch *batch);
/* Scores of NESTS_COSTS, [members * items], member after member. node [n, out]: of the graph
   network; NULL: without g. After training g counts 1 - skip times, its mean in training. Source:
   Huang et al. 2016 (stochastic depth). */
ag_tensor *nests_joined_scores(const nests_joined *joined, const nests_embedded *embedded,
                               ag_tensor *node, const nests_joined_batch *batch);
/* The scores of one member, and the mean over the members, [items]. */
ag_tensor *nests_member_scores(ag_tensor *scores, int items, int member);
ag_tensor *nests_mean_scores(ag_tensor *scores, int items);

#endif
