/* SPDX-License-Identifier: MIT */
/* One optimizer step: one graph, some of its configurations, their order as the target. */
#include "examples/tgraph/train.h"

#include <math.h>

static ag_tensor *loss_of(const tgraph_settings *s, ag_tensor *score, ag_tensor *rank)
{
    const ag_reduction reduction = s->reduction ? AG_SUM : AG_MEAN;
    switch (s->loss) {
    case TGRAPH_LOSS_LOGISTIC: return ag_pairwise_logistic(score, rank, reduction);
    case TGRAPH_LOSS_LISTMLE: return ag_listmle(score, rank);
    default: return ag_pairwise_hinge(score, rank, (ag_real)s->margin, reduction);
    }
}

static ag_tensor *record(tgraph_training *t, const tgraph_work *work)
{
    const tgraph_entry *e = work->entry;
    const int n = e->tile ? e->configs : work->batch->configs;
    ag_tensor *score =
        e->tile ? tgraph_tile_forward(&t->model, t->tape, &e->program, e->tile->feature, n)
                : tgraph_forward(&t->model, t->tape, &e->program, work->batch->digit, n);
    const int32_t *rank = e->tile ? e->tile->rank : work->batch->rank;
    return loss_of(t->settings, ag_name(score, "scores"), ag_input_i32(t->tape, rank, AG_SHAPE(n)));
}

/* How to go on after a value that is not finite. */
static ag_status not_finite(const tgraph_training *t, const tgraph_entry *e, const char *what,
                            ag_failure *why)
{
    const char *hint = t->settings->check_finite
                           ? "lower --learning-rate"
                           : "lower --learning-rate, or see with --resume --check-finite which op "
                             "made it";
    return ag_fail(why, AG_EFINITE, "step %lld, %.100s: %s; the checkpoints are from before it: %s",
                   (long long)t->state.progress.step + 1, e->name, what, hint);
}

static ag_status backward(tgraph_training *t, const tgraph_work *work, double *value,
                          ag_failure *why)
{
    ag_tape_reset(t->tape);
    ag_tape_seed(t->tape, (uint64_t)t->settings->common.seed, (uint64_t)t->state.progress.step + 1);
    ag_tensor *loss = record(t, work);
    ag_backward(loss);
    *value = (double)ag_item(loss);
    if (ag_failed(t->tape)) {
        if (ag_tape_status(t->tape) == AG_EFINITE)
            return not_finite(t, work->entry, ag_error(t->tape), why);
        return ag_fail(why, ag_tape_status(t->tape), "step %lld, %.100s: %s",
                       (long long)t->state.progress.step + 1, work->entry->name, ag_error(t->tape));
    }
    if (isfinite(*value)) return AG_OK;
    char what[64];
    snprintf(what, sizeof what, "the loss is %g", *value);
    return not_finite(t, work->entry, what, why);
}

ag_status tgraph_train_step(tgraph_training *t, ag_failure *why)
{
    tgraph_progress *p = &t->state.progress;
    tgraph_work work;
    double loss;
    if (tgraph_feed_next(&t->feed, p->step, &work, why) || backward(t, &work, &loss, why))
        return why->status;
    ag_failure mine = {0};
    const double clip = t->settings->clip > 0 ? t->settings->clip : (double)INFINITY;
    if (ag_clip_norm(t->model.params, clip, &t->norm, &mine))
        return mine.status == AG_EFINITE ? not_finite(t, work.entry, mine.sentence, why)
                                         : ag_fail(why, mine.status, "%s", mine.sentence);
    t->rate = ag_schedule_at(&t->schedule, p->step);
    if (ag_adamw_step(t->model.params, &t->adamw, t->rate, why)) return why->status;
    p->step++;
    p->loss_sum += loss;
    p->loss_count++;
    return AG_OK;
}
