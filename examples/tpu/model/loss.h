/* SPDX-License-Identifier: MIT */
#ifndef TPU_LOSS_H
#define TPU_LOSS_H

#include "examples/tpu/program.h"

/* kind (TPU_LOSS_*) of the scores [samples] of a batch: squared: mean of (score - ln ns)^2;
   hinge and logistic: eq. 1 over the pairs of tile sizes of one kernel, divided by the pairs n (n -
   1) / 2 of all n samples. */
ag_tensor *tpu_loss(ag_tensor *score, const tpu_batch *batch, int kind, double margin);

#endif
