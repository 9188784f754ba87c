/* SPDX-License-Identifier: MIT */
/* Samples, and batches of them. Samples are graphs with rows of numbers for each graph, node and
   edge. Their order in batches depends only on the seed and the epoch. */
#ifndef AG_BATCHES_H
#define AG_BATCHES_H

#include "gnn/gnn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The owner of a row of numbers. */
typedef enum ag_per { AG_PER_SAMPLE, AG_PER_NODE, AG_PER_EDGE } ag_per;

/* Rows of all samples, one sample after the other: features, labels, weights. A batch has them as
   [rows, width], or with width 0 as [rows], the shape that losses of labels and scores take. */
typedef struct ag_column {
    ag_per per;
    int width;            /* numbers in a row; 0: one number, without an axis for it (labels) */
    const ag_real *real;  /* [rows, width], or NULL */
    const int32_t *whole; /* integers [rows, width], or NULL */
} ag_column;

enum { AG_MOST_COLUMNS = 8 };

/* The samples of a data set, as PyG lays out graphs: the nodes and edges of the first graph, then
   those of the next; nodes are numbered from 0 in each graph. Samples without graphs (rows of a
   table) have nodes = NULL; samples that are sets of rows have nodes, and 0 edges each. The arrays,
   but not the struct, are borrowed until ag_batches_free. */
typedef struct ag_samples {
    int count;
    const int32_t *nodes, *edges;   /* [count]: how many each graph has */
    const int32_t *source, *target; /* [all edges] numbers of nodes; NULL: no edges at all */
    ag_direction direction;
    int columns;
    ag_column column[AG_MOST_COLUMNS];
} ag_samples;

/* The samples of one step of training. */
typedef struct ag_batch {
    int count;             /* samples in it: `size`, or fewer in the last batch */
    const int32_t *which;  /* [count] their numbers */
    const ag_graph *graph; /* the graphs of these samples joined; NULL: samples have none */
    const struct ag_batches *from;
} ag_batch;

typedef struct ag_batches ag_batches;

/* Makes batches of `size` samples from which[0..n-1] (NULL: 0..n-1). If `shuffled` is not 0, each
   epoch shuffles them again; else they keep their order. Copies `which`. Builds the graphs once;
   the sentence about a wrong edge has the sample's number. NULL with `why` filled: AG_EUSE,
   AG_EINDEX (an edge, a number in `which`), AG_ESHAPE, AG_EMEMORY. */
AG_API ag_batches *ag_batches_new(const ag_samples *samples, const int32_t *which, int n, int size,
                                  int shuffled, uint64_t seed, ag_failure *why);
AG_API void ag_batches_free(ag_batches *batches);

/* Begins an epoch; call it before every loop over batches. The order depends only on seed and
   epoch, so a resumed run needs to know only its epoch. */
AG_API void ag_batches_begin(ag_batches *batches, int64_t epoch);

/* The next batch, valid until the next call; NULL after the last one of the epoch, or with `why`
   filled: AG_EUSE (the epoch is over), AG_EMEMORY, AG_ESHAPE (a batch too large). */
AG_API const ag_batch *ag_batches_next(ag_batches *batches, ag_failure *why);

/* Column k of a batch as an input of the tape: [rows, width], or [rows]. Rows of nodes are in the
   order of the batch's graph. Rows of edges are in the order of its messages, as ops on values of
   messages need them: row p is the row of the edge of message p (AG_BOTH_WAYS: each edge twice).
   Integers give an int32 tensor. Fails: AG_EUSE (no such column). */
AG_API ag_tensor *ag_batch_column(ag_tape *tape, const ag_batch *batch, int k);

#ifdef __cplusplus
}
#endif

#endif
