/* SPDX-License-Identifier: MIT */
/* The contents of a cost model's checkpoint besides its parameters (docs/formats.md). */
#ifndef TPGNN_CHECKPOINT_H
#define TPGNN_CHECKPOINT_H

#include "examples/tpgnn/model/model.h"
#include "examples/tpgnn/program.h"

typedef struct tpgnn_checkpoint {
    tpgnn_options model;
    tpgnn_vocabulary vocabulary; /* of training; own */
    int predicts;                /* the label that the model predicts, of program.h */
    double mean, deviation;      /* of the labels; 0 and 1: they are not scaled */
    harness_state progress;
    char *configuration, *data; /* JSON: all options; schedules and hash of the training data */
} tpgnn_checkpoint;

void tpgnn_checkpoint_free(tpgnn_checkpoint *c);

/* JSON, owned by the caller (harness_free). */
char *tpgnn_data_json(const tpgnn_data *data);

/* Converts the score of a schedule to ln(run time in ns) in `cost` and returns 1; returns 0 when
   scores only rank. */
int tpgnn_log_cost(double *cost, const tpgnn_checkpoint *c, double score);

/* resume 1: with both moments and the step of the optimizer. Fails: as ag_params_save. */
ag_status tpgnn_checkpoint_save(const char *path, const tpgnn_model *model,
                                const tpgnn_checkpoint *c, int resume, ag_failure *why);

/* Reads the same from a file that is open. */
ag_status tpgnn_checkpoint_take(const char *path, const ag_checkpoint *file, tpgnn_model *model,
                                tpgnn_checkpoint *c, ag_failure *why);
/* Reads a checkpoint, makes the model that it describes and loads it. Start from {0}; free both in
   any case. Fails: AG_EFILE, AG_EDATA, AG_ESHAPE, AG_EFINITE, AG_EMEMORY. */
ag_status tpgnn_checkpoint_load(const char *path, tpgnn_model *model, tpgnn_checkpoint *c,
                                ag_failure *why);

/* Loads parameters, moments and progress into a model that is there, for --resume. `c` holds what
   the run would store now: other options or data are refused. */
ag_status tpgnn_checkpoint_resume(const char *path, tpgnn_model *model, tpgnn_checkpoint *c,
                                  ag_failure *why);

#endif
