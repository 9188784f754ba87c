/* SPDX-License-Identifier: MIT */
/* Fused kernels: a program cut in groups, each a program of its own, and the tile sizes that a
   kernel can have. */
#ifndef LAB_KERNELS_H
#define LAB_KERNELS_H

#include "examples/lab/program.h"

/* 1 when the nodes can be one kernel: at most one dot, convolution, reduce or reduce-window that is
   no elementwise-like op's operand through a change of shape that the engine cannot tile. */
int lab_fusible(const lab_program *kernel);

/* group[i] of every node i that is no parameter and no constant: a random partition in fusible
   groups with one output each, drawn from seed; `rate` (0..1) is the chance that a legal merge is
   made. The groups are numbered from 0 in topological order; returns their number, -1: no memory.
 */
int lab_partition(int *group, const lab_program *p, double rate, uint64_t seed);

/* The kernel of group g: values from outside become parameters, constants are copied. */
ag_status lab_kernel(lab_program *kernel, const lab_program *p, const int *group, int g);

/* A name for what a kernel computes: equal for kernels that are equal node by node. */
uint64_t lab_kernel_hash(const lab_program *kernel);

/* All valid tiles of a kernel, `limit` of them at most (evenly drawn from seed), 24 numbers each as
   in run.h; the default comes first. Returns their number, -1: no memory. The caller frees. */
int lab_tiles(int (**tiles)[24], const lab_program *kernel, int limit, uint64_t seed);
int lab_tile_valid(const lab_program *kernel, const int *tile);

#endif
