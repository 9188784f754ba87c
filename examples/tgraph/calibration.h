/* SPDX-License-Identifier: MIT */
/* Calibration of the scores of one file, learnt from its training configurations. */
#ifndef TGRAPH_CALIBRATION_H
#define TGRAPH_CALIBRATION_H

#include "examples/tgraph/score.h"

enum { TGRAPH_CALIBRATES = 4096 };

/* Of a file that was split: training configurations, at most TGRAPH_CALIBRATES, evenly spread. */
typedef struct tgraph_calibration {
    int32_t *item;        /* [count] */
    double *score;        /* [count] to be filled in */
    int count;            /* 0: the file has no training part */
    tgraph_grades grades; /* of the held-out configurations; configs 0: none */
} tgraph_calibration;

void tgraph_calibration_open(tgraph_calibration *c, const tgraph_entry *e);
void tgraph_calibration_close(tgraph_calibration *c);

/* Grades the entry's configurations after mapping their scores [e->items] to ranks among the
   training configurations by a rising step function, so that configurations on one step tie. If all
   of them tie, there is no order and tau is 0. Fails: AG_EFINITE, and as tgraph_grade. */
ag_status tgraph_calibration_grade(tgraph_calibration *c, const tgraph_entry *e,
                                   const double *score, int tau_a, ag_failure *why);

#endif
