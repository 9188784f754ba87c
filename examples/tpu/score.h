/* SPDX-License-Identifier: MIT */
/* Scores of all configurations of all kernels by a model. */
#ifndef TPU_SCORE_H
#define TPU_SCORE_H

#include "examples/tpu/model.h"
#include "examples/tpu/pass.h"

typedef struct tpu_scorer {
    const tpu_model *model;
    const tpu_scaler *scaler;
    ag_tape *tape;
    int samples, nodes;                     /* the most of a batch; scores do not depend on them */
    int patient;                            /* 1: an interruption does not stop it */
    void (*note)(void *user, int64_t done); /* after each batch; NULL: nobody wants to know */
    void *user;
} tpu_scorer;

/* score[first[k] + c] += weight times the score of configuration c of kernel k, where first[k]
   counts the configurations of the kernels before k: once with weight 1, or once per model of an
   ensemble. The tape comes back in training mode. Interrupted, it stops at once, unless it is
   patient. Fails: AG_EFINITE (a score is not finite: names the kernel), AG_EMEMORY. */
ag_status tpu_score(const tpu_scorer *s, double *score, const tpu_data *data, double weight,
                    ag_failure *why);

/* How many scores those are. */
int64_t tpu_scores(const tpu_data *data);

/* The run time that a fusion score stands for. Finite and above 0: a model may say anything in its
   first steps. */
double tpu_nanoseconds(double score);

#endif
