/* SPDX-License-Identifier: MIT */
/* What the scores of a file stand for, learnt from its training configurations. */
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

/* Grades the entry's configurations by the places among the training configurations that their
   scores [e->items] stand for: a rising step function, so what it cannot tell apart ties. All tied
   is no order, with a tau of 0. Fails: AG_EFINITE, and as tgraph_grade. */
ag_status tgraph_calibration_grade(tgraph_calibration *c, const tgraph_entry *e,
                                   const double *score, int tau_a, ag_failure *why);

#endif
