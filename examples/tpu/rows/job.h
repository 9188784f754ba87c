/* SPDX-License-Identifier: MIT */
/* Declarations for the files that make the nests of a tile. */
#ifndef NESTS_TILE_JOB_H
#define NESTS_TILE_JOB_H

#include "examples/tpu/rows/rows.h"

/* One side of the reduction. */
typedef struct nests_side {
    nests_rows *rows;
    nests_tiling *t;
    const tpu_hlo *h;
    nests_place *place, *view;  /* of the nodes; view: of a copied view, what it is copied from */
    double tiles, steps, times; /* times: how often its nests are called */
    double waste, scratch, outside; /* bytes of all boxes, of memory outside that they read */
    double kernel;                  /* bytes of all parameters and of the result */
    int before;
} nests_side;

/* A nest to be priced. */
typedef struct nests_job {
    int node, kind, inputs, n_loops;
    int in[NESTS_TILE_INPUTS];                  /* nodes */
    const nests_place *from[NESTS_TILE_INPUTS]; /* where they are */
    const double *box[NESTS_TILE_INPUTS];
    double written; /* elements of the output's box */
    double share;   /* of the calls of the side that run it */
    int readings;   /* of a dot */
    tpugraphs_loop loop[NESTS_TILE_LOOPS];
} nests_job;

/* Plans the nest of a job and appends it with its columns. */
void nests_tile_add(nests_side *side, const nests_job *job);

#endif
