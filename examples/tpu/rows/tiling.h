/* SPDX-License-Identifier: MIT */
/* A kernel that is cut in tiles: each tile of the output is computed from the regions
   of all nodes that it needs, block by block of the reduction. Sizes of regions are followed
   backwards from the output, as in examples/lab/fusion/fusion.h, but only from the features and
   as means of all tiles: sizes may be fractions, and the parts cut off at borders are ignored. So
   examples/lab/tile, which follows each tile in whole elements, has its own boxes. */
#ifndef NESTS_TILE_TILING_H
#define NESTS_TILE_TILING_H

#include "examples/tpu/data/hlo.h"

/* A kernel that is ready to be cut. */
typedef struct nests_tiling {
    tpu_hlo hlo;
    int reduction; /* the last dot, convolution, reduce or reduce-window; -1: none */
    int n_blocked; /* axes of it that are blocked, and their sizes */
    double blocked[TPUGRAPHS_AXES];
    /* Scratch, of the memory of hlo. */
    double (*box)[TPUGRAPHS_AXES]; /* [nodes] region of each node, in elements of each axis */
    double (*lo)[TPUGRAPHS_AXES];  /* [nodes] where it begins, of the first tile */
    char *want;                    /* [nodes] */
    char *copied; /* [nodes] 1: a view that is copied, since a reshape merges axes of it */
    struct nests_place *place; /* [2 nodes] of nests_tile_set */
} nests_tiling;

/* Start from {0}; opened again for another kernel it reuses its memory. */
void nests_tiling_open(nests_tiling *tiling, const tpu_kernel *kernel);
void nests_tiling_close(nests_tiling *tiling);

/* The axes of node u's reduction that tiles may block, with their sizes (1 after the last); returns
   their number, 0: it reduces nothing. */
int nests_tiling_blocked(double size[TPUGRAPHS_AXES], const tpu_hlo *hlo, int u);

/* 1 if a tile computes node u: it is wanted, and is not a view that is read in place. */
int nests_tiling_computes(const nests_tiling *tiling, int u);

/* Sets want and box of the nodes after the kernel's reduction, needed once per tile: from the
   root's box, which is given, back to the reduction itself. */
void nests_want_after(nests_tiling *t);
/* The same before the reduction, once per block: from the box of the reduction and the sizes of a
   block of it, which are given, back to the parameters. */
void nests_want_before(nests_tiling *t, const double block[TPUGRAPHS_AXES]);

/* 1 if the window of node u leaves its operand v, so that u reads a copy with borders and gaps:
   `box` is then its size, every[a] the distance of the operand's elements there. */
int nests_padded(double box[TPUGRAPHS_AXES], double every[TPUGRAPHS_AXES], const nests_tiling *t,
                 int u, int v, const double block[TPUGRAPHS_AXES]);

/* default_tile.c: the tile that a kernel runs with when nobody chooses one, 24 numbers; of a fusion
   file, the tile that its run time was measured with. */
void nests_default_tile(float tile[TPUGRAPHS_TILE_FEATURES], nests_tiling *tiling);

/* The features that a group of a convolution makes. */
static inline double nests_made(const tpugraphs_operation *o)
{
    return (double)o->size[o->conv.out_feature] / o->conv.groups;
}
double nests_volume(const double box[TPUGRAPHS_AXES]);
/* 1 for dots and convolutions. */
int nests_is_product(const tpu_hlo *hlo, int u);

/* ---- places ---- */

/* Where the value of a node lies while a tile is computed: parameters in memory with the strides of
   their shape, computed values in scratch with the strides of their box, and views (broadcast,
   transpose, reshape, slice, reverse) in the memory of their operand. */
typedef struct nests_place {
    int base; /* the node that has the memory: a parameter, or a node that is computed */
    double stride[TPUGRAPHS_AXES]; /* in elements; axes of one element: 0 */
} nests_place;

/* How a node that only moves elements, or maps them one by one, reads an operand: axis a of the
   operand is at at[a] + step[a] * the index of axis from[a] of the node (-1: of none). */
typedef struct nests_view {
    int from[TPUGRAPHS_AXES];
    double at[TPUGRAPHS_AXES], step[TPUGRAPHS_AXES];
} nests_view;

void nests_view_of(nests_view *view, const tpu_hlo *hlo, int u, int v);

/* 1 for views, parameters and constants, which no nest computes. */
int nests_is_view(int opcode);

/* The place of node u, from the places of its operands. box: its box; computed: it has scratch of
   its own. */
void nests_place_node(nests_place *place, int u, const tpu_hlo *hlo, const double *box,
                      int computed);
/* Row-major strides of a box. */
void nests_place_dense(double stride[TPUGRAPHS_AXES], const double *box, int rank);

#endif
