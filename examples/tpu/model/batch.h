/* SPDX-License-Identifier: MIT */
/* Batches of samples, as the model reads them. A sample is a kernel with one of its
   configurations. */
#ifndef TPU_BATCH_H
#define TPU_BATCH_H

#include "examples/rows/joined.h"
#include "examples/tpu/rows/rows.h"
#include "examples/tpu/data/scale.h"

enum { TPU_NEIGHBOURS = 20 /* Table 5: a longer list of neighbours is cut */ };

typedef struct tpu_sample {
    const tpu_kernel *kernel;
    int32_t config; /* fusion: 0 */
} tpu_sample;

/* The nodes that a node receives messages from: its operands, its users, or both in one list,
   operands first. */
typedef enum tpu_way { TPU_OPERANDS, TPU_USERS, TPU_BOTH, TPU_WAYS } tpu_way;

/* The options of a batch. */
typedef struct tpu_batch_options {
    int way[TPU_WAYS]; /* 1: this graph is wanted */
    int loops;         /* 1: every node also sends a message to itself, after those of its first
                          TPU_NEIGHBOURS neighbours in file order */
    int by_kernel;     /* 1: graphs of the distinct kernels, not of the samples */
    const nests_joined *rows; /* NULL: no rows */
} tpu_batch_options;

/* Adjacent samples of one kernel form a group and share its rows in `feature` and `opcode`. Start
   from {0}. */
typedef struct tpu_batch {
    int samples, kernels;      /* kernels: groups */
    int nodes, base_nodes;     /* of all samples, of all groups */
    const tpu_kernel **kernel; /* [samples] */
    int32_t *config;           /* [samples] */
    int32_t *group;            /* [samples] its kernel in the batch, 0..kernels-1 */
    int32_t *group_start;      /* [kernels + 1] first sample of a group */
    int32_t *base_start;       /* [kernels + 1] first row of a group in feature */
    int32_t *start;            /* [samples + 1] first node of a sample */
    ag_real *feature;          /* [base_nodes,140] scaled */
    int32_t *opcode;           /* [base_nodes] */
    int32_t *base_group;       /* [base_nodes] its group */
    ag_real *analysis;         /* [kernels,4] static performance features, scaled */
    int32_t *base;             /* [nodes] row of a sample's node in feature and opcode */
    int32_t *sample;           /* [nodes] its sample */
    ag_real *tile;             /* [samples,24] scaled; NULL: fusion */
    int64_t *runtime;          /* [samples] ns; 0: hidden */
    ag_real *log_runtime;      /* [samples] ln of ns; 0: hidden */
    int32_t *rank;             /* [samples] dense ranks of the run times within a group */
    ag_graph *graph[TPU_WAYS]; /* NULL: not asked for */
    nests_joined_batch rows; /* of the loop nests of the samples, if they are asked for; a place is
                                a node of a sample */
    nests_rows nests;        /* scratch */
    ag_arena *memory;        /* of the arrays */
} tpu_batch;

/* Takes the samples, at least one, in this order; all are of one task. The graphs are those that
   ag_graph_build, with edges from producer to consumer (AG_ALONG, AG_AGAINST, AG_BOTH_WAYS),
   ag_graph_cap and ag_graph_batch give. Fails: AG_ESHAPE (2^30 nodes or messages), AG_EMEMORY. */
ag_status tpu_batch_fill(tpu_batch *batch, const tpu_sample *sample, int count,
                         const tpu_scaler *scaler, const tpu_batch_options *options,
                         ag_failure *why);
void tpu_batch_free(void *batch);

/* Fits the scale of the columns, and the mean of ln(ns) less ln of the sum of the prices, to at
   most NESTS_FITTED configurations of each kernel with known run times. Fails: AG_ESTOPPED. */
ag_status tpu_rows_fit(nests_scale *scale, const tpu_data *data, ag_failure *why);

#endif
