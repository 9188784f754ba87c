/* SPDX-License-Identifier: MIT */
/* The work of a kernel that is cut in tiles: each tile of the output is computed from the regions
   of all nodes that it needs, block by block of the reduction. Sizes of regions are followed
   backwards from the output, as in examples/lab/fusion/kernels.h, but from the features alone and
   without positions, so the parts cut off at borders are ignored. */
#ifndef TPU_TILE_WORK_H
#define TPU_TILE_WORK_H

#include "examples/tpu/analytic/hlo.h"

/* Counts of one kernel with one tile, of all its tiles together. A loop is a pass along the most
   minor axis of a region. */
typedef enum tpu_work {
    TPU_WORK_PRODUCTS, /* multiply-adds of dots and convolutions */
    TPU_WORK_SUMS,     /* elements that reductions and windows take in */
    TPU_WORK_ROWS,     /* loops of either along the output's most minor axis */
    TPU_WORK_FOLDS,    /* loops along the reduction, where all operands are contiguous along it */
    TPU_WORK_PASSES,   /* calls for such rows, each with as many rows as the longest block has */
    TPU_WORK_ELEMENTS, /* elements that all other ops make, again in each tile that needs them */
    TPU_WORK_LOOPS,
    TPU_WORK_SPECIAL, /* elements that special functions make */
    TPU_WORK_READ,    /* bytes of parameters, again in each step that needs them */
    TPU_WORK_RUNS,    /* contiguous pieces that they are read in */
    TPU_WORK_PARTIAL, /* bytes of partial results of the reduction, in each step */
    TPU_WORK_WRITTEN, /* bytes of the output */
    TPU_WORK_TILES,   /* tiles of the output */
    TPU_WORK_STEPS,   /* tiles times blocks of the reduction */
    TPU_WORKS
} tpu_work;

/* A kernel that is ready to be cut. */
typedef struct tpu_tiling {
    tpu_hlo hlo;
    int reduction; /* the last dot, convolution, reduce or reduce-window; -1: none */
    int n_blocked; /* axes of it that are blocked, and their sizes */
    double blocked[TPU_RANK];
    double *box;  /* [nodes,6] region of each node, in elements of each axis; scratch */
    double *lo;   /* [nodes,6] where it begins, of the first tile; scratch */
    char *want;   /* [nodes] scratch */
    char *copied; /* [nodes] 1: a view that is copied, since a reshape merges axes of it */
} tpu_tiling;

void tpu_tiling_open(tpu_tiling *tiling, const tpu_kernel *kernel);
void tpu_tiling_close(tpu_tiling *tiling);
/* tile: 24 numbers, see docs/formats.md and examples/lab/run/run.h; bounds that are absent or too
   large are the whole axis. */
void tpu_tiling_work(double work[TPU_WORKS], tpu_tiling *tiling, const float *tile);

/* The axes of node u's reduction that tiles may block, with their sizes (1 after the last); returns
   their number, 0: it reduces nothing. */
int tpu_tiling_blocked(double size[TPU_RANK], const tpu_hlo *hlo, int u);

/* The region of operand v that node u needs for the region `out` of itself and the block of its
   reduction (whole axes for nodes that are not the kernel's reduction). */
void tpu_tiling_operand(double in[TPU_RANK], const tpu_tiling *tiling, int u, int v,
                        const double out[TPU_RANK], const double block[TPU_RANK]);

/* Where that region begins, if the region of u begins at `lo` and is `out` large; 0 along axes for
   which that is not known. */
void tpu_tiling_start(double start[TPU_RANK], const tpu_tiling *tiling, int u, int v,
                      const double lo[TPU_RANK], const double out[TPU_RANK]);

/* 1 if a tile computes node u: it is wanted, and no view that is only looked through. */
int tpu_tiling_computes(const tpu_tiling *tiling, int u);

#endif
