/* SPDX-License-Identifier: MIT */
/* The contents of a cost model's checkpoint besides its parameters (docs/formats.md). */
#ifndef TPGNN_CHECKPOINT_H
#define TPGNN_CHECKPOINT_H

#include "examples/tpgnn/data/seen.h"
#include "examples/tpgnn/model/model.h"
#include "examples/tpgnn/program.h"

typedef struct tpgnn_checkpoint {
    tpgnn_vocabulary vocabulary; /* of training; own, as the next */
    tpgnn_seen seen;
    int predicts;           /* the label that the model predicts, of program.h */
    double mean, deviation; /* of the labels; 0 and 1: they are not scaled */
} tpgnn_checkpoint;

/* JSON, owned by the caller (harness_free). */
char *tpgnn_data_json(const tpgnn_data *data);

/* Converts the score of a schedule to ln(run time in ns) in `cost` and returns 1; returns 0 when
   scores only rank. */
int tpgnn_log_cost(double *cost, const tpgnn_checkpoint *c, double score);

#endif
