/* SPDX-License-Identifier: MIT */
/* The schedules of each training step, and the losses over them. */
#ifndef TPGNN_STEPS_H
#define TPGNN_STEPS_H

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

/* ---- labels and losses (loss.c) ---- */

/* The labels of a batch [graphs], of a kind in program.h: large is slow. mean, deviation: of the
   labels of training. */
void tpgnn_labels(ag_real *out, const tpgnn_data *data, const tpgnn_batch *batch, int label,
                  double mean, double deviation);
/* Mean and standard deviation of the labels that are scaled (cost, log); 0 and 1 for others. */
void tpgnn_label_scale(double *mean, double *deviation, const tpgnn_data *data, int label);

/* The loss of a batch, a scalar, by --loss, --margin and --top of the settings: over pairs of
   schedules of one task, or an error of the predicted labels. costs [graphs], or those of several
   members, one after the other, of which it is the mean; label [graphs], borrowed until the run
   returns; only hinge, and pairs without `top`, need none (NULL). */
ag_tensor *tpgnn_loss(ag_tensor *costs, const tpgnn_batch *batch, const ag_real *label,
                      const tpgnn_settings *settings);

#endif
