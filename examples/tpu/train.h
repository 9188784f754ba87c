/* SPDX-License-Identifier: MIT */
/* A training run. */
#ifndef TPU_TRAIN_H
#define TPU_TRAIN_H

#include "examples/harness/loader.h"
#include "examples/tpu/checkpoint.h"
#include "examples/tpu/results.h"
#include "examples/tpu/sampler.h"
#include "examples/tpu/score.h"

typedef struct tpu_training {
    const tpu_settings *settings;
    const harness_options *options;
    const char *folder, *command_line;
    int show; /* 1: print the table at the end */
    tpu_data data, valid;
    tpu_model model;
    tpu_checkpoint state;
    ag_tape *tape;
    harness_trainer trainer;
    const char *score_names[HARNESS_MOST_SCORES];
    tpu_sampler sampler;
    tpu_batch buffer[2];
    harness_loader *loader;
    const tpu_batch *batch; /* of the step */
    tpu_batch part;         /* some of its samples, to see how many fit */
} tpu_training;

/* Trains, from the start or from where the folder's last checkpoint stands, scores the best
   checkpoint, writes the report. mean: over the programs of --valid, NaN without any. Returns
   AG_OK, too, when it was interrupted (after saving). */
ag_status tpu_train(const tpu_settings *settings, const harness_options *options,
                    const char *folder, harness_run_mode mode, const char *command_line, int show,
                    tpu_grades *mean, ag_failure *why);

/* The parts: everything before the first step; the scores and the report at the end; everything but
   the run folder, which harness_trainer_close closes. */
ag_status tpu_train_begin(tpu_training *t, harness_run_mode mode, ag_failure *why);
ag_status tpu_train_end(tpu_training *t, tpu_grades *mean, ag_failure *why);
void tpu_train_close(tpu_training *t);

/* What the trainer asks for; user: a tpu_training. */
ag_tensor *tpu_train_record(void *user, ag_tape *tape, int64_t step, const char **what,
                            ag_failure *why);
harness_portion tpu_train_portion(void *user);
ag_status tpu_train_validate(void *user, double *scores, ag_failure *why);
ag_status tpu_train_save(void *user, const char *path, int resume, ag_failure *why);
ag_status tpu_train_load(void *user, const char *path, ag_failure *why);

#endif
