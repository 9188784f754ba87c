/* SPDX-License-Identifier: MIT */
#include "examples/tpu/model/loss.h"

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

static ag_tensor *centred(ag_tensor *score, const tpu_batch *b)
{
    ag_tape *tape = ag_tape_of(score);
    ag_tensor *starts = ag_input_i32(tape, b->group_start, AG_SHAPE(b->kernels + 1));
    ag_tensor *group = ag_input_i32(tape, b->group, AG_SHAPE(b->samples));
    ag_tensor *mean = ag_segment_mean(ag_reshape(score, AG_SHAPE(b->samples, 1)), starts);
    return ag_sub(score, ag_reshape(ag_gather(mean, group), AG_SHAPE(b->samples)));
}

/* The percentage by which a kernel's time is wrong is nearly the error of its logarithm, so that of
   fusion files is linear early. */
static ag_tensor *huber(ag_tensor *score, const tpu_batch *b)
{
    const ag_real limit = (ag_real)(b->tile ? 0.3 : 0.1);
    const ag_real *target = b->tile ? b->log_centred : b->log_runtime;
    return ag_huber(b->tile ? centred(score, b) : score,
                    ag_input(ag_tape_of(score), target, AG_SHAPE(b->samples)), limit);
}

ag_tensor *tpu_loss(ag_tensor *score, const tpu_batch *b, int kind, double margin)
{
    if (kind == TPU_LOSS_SQUARED)
        return ag_squared_error(score,
                                ag_input(ag_tape_of(score), b->log_runtime, AG_SHAPE(b->samples)));
    if (kind == TPU_LOSS_HUBER) return huber(score, b);
    ag_tensor *sum = pairs(score, b, 0, kind, margin);
    for (int g = 1; g < b->kernels; g++) sum = ag_add(sum, pairs(score, b, g, kind, margin));
    const double n = b->samples, all = n > 1 ? n * (n - 1) / 2 : 1;
    return ag_scale(sum, (ag_real)(1 / all));
}

ag_tensor *tpu_loss_of_members(const tpu_model *m, ag_tape *tape, const tpu_batch *b, int kind,
                               double margin)
{
    const int members = tpu_members(&m->options);
    ag_tensor *sum = NULL;
    for (int i = 0; i < members; i++) {
        ag_tensor *score = ag_name(tpu_forward_member(m, i, tape, b), "scores");
        ag_tensor *loss = tpu_loss(score, b, kind, margin);
        sum = sum ? ag_add(sum, loss) : loss;
    }
    return members > 1 ? ag_scale(sum, (ag_real)(1.0 / members)) : sum;
}
