/* SPDX-License-Identifier: MIT */
/* The losses of a step: over pairs or the order of one graph's configurations, or the error of
   ln(run time). */
#include "examples/tgraph/hooks.h"

#include "ops/ops.h"

#include <math.h>

/* ln of the run times, less their mean. Returns what the errors are divided by. */
static double fill_target(ag_real *target, const tgraph_batch *b)
{
    double mean = 0, variance = 0;
    for (int i = 0; i < b->configs; i++) {
        const double time = log((double)b->runtime[i]);
        mean += time / b->configs;
        target[i] = (ag_real)time;
    }
    for (int i = 0; i < b->configs; i++) {
        target[i] -= (ag_real)mean;
        variance += (double)target[i] * (double)target[i] / b->configs;
    }
    return variance + 1e-3;
}

/* Mean square of the errors less their mean, over the variance: a share of it that is not known. */
static ag_tensor *error_of(ag_tensor *score, tgraph_batch *b)
{
    static const ag_real one = 1;
    ag_tape *tape = ag_tape_of(score);
    const int n = b->configs;
    ag_real *target = HARNESS_TAKE(&b->memory, target, n);
    const double spread = fill_target(target, b);
    ag_tensor *e = ag_sub(score, ag_input(tape, target, AG_SHAPE(n)));
    e = ag_reshape(e, AG_SHAPE(n, 1));
    e = ag_linear(e, ag_input(tape, &one, AG_SHAPE(1, 1)), ag_neg(ag_mean_rows(e)));
    return ag_scale(ag_mean_all(ag_square(e)), (ag_real)(1 / spread));
}

static ag_tensor *loss_of(ag_tensor *score, tgraph_batch *b, const tgraph_settings *s)
{
    if (s->loss == TGRAPH_LOSS_ERROR) return error_of(score, b);
    const ag_reduction reduction = s->reduction ? AG_SUM : AG_MEAN;
    ag_tensor *rank = ag_input_i32(ag_tape_of(score), b->rank, AG_SHAPE(b->configs));
    switch (s->loss) {
    case TGRAPH_LOSS_LOGISTIC: return ag_pairwise_logistic(score, rank, reduction);
    case TGRAPH_LOSS_LISTMLE: return ag_listmle(score, rank);
    default: return ag_pairwise_hinge(score, rank, (ag_real)s->margin, reduction);
    }
}

ag_tensor *tgraph_loss(ag_tensor *scores, tgraph_batch *b, const tgraph_settings *s)
{
    const int members = ag_size(scores, 0) / b->configs;
    ag_tensor *sum = loss_of(nests_member_scores(scores, b->configs, 0), b, s);
    for (int m = 1; m < members; m++)
        sum = ag_add(sum, loss_of(nests_member_scores(scores, b->configs, m), b, s));
    return members > 1 ? ag_scale(sum, (ag_real)(1.0 / members)) : sum;
}
