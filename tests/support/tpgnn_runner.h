/* SPDX-License-Identifier: MIT */
/* The whole model of TPGNN in float (ag__tpgnn) and in double (ag64__tpgnn), with an interface of
   plain doubles; both are tests/both/tpgnn_runner.c. */
#ifndef AG_TESTS_TPGNN_RUNNER_H
#define AG_TESTS_TPGNN_RUNNER_H

#include "examples/tpgnn/model/loss.h"

enum { TPGNN_WHY = 480 };

/* The data of a step: all schedules of some data, in their order. */
typedef struct tpgnn_trial {
    const tpgnn_data *data;
    tpgnn_options options;
    tpgnn_loss_options loss;
    int label; /* of program.h */
    uint64_t seed;
} tpgnn_trial;

typedef struct tpgnn_runner {
    const char *name;
    /* Cost of each schedule, minus its score, with first values; and the loss. */
    double (*costs)(double *cost, const tpgnn_trial *trial, char why[TPGNN_WHY]);
    /* ag_gradcheck of the loss without dropout; infinite, and a sentence, when it cannot run. */
    double (*gradcheck)(const tpgnn_trial *trial, char why[TPGNN_WHY]);
} tpgnn_runner;

extern const tpgnn_runner ag__tpgnn, ag64__tpgnn;

#endif
