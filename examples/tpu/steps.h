/* SPDX-License-Identifier: MIT */
/* The samples of a training step, and the losses over them. Source: Kaufman et al. 2021, section 4:
   the data are imbalanced, so examples are drawn evenly from each kind of program. */
#ifndef TPU_STEPS_H
#define TPU_STEPS_H

#include "examples/tpu/program.h"

/* A draw depends only on (seed, step), so a run is resumed by its step number. For one thread. */
typedef struct tpu_sampler {
    const tpu_data *data;
    const tpu_scaler *scaler;
    const tpu_settings *settings;
    tpu_batch_options batch;
    int kernels, configs;   /* kernels of a step, configurations of each; all if there are fewer */
    int count;              /* kernels that can be drawn */
    int families, programs; /* with such a kernel */
    int32_t *item;          /* [count] kernels of the data, by family, then by program */
    int32_t *program_start; /* [programs + 1] the first place of each in item */
    int32_t *family_start;  /* [families + 1] the first place of each in program_start */
    int64_t *taken, turn;   /* [count] the last draw that took each kernel; the number of draws */
    int32_t *config;    /* scratch, as long as the largest number of configurations of a kernel */
    tpu_sample *sample; /* the last draw, with the samples of a kernel together */
    ag_arena *memory;   /* of the arrays */
} tpu_sampler;

/* Data, scaler and settings must outlive the sampler. Kernels with hidden run times, and in the
   tile task those whose run times are all equal, cannot be drawn. Fails: AG_EUSE (no kernel can be
   drawn), AG_EMEMORY. Always close it. */
ag_status tpu_sampler_open(tpu_sampler *sampler, const tpu_data *data, const tpu_scaler *scaler,
                           const tpu_settings *settings, const tpu_batch_options *batch,
                           ag_failure *why);
void tpu_sampler_close(void *sampler);

/* Draws into sampler->sample; returns the number of samples. */
int tpu_sampler_draw(tpu_sampler *sampler, int64_t step);
/* A harness_fill: source is a tpu_sampler, buffer a tpu_batch. */
ag_status tpu_sampler_fill(void *source, int64_t step, void *buffer, ag_failure *why);

/* ---- losses (loss.c) ---- */

/* The loss of a batch, from its scores [samples]. squared: mean of (score - ln ns)^2; hinge and
   logistic: eq. 1 over the pairs of tile sizes of one kernel, divided by the pairs n (n - 1) / 2 of
   all n samples. */
ag_tensor *tpu_loss(ag_tensor *score, const tpu_batch *batch, int kind, double margin);

#endif
