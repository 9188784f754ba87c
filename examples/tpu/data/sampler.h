/* SPDX-License-Identifier: MIT */
/* Draws the samples of a training step. Source: Kaufman et al. 2021, section 4: the data are
   imbalanced, so examples are drawn evenly from each kind of program. */
#ifndef TPU_SAMPLER_H
#define TPU_SAMPLER_H

#include "examples/tpu/model/batch.h"

typedef struct tpu_sampler_options {
    uint64_t seed;
    int kernels; /* different kernels per step; all if there are fewer */
    int configs; /* tile: different configurations of each kernel, at least 2; all if it has fewer
                  */
    int uniform; /* 1: evenly over the kernels; 0: a family, one of its programs, one of its kernels
                  */
} tpu_sampler_options;

/* Depends on (seed, step) alone, so a run is resumed by its step number. For one thread. */
typedef struct tpu_sampler {
    const tpu_data *data;
    const tpu_scaler *scaler;
    tpu_sampler_options options;
    tpu_batch_options batch;
    int count;              /* kernels that can be drawn */
    int families, programs; /* that have one */
    int32_t *item;          /* [count] kernels of the data, by family, then by program */
    int32_t *program_start; /* [programs + 1] in item */
    int32_t *family_start;  /* [families + 1] in program_start */
    int64_t *taken, turn;   /* [count] the last draw that took it; draws */
    int32_t *config;    /* scratch, as long as the largest number of configurations of a kernel */
    tpu_sample *sample; /* the last draw, with the samples of a kernel together */
    ag_arena *memory;   /* of the arrays */
} tpu_sampler;

/* Data, scaler and options must outlive the sampler. Kernels with hidden run times, and in the tile
   task those whose run times are all equal, cannot be drawn. Fails: AG_EUSE (no kernel can be
   drawn), AG_EMEMORY. Close it in any case. */
ag_status tpu_sampler_open(tpu_sampler *sampler, const tpu_data *data, const tpu_scaler *scaler,
                           const tpu_sampler_options *options, const tpu_batch_options *batch,
                           ag_failure *why);
void tpu_sampler_close(tpu_sampler *sampler);

/* Draws into sampler->sample; returns the number of samples. */
int tpu_sampler_draw(tpu_sampler *sampler, int64_t step);
/* A harness_fill: source is a tpu_sampler, buffer a tpu_batch. */
ag_status tpu_sampler_fill(void *source, int64_t step, void *buffer, ag_failure *why);

#endif
