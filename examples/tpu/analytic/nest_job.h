/* SPDX-License-Identifier: MIT */
/* Declarations that nests.c and nest_loops.c share. */
#ifndef TPU_NEST_JOB_H
#define TPU_NEST_JOB_H

#include "examples/tpu/analytic/nests.h"
#include "examples/tpu/analytic/places.h"

/* One side of the reduction. */
typedef struct tpu_side {
    tpu_nests *nests;
    tpu_tiling *t;
    const tpu_hlo *h;
    tpu_place *place;
    double tiles, steps, times;     /* times: how often its nests are called */
    double waste, scratch, outside; /* bytes of all boxes, of memory outside that they read */
    int before;
} tpu_side;

/* A nest to be priced. */
typedef struct tpu_job {
    int node, kind, inputs, n_loops;
    int in[2];            /* nodes, -1: none */
    int out;              /* the node whose memory is written */
    const double *box[2]; /* of the inputs */
    double written;       /* elements of the output's box */
    int readings;         /* of a dot */
    tpu_loop loop[TPU_LOOPS];
} tpu_job;

static inline double *tpu_box_of(const tpu_side *s, int u)
{
    return s->t->box + (size_t)u * TPU_RANK;
}

/* Makes node v the next input, of two at most. */
void tpu_job_read(tpu_job *job, const tpu_side *side, int v);

/* Append the loops of a job. to: strides of the output; block: of the reduction. */
void tpu_map_loops(tpu_job *job, const tpu_side *side, const double *to, const double *box,
                   int rank);
void tpu_dot_loops(tpu_job *job, const tpu_side *side, const double *block, const double *to,
                   const tpu_dot *dot);
void tpu_reduce_loops(tpu_job *job, const tpu_side *side, const double *block, const double *to);
void tpu_window_loops(tpu_job *job, const tpu_side *side, const double *block, const double *to);
void tpu_convolution_loops(tpu_job *job, const tpu_side *side, const double *block,
                           const double *to);

#endif
