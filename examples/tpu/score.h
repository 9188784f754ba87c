/* SPDX-License-Identifier: MIT */
/* Scores of all configurations of all kernels by a model. */
#ifndef TPU_SCORE_H
#define TPU_SCORE_H

#include "examples/tpu/model/model.h"

typedef struct tpu_scorer {
    const tpu_model *model;
    const tpu_scaler *scaler;
    ag_tape *tape;
    int samples, nodes;                     /* most of a batch; scores do not depend on them */
    int patient;                            /* 1: continues after an interruption */
    void (*note)(void *user, int64_t done); /* called after each batch; may be NULL */
    void *user;
} tpu_scorer;

/* score[first[k] + c] += weight times the score of configuration c of kernel k, where first[k]
   counts the configurations of the kernels before k: once with weight 1, or once per model of an
   ensemble. The tape is set back to training mode. Fails: AG_ESTOPPED, unless `patient` is 1;
   AG_EFINITE (a score is not finite: names the kernel), AG_EMEMORY. */
ag_status tpu_score(const tpu_scorer *s, double *score, const tpu_data *data, double weight,
                    ag_failure *why);

/* Converts a fusion score to a run time in ns, which is clamped to finite values above 0, since the
   scores of an untrained model may be of any size. */
double tpu_nanoseconds(double score);

#endif
