/* SPDX-License-Identifier: MIT */
/* Fused kernels: a program partitioned into groups, each a program of its own, the tile sizes that
   a kernel can have, and the kernels of several random partitions. */
#ifndef LAB_FUSION_H
#define LAB_FUSION_H

#include "examples/lab/program/program.h"

/* 1 when the program can run as one kernel: at most 64 nodes and one dot, convolution, reduce or
   reduce-window; a reshape splits axes or merges them, a gather's table is a parameter, and the
   default tile fits into scratch and recomputes little. */
int lab_fusible(const lab_program *kernel);

/* group[i] of every node i: a random partition into fusible groups with one output each, drawn from
   seed; `rate` (0..1) is the probability of a legal merge. Parameters, constants and broadcast
   constants are in no group (-1). The groups are numbered from 0 in topological order; returns
   their number. */
int lab_partition(int *group, const lab_program *p, double rate, uint64_t seed);

/* The kernel of group g. Values from outside become parameters; constants and broadcast constants
   are copied into each kernel that reads them. */
ag_status lab_kernel(lab_program *kernel, const lab_program *p, const int *group, int g);

/* A hash of a kernel's computation: equal for kernels that are equal node by node. */
uint64_t lab_kernel_hash(const lab_program *kernel);

/* Valid tiles of a kernel, `limit` of them at most (evenly drawn from seed), 24 numbers each as in
   run.h; the default comes first. The output's bounds are the sizes of its blocks along its axes.
   The reduction's bounds are along the contracted axis of a dot; the spatial axes of the window,
   then the input features of a group, of a convolution; dims of a reduce; the window's axes of a
   reduce-window. Each is a power of two or the whole axis; along the most minor axes it is at least
   eight. Returns the number of tiles; 0: the kernel cannot be tiled. The caller frees with
   harness_free. */
int lab_tiles(int (**tiles)[24], const lab_program *kernel, int limit, uint64_t seed);

/* 1 when bounds, sums and products are right, and scratch, steps and work are within the limits of
   tpugraphs/cut.h, as those of the default tile always are. tile NULL: 1 when the kernel has a
   default tile. */
int lab_tile_valid(const lab_program *kernel, const int *tile);

/* 1 when node i belongs to a group, as the root always does; 0 for parameters, and for constants
   and broadcast constants, which are cheap enough to copy into each kernel. */
int lab_is_grouped(const lab_program *p, int i);

/* The kernels of several random partitions of one program, each kernel once. */
typedef struct lab_fusion {
    lab_program *kernel; /* [n], in the order in which the partitions need them; a bag, if
                            lab_fusion_clear frees it */
    uint64_t *hash;      /* [n], all different; a bag */
    int n;
    int64_t *offset, *part; /* partition q has the kernels part[offset[q]..offset[q + 1] - 1] */
    int partitions;
} lab_fusion;

/* Partition 0 fuses nothing, partition 1 everything possible, the others with a random rate. The
   same program, seed and number give the same partitions. Free with lab_fusion_clear. */
void lab_fusion_draw(lab_fusion *f, const lab_program *p, int partitions, uint64_t seed);
void lab_fusion_clear(lab_fusion *f);
/* Takes the kernel over, or clears it when there is an equal one. Returns its number. */
int lab_fusion_add(lab_fusion *f, lab_program *kernel);

/* How many partitions, from partition 0 on, have all of their kernels among the first `kernels`. */
int lab_fusion_within(const lab_fusion *f, int kernels);

#endif
