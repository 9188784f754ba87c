/* SPDX-License-Identifier: MIT */
/* Declarations that nests.c and nest_loops.c share. */
#ifndef TPU_NEST_JOB_H
#define TPU_NEST_JOB_H

#include "examples/tpu/nest/nests.h"
#include "examples/tpu/analytic/places.h"

/* One side of the reduction. */
typedef struct tpu_side {
    tpu_nests *nests;
    tpu_tiling *t;
    const tpu_hlo *h;
    tpu_place *place, *view;    /* of the nodes; view: of a copied view, what it is copied from */
    double tiles, steps, times; /* times: how often its nests are called */
    double waste, scratch, outside; /* bytes of all boxes, of memory outside that they read */
    double kernel;                  /* bytes of all parameters and of the result */
    int before;
} tpu_side;

/* A nest to be priced. */
typedef struct tpu_job {
    int node, kind, inputs, n_loops;
    int in[TPU_INPUTS];                /* nodes, -1: none */
    const tpu_place *from[TPU_INPUTS]; /* where they are */
    const double *box[TPU_INPUTS];
    int out;        /* the node whose memory is written */
    double written; /* elements of the output's box */
    double share;   /* of the calls of the side that run it */
    int readings;   /* of a dot */
    tpugraphs_loop loop[TPU_LOOPS];
} tpu_job;

static inline double *tpu_box_of(const tpu_side *s, int u)
{
    return s->t->box + (size_t)u * TPU_RANK;
}

/* A job without inputs that writes node u as large as its box is. */
static inline tpu_job tpu_job_begin(const tpu_side *s, int u, int kind)
{
    const double *box = tpu_box_of(s, u);
    double written = 1;
    for (int a = 0; a < TPU_RANK; a++) written *= box[a];
    return (tpu_job){
        .node = u, .kind = kind, .in = {-1, -1, -1}, .out = u, .written = written, .share = 1};
}

/* ns of one run of a nest, a guess. op: its op code, of a reduction that of what it does with its
   elements; straight: the inner loops run through memory in order. */
double tpu_nest_price(const tpu_job *job, const tpu_plan *plan, int op, int straight);

/* Plans the nest of a job and appends it with its columns. */
void tpu_nest_add(tpu_side *side, const tpu_job *job);

/* Append the nests that put the operands of a concatenate, or the operand and borders of a pad, in
   their places. to: strides of the output. */
void tpu_add_concatenate(tpu_side *side, int u, const double *to);
void tpu_add_pad(tpu_side *side, int u, const double *to);
/* Append copies of operands of the reduction, which is then read there. */
void tpu_copy_operands(tpu_side *side, int u, const double *block);

/* Makes node v the next input, of three at most. */
void tpu_job_read(tpu_job *job, const tpu_side *side, int v);

/* Append the loops of a job. to: strides of the output; block: of the reduction. */
void tpu_map_loops(tpu_job *job, const double *to, const double *box, int rank);
void tpu_dot_loops(tpu_job *job, const tpu_side *side, const double *block, const double *to,
                   const tpu_dot *dot);
void tpu_reduce_loops(tpu_job *job, const tpu_side *side, const double *block, const double *to);
void tpu_window_loops(tpu_job *job, const tpu_side *side, const double *block, const double *to);
void tpu_convolution_loops(tpu_job *job, const tpu_side *side, const double *block,
                           const double *to);

#endif
