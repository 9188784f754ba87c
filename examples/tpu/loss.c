/* SPDX-License-Identifier: MIT */
/* The losses of a step: over the pairs of one kernel's tile sizes, or the error of ln(run time). */
#include "examples/tpu/steps.h"

#include "ops/ops.h"

/* The loss over the pairs of one kernel. */
static ag_tensor *pairs(ag_tensor *score, const tpu_batch *b, int group, int kind, double margin)
{
    const int first = b->group_start[group], n = b->group_start[group + 1] - first;
    ag_tensor *own = ag_slice(score, 0, first, n);
    ag_tensor *rank = ag_input_i32(ag_tape_of(score), b->rank + first, AG_SHAPE(n));
    return kind == TPU_LOSS_HINGE ? ag_pairwise_hinge(own, rank, (ag_real)margin, AG_SUM)
                                  : ag_pairwise_logistic(own, rank, AG_SUM);
}

ag_tensor *tpu_loss(ag_tensor *score, const tpu_batch *b, int kind, double margin)
{
    if (kind == TPU_LOSS_SQUARED)
        return ag_squared_error(score,
                                ag_input(ag_tape_of(score), b->log_runtime, AG_SHAPE(b->samples)));
    ag_tensor *sum = pairs(score, b, 0, kind, margin);
    for (int g = 1; g < b->kernels; g++) sum = ag_add(sum, pairs(score, b, g, kind, margin));
    const double n = b->samples, all = n > 1 ? n * (n - 1) / 2 : 1;
    return ag_scale(sum, (ag_real)(1 / all));
}
