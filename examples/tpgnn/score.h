/* SPDX-License-Identifier: MIT */
/* Scores of schedules by a model. */
#ifndef TPGNN_SCORE_H
#define TPGNN_SCORE_H

#include "examples/harness/harness.h"
#include "examples/tpgnn/model/model.h"

typedef struct tpgnn_scorer {
    const tpgnn_model *model;
    ag_tape *tape;
    int graphs, nodes; /* most of a batch; scores do not depend on them */
    int patient;       /* 1: continues after an interruption */
} tpgnn_scorer;

/* score [schedules]: the cost of each, which is small where a short run time is expected. The tape
   is set back to training mode. Fails: AG_ESTOPPED, unless `patient` is 1; AG_EFINITE (a score is
   not finite: names the schedule), AG_EMEMORY. */
ag_status tpgnn_score(const tpgnn_scorer *s, double *score, const tpgnn_data *data,
                      ag_failure *why);

#endif
