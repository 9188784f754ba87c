/* SPDX-License-Identifier: MIT */
/* Work for the TPU performance model: a training step, or the ranking of configurations. */
#ifndef BENCH_TPU_STEP_H
#define BENCH_TPU_STEP_H

#include "examples/tpu/model/model.h"

/* The last three are the defaults of `tpu predict`: at most so many samples and so many nodes,
   which gives so many kernels of this size. */
enum {
    BENCH_KERNEL_NODES = 41,
    BENCH_RANK_SAMPLES = 512,
    BENCH_RANK_NODES = 8192,
    BENCH_RANK_CHUNK = BENCH_RANK_NODES / BENCH_KERNEL_NODES
};

/* The work of a row. */
typedef struct bench_tpu_work {
    const char *name, *peer; /* of the row; of the form in peer.py */
    tpu_reduction reduction;
    tpu_direction direction;
    tpu_place tile_at; /* of a ranking; TPU_NOWHERE: a training step in the fusion task */
    int samples;       /* kernels of a step; configurations of one kernel */
} bench_tpu_work;

typedef struct bench_tpu {
    bench_tpu_work work;
    tpu_model model;
    tpu_scaler scaler;
    tpu_kernel *kernel; /* of a step: one per sample; of a ranking: one */
    tpu_sample *sample; /* [samples] */
    tpu_batch batch;
    ag_tape *tape;
    double *score; /* [samples] of a ranking */
    long steps;
} bench_tpu;

int bench_tpu_open(bench_tpu *b, const bench_tpu_work *work, int hidden); /* 0: ready */
int bench_tpu_ranks(const bench_tpu *b);                                  /* 1: forward only */
ag_tensor *bench_tpu_record(bench_tpu *b);  /* the loss, or the scores of the batch */
double bench_tpu_run(bench_tpu *b);         /* seconds */
double bench_tpu_flops(const bench_tpu *b); /* of the matrix products that cannot be left out */
void bench_tpu_close(bench_tpu *b);

#endif
