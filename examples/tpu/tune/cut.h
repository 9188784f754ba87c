/* SPDX-License-Identifier: MIT */
/* Partitions of a program into kernels, and the steps from one to the next. A partition is defined
   by the nodes that are outputs: every other node is in the kernel of its readers. */
#ifndef TPU_TUNE_CUT_H
#define TPU_TUNE_CUT_H

#include "examples/tpu/tune/pool.h"

/* A legal partition, as in lab_partition: every kernel has one output, and runs as one kernel. */
typedef struct tune_cut {
    tune_pool *pool;
    unsigned char *output; /* [n] 1: a kernel ends here */
    int *group;            /* [n] as lab_partition: from 0, in topological order; -1: none */
    int *part, parts;      /* [parts] numbers of the kernels in the pool, one per group */
    uint64_t hash;         /* of the outputs: equal for equal partitions */
} tune_cut;

void tune_cut_open(tune_cut *cut, tune_pool *pool);
void tune_cut_close(tune_cut *cut);
void tune_cut_copy(tune_cut *to, const tune_cut *from); /* of one pool */

/* The partition that lab_partition draws. */
ag_status tune_cut_draw(tune_cut *cut, double rate, uint64_t seed, ag_failure *why);

/* Makes the partition whose outputs are at least those that are marked: where the readers of a node
   are in several kernels, it becomes an output too. Returns 0 when a kernel of it cannot run as
   one; the cut must then not be used until the next call. */
int tune_cut_settle(tune_cut *cut, ag_failure *why);

/* Draws a neighbour, another partition than `from`: a kernel is merged into its reader or split in
   two, or a node moves to the kernel of its reader or of an operand; now and then several of these
   at once. Returns 0 when none is found. */
int tune_cut_move(tune_cut *to, const tune_cut *from, ag_random *random, ag_failure *why);

#endif
