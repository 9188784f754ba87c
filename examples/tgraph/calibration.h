/* SPDX-License-Identifier: MIT */
/* Calibration of the scores of one file, learnt from its training configurations. */
#ifndef TGRAPH_CALIBRATION_H
#define TGRAPH_CALIBRATION_H

#include "examples/harness/rank/rank.h"
#include "examples/tgraph/score.h"

enum { TGRAPH_CALIBRATES = 4096 };

/* Of a file that was split: training configurations, at most TGRAPH_CALIBRATES, evenly spread. */
typedef struct tgraph_calibration {
    int32_t *item; /* [count] */
    double *score; /* [count] to be filled in */
    int count;     /* 0: the file has no training part */
} tgraph_calibration;

/* Its memory is the rank's. */
tgraph_calibration tgraph_calibration_open(harness_rank *rank, const tgraph_entry *e);

/* Maps the scores of the entry's configurations to ranks among the training configurations by a
   rising step function, so that configurations on one step tie. calibrated, score [e->items].
   Fails: AG_EFINITE. */
ag_status tgraph_calibrate(double *calibrated, const tgraph_calibration *c, const tgraph_entry *e,
                           const double *score, ag_failure *why);

#endif
