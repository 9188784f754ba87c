/* SPDX-License-Identifier: MIT */
/* The different kernels of the partitions of one program. Each is made, and later predicted or
   measured, once. */
#ifndef TPU_TUNE_POOL_H
#define TPU_TUNE_POOL_H

#include "examples/lab/fusion/fusion.h"
#include "examples/tpu/tune/map.h"

/* A kernel as the list of its nodes; its program is made on demand. */
typedef struct tune_recipe {
    int *node, count; /* ascending */
} tune_recipe;

/* Start from tune_pool_open. */
typedef struct tune_pool {
    const lab_program *program;
    tune_recipe *kernel; /* [kernels] all different; a bag */
    int kernels;
    tune_map by_nodes; /* set of nodes -> kernel, or TUNE_ILLEGAL */
    tune_map by_hash;  /* lab_kernel_hash -> kernel */
    int *start, *user; /* nodes that read node i: user[start[i]..start[i + 1] - 1] */
    int *free, n_free; /* nodes whose place in a kernel can change */
} tune_pool;

enum { TUNE_ILLEGAL = -1 };

/* The program is borrowed. */
void tune_pool_open(tune_pool *pool, const lab_program *p);
void tune_pool_close(tune_pool *pool);

/* The number of the kernel that group g makes; `nodes` is the hash of its set of `count` nodes.
   TUNE_ILLEGAL: they cannot run as one kernel, or an error is in `why` (AG_EMEMORY). A node alone
   is always a kernel, as in the lab. */
int tune_pool_kernel(tune_pool *pool, const int *group, int g, uint64_t nodes, int count,
                     ag_failure *why);

/* The programs of kernels which[0..count-1], in this order: kernel and n of `kernels` are filled.
   Free with lab_fusion_clear, also after a failure (AG_EMEMORY). */
ag_status tune_pool_programs(lab_fusion *kernels, const tune_pool *pool, const int *which,
                             int count, ag_failure *why);

#endif
