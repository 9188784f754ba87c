/* SPDX-License-Identifier: MIT */
/* The whole model of TPGNN in float (ag__tpgnn) and in double (ag64__tpgnn); both are
   tests/both/tpgnn_runner.c. */
#ifndef AG_TESTS_TPGNN_RUNNER_H
#define AG_TESTS_TPGNN_RUNNER_H

#include "examples/tpgnn/steps.h"

enum { TPGNN_WHY = 480 };

/* The data of a step: all schedules of some data, in their order. */
typedef struct tpgnn_trial {
    const tpgnn_data *data;
    tpgnn_options options;
    tpgnn_settings settings; /* of the loss */
    int label;               /* of program.h */
    uint64_t seed;
} tpgnn_trial;

/* The loss and the cost of each schedule, with initial values and without dropout; and what
   ag_gradcheck of the loss finds (NULL: not wanted). why: a sentence, or "", and where the worst
   gradient is. */
double ag__tpgnn(double *cost, double *worst, const tpgnn_trial *trial, char why[TPGNN_WHY]);
double ag64__tpgnn(double *cost, double *worst, const tpgnn_trial *trial, char why[TPGNN_WHY]);

#endif
