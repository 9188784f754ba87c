/* SPDX-License-Identifier: MIT */
/* One optimizer step. */
#include "examples/harness/commands/loader.h"
#include "examples/harness/commands/trainer.h"
#include "core/error.h"

#include <math.h>

/* Fails with advice after a value that is not finite. */
static ag_status not_finite(const harness_session *s, const char *what, const char *happened,
                            ag_failure *why)
{
    const char *hint = s->how.check_finite
                           ? "lower --learning-rate"
                           : "lower --learning-rate, or see with --resume --check-finite which op "
                             "made it";
    return ag_fail(why, AG_EFINITE, "step %lld, %.100s: %s; the checkpoints are from before it: %s",
                   (long long)s->trained.state->step + 1, what, happened, hint);
}

/* The loss, not yet computed; NULL: the failure is in `why`. */
static ag_tensor *backward(harness_session *s, int64_t number, const char **what, ag_failure *why)
{
    ag_tape_begin(s->tape, 1);
    ag_tape_seed(s->tape, (uint64_t)s->settings->common.seed, (uint64_t)number + 1);
    if (s->loader && !(s->batch = harness_loader_next(s->loader, why))) return NULL;
    s->number = number;
    ag_tensor *loss = s->model->record(s, s->tape, what);
    ag_backward(loss);
    return loss;
}

static ag_status read_loss(const harness_session *s, const ag_tensor *loss, const char *what,
                           double *value, ag_failure *why)
{
    const long long step = s->trained.state->step + 1;
    *value = (double)ag_item(loss);
    if (ag_tape_status(s->tape) == AG_EFINITE) return not_finite(s, what, ag_error(s->tape), why);
    if (ag_failed(s->tape))
        return harness_run_failed(s->tape, harness_format("step %lld, %.100s", step, what),
                                  s->model->fewer, why);
    if (isfinite(*value)) return AG_OK;
    return not_finite(s, what, harness_format("the loss is %g", *value), why);
}

/* Says where gradients are not finite. */
static ag_status of_gradients(const harness_session *s, const char *what, ag_failure *why)
{
    const ag_failure mine = *why;
    if (mine.status != AG_EFINITE) return mine.status;
    *why = (ag_failure){0};
    return not_finite(s, what, mine.sentence, why);
}

/* On a device neither call waits. */
static ag_status update(harness_session *s, const char *what, ag_failure *why)
{
    const double clip = s->how.clip > 0 ? s->how.clip : (double)INFINITY;
    if (ag_clip_norm(s->trained.params, clip, NULL, why)) return of_gradients(s, what, why);
    s->rate = ag_schedule_at(&s->schedule, s->trained.state->step - s->trained.state->begun);
    return ag_adamw_step(s->trained.params, &s->adamw, s->rate, why);
}

/* Adds the gradients of all batches; *sum: of their losses. The loss is checked before anything
   changes if that is free. The only batch of a step on a device is not waited for: its loss comes
   back. */
static ag_tensor *add_batches(harness_session *s, const char **what, double *sum, ag_failure *why)
{
    const harness_batches *b = &s->batches;
    ag_tensor *loss = NULL;
    double one = 0;
    for (int64_t i = b->first; i < b->end; i++) {
        loss = backward(s, s->trained.state->step * b->shards + i, what, why);
        if (!loss) return NULL;
        if (b->shards == 1 && ag_tape_device(s->tape) != AG_CPU && !ag_failed(s->tape)) return loss;
        if (read_loss(s, loss, *what, &one, why) || ag_shards_add(s->sum, why)) return NULL;
        if (s->loss) s->loss[i - b->first] = one;
        *sum += one;
    }
    const double begin = harness_seconds();
    ag_shards_mean(s->sum, why);
    s->summing += harness_seconds() - begin;
    return NULL;
}

/* A device gets the whole step before it is waited for. */
ag_status harness_session_step(harness_session *s, ag_failure *why)
{
    harness_state *p = s->trained.state;
    const char *what = "";
    double sum = 0;
    const ag_tensor *late = add_batches(s, &what, &sum, why);
    if (why->status || update(s, what, why)) return why->status;
    if (late && read_loss(s, late, what, &sum, why)) return why->status;
    if (ag_params_norm(s->trained.params, &s->norm, why)) return of_gradients(s, what, why);
    if (harness__trainer_meet(s, &sum, why)) return why->status;
    p->step++;
    p->loss_sum += sum / (double)s->how.shards;
    p->loss_count++;
    return AG_OK;
}
