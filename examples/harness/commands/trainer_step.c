/* SPDX-License-Identifier: MIT */
/* One optimizer step. */
#include "examples/harness/commands/trainer.h"

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

static ag_status failed(const harness_session *s, const char *what, ag_failure *why)
{
    return harness_run_failed(
        s->tape, harness_format("step %lld, %.100s", (long long)s->trained.state->step + 1, what),
        s->model->fewer, why);
}

/* The loss, not yet computed; NULL: the failure is in `why`. */
static ag_tensor *backward(harness_session *s, const char **what, ag_failure *why)
{
    ag_tape_reset(s->tape);
    ag_tape_seed(s->tape, (uint64_t)s->settings->common.seed, (uint64_t)s->trained.state->step + 1);
    ag_tensor *loss = s->model->record(s, s->tape, s->trained.state->step, what, why);
    if (loss) ag_backward(loss);
    return loss;
}

static ag_status read_loss(const harness_session *s, const ag_tensor *loss, const char *what,
                           double *value, ag_failure *why)
{
    *value = (double)ag_item(loss);
    if (ag_failed(s->tape)) {
        if (ag_tape_status(s->tape) == AG_EFINITE)
            return not_finite(s, what, ag_error(s->tape), why);
        return failed(s, what, why);
    }
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

/* The loss is checked before anything changes if that is free. A device gets the whole step first,
   and is waited for once. */
ag_status harness_session_step(harness_session *s, ag_failure *why)
{
    harness_state *p = s->trained.state;
    const char *what = "";
    double value = 0;
    ag_tensor *loss = backward(s, &what, why);
    if (!loss) return why->status;
    const int here = ag_tape_device(s->tape) == AG_CPU || ag_failed(s->tape);
    if (here && read_loss(s, loss, what, &value, why)) return why->status;
    if (update(s, what, why)) return why->status;
    if (!here && read_loss(s, loss, what, &value, why)) return why->status;
    if (ag_params_norm(s->trained.params, &s->norm, why)) return of_gradients(s, what, why);
    p->step++;
    p->loss_sum += value;
    p->loss_count++;
    return AG_OK;
}
