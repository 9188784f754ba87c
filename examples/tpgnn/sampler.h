/* SPDX-License-Identifier: MIT */
/* Draws the schedules of a training step. */
#ifndef TPGNN_SAMPLER_H
#define TPGNN_SAMPLER_H

#include "examples/tpgnn/program.h"

typedef struct tpgnn_sampler {
    const tpgnn_data *data;
    const tpgnn_settings *settings; /* seed, tasks, schedules, balanced, mixed */
    tpgnn_batch_options batch;
    int32_t *task, *family_start; /* tasks that can be drawn, by family */
    int32_t *order;               /* scratch */
    const tpgnn_schedule **drawn;
    ag_real *label;   /* for the loss of a step: the labels of its batch */
    ag_arena *memory; /* of these */
    int tasks, families;
} tpgnn_sampler;

/* Fails: AG_EUSE (no task of two schedules with different run times; no schedules), AG_EMEMORY. */
ag_status tpgnn_sampler_open(tpgnn_sampler *s, const tpgnn_data *data,
                             const tpgnn_settings *settings, const tpgnn_batch_options *batch,
                             ag_failure *why);
void tpgnn_sampler_close(void *sampler);

/* Draws the schedules of a step into s->drawn; they depend only on its number and the seed. Returns
   how many there are. */
int tpgnn_sampler_draw(tpgnn_sampler *s, int64_t step);
/* A harness_fill: source a tpgnn_sampler, buffer a tpgnn_batch. */
ag_status tpgnn_sampler_fill(void *source, int64_t step, void *buffer, ag_failure *why);

#endif
