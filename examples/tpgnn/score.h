/* SPDX-License-Identifier: MIT */
/* Scores of schedules by a model. */
#ifndef TPGNN_SCORE_H
#define TPGNN_SCORE_H

#include "examples/tpgnn/model.h"

typedef struct tpgnn_scorer {
    const tpgnn_model *model;
    ag_tape *tape;
    int graphs, nodes; /* the most of a batch; scores do not depend on them */
    int patient;       /* 1: an interruption does not stop it */
    ag_failure *bad;   /* NULL: a score that is not finite ends all; else it becomes -INFINITY, and
                          this says of which schedule */
    void (*note)(void *user, int64_t done); /* after each batch; NULL: nobody wants to know */
    void *user;
} tpgnn_scorer;

/* score[i] += weight times the score of schedule i, [schedules]: minus its cost, so that it grows
   with the speed that is predicted. The tape comes back in training mode. Interrupted, it stops at
   once, unless it is patient. Fails: AG_EFINITE (a score is not finite, without `bad`: names the
   schedule), AG_EMEMORY. */
ag_status tpgnn_score(const tpgnn_scorer *s, double *score, const tpgnn_data *data, double weight,
                      ag_failure *why);

#endif
