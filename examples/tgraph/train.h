/* SPDX-License-Identifier: MIT */
/* A training run. */
#ifndef TGRAPH_TRAIN_H
#define TGRAPH_TRAIN_H

#include "examples/tgraph/checkpoint.h"
#include "examples/tgraph/score.h"

/* What one step works on. */
typedef struct tgraph_work {
    const tgraph_entry *entry;
    const tgraph_batch *batch; /* layout files */
} tgraph_work;

/* Where the steps of a run get their files and configurations from: functions of (seed, step). */
typedef struct tgraph_feed {
    const tgraph_set *set;
    int tile, count;
    uint64_t seed;
    const tgraph_entry **entry; /* [count] those trained on */
    int32_t *order;             /* tile: of `epoch` */
    int64_t epoch;
    tgraph_file **file; /* layout */
    tgraph_source source;
    tgraph_batch buffer[2];
    harness_loader *loader;
} tgraph_feed;

/* Begins with step `first`, counted from 0. */
ag_status tgraph_feed_open(tgraph_feed *feed, const tgraph_set *set, int configs, uint64_t seed,
                           int64_t first, ag_failure *why);
/* The work of the next step. */
ag_status tgraph_feed_next(tgraph_feed *feed, int64_t step, tgraph_work *work, ag_failure *why);
void tgraph_feed_close(tgraph_feed *feed);

typedef struct tgraph_training {
    const tgraph_settings *settings;
    const harness_options *options;
    const char *folder, *command_line;
    int show;             /* 1: print the table at the end */
    harness_training how; /* of the settings, with the steps that --epochs stands for */
    tgraph_set set;
    tgraph_model model;
    tgraph_checkpoint state;
    ag_tape *tape;
    harness_trainer trainer;
    const char *score_names[HARNESS_MOST_SCORES];
    tgraph_feed feed;
    tgraph_work work; /* of the step */
    tgraph_scorer scorer;
    const tgraph_entry **scored; /* [scored_count] */
    int scored_count;
    int32_t **sample; /* [scored_count] configurations of a validation during training */
    int *samples;
    double *score; /* scratch, of the largest file */
} tgraph_training;

/* Trains, from the start or from where the folder's last checkpoint stands, scores the best
   checkpoint, writes the report. mean: of the held-out files, NaN without any. Returns AG_OK, too,
   when it was interrupted (after saving). */
ag_status tgraph_train(const tgraph_settings *settings, const harness_options *options,
                       const char *folder, harness_run_mode mode, const char *command_line,
                       int show, tgraph_grades *mean, ag_failure *why);

/* The parts: everything before the first step; the scores and the report at the end. */
ag_status tgraph_train_begin(tgraph_training *t, harness_run_mode mode, ag_failure *why);
ag_status tgraph_train_end(tgraph_training *t, tgraph_grades *mean, ag_failure *why);

/* Everything but the run folder, which harness_trainer_close closes. */
void tgraph_train_close(tgraph_training *t);

/* What the trainer asks for; user: a tgraph_training. */
ag_tensor *tgraph_train_record(void *user, ag_tape *tape, int64_t step, const char **what,
                               ag_failure *why);
harness_portion tgraph_train_portion(void *user);
ag_status tgraph_train_validate(void *user, double *scores, ag_failure *why);
ag_status tgraph_train_save(void *user, const char *path, int resume, ag_failure *why);
ag_status tgraph_train_load(void *user, const char *path, ag_failure *why);

#endif
