/* SPDX-License-Identifier: MIT */
/* A training run. */
#ifndef TPGNN_TRAIN_H
#define TPGNN_TRAIN_H

#include "examples/harness/loader.h"
#include "examples/tpgnn/checkpoint.h"
#include "examples/tpgnn/results.h"
#include "examples/tpgnn/sampler.h"

typedef struct tpgnn_training {
    const tpgnn_settings *settings;
    const harness_options *options;
    const char *folder, *command_line;
    int show; /* 1: print the table at the end */
    tpgnn_data data, valid;
    tpgnn_model model;
    tpgnn_checkpoint state;
    tpgnn_sampler sampler;
    tpgnn_batch buffer[2];
    harness_loader *loader;
    const tpgnn_batch *batch; /* of the step */
    tpgnn_batch part;         /* some of its schedules, to see how many fit */
    ag_real *label;           /* [tasks * schedules] of the step's batch */
    harness_trainer trainer;
    tpgnn_measure score[HARNESS_MOST_SCORES]; /* what a validation gives */
    const char *score_names[HARNESS_MOST_SCORES];
    ag_tape *tape;
} tpgnn_training;

/* Everything up to the first step; then the trainer runs. */
ag_status tpgnn_train_begin(tpgnn_training *t, harness_run_mode mode, ag_failure *why);
void tpgnn_train_close(tpgnn_training *t);

/* What the trainer asks for. */
ag_tensor *tpgnn_train_record(void *user, ag_tape *tape, int64_t step, const char **what,
                              ag_failure *why);
harness_portion tpgnn_train_portion(void *user);
ag_status tpgnn_train_validate(void *user, double *scores, ag_failure *why);
ag_status tpgnn_train_save(void *user, const char *path, int resume, ag_failure *why);
ag_status tpgnn_train_load(void *user, const char *path, ag_failure *why);

/* Best checkpoint, table, pictures, page; mean [TPGNN_MEASURES] over the validation tasks. */
ag_status tpgnn_train_end(tpgnn_training *t, double *mean, ag_failure *why);

/* A run in a folder; mean [TPGNN_MEASURES] as above, NaN when nothing is held out. */
ag_status tpgnn_train(const tpgnn_settings *settings, const harness_options *options,
                      const char *folder, harness_run_mode mode, const char *command_line, int show,
                      double *mean, ag_failure *why);

#endif
