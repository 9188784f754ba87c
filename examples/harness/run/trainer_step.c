/* SPDX-License-Identifier: MIT */
/* One optimizer step. */
#include "examples/harness/run/trainer.h"

#include <math.h>

/* Fails with advice after a value that is not finite. */
static ag_status not_finite(const harness_trainer *t, const char *what, const char *happened,
                            ag_failure *why)
{
    const char *hint = t->how->check_finite
                           ? "lower --learning-rate"
                           : "lower --learning-rate, or see with --resume --check-finite which op "
                             "made it";
    return ag_fail(why, AG_EFINITE, "step %lld, %.100s: %s; the checkpoints are from before it: %s",
                   (long long)t->state->step + 1, what, happened, hint);
}

static ag_status failed(const harness_trainer *t, const char *what, ag_failure *why)
{
    const harness_portion portion =
        t->of.portion ? t->of.portion(t->of.user) : (harness_portion){0};
    char where[160];
    snprintf(where, sizeof where, "step %lld, %.100s", (long long)t->state->step + 1, what);
    return harness_run_failed(&portion, t->tape, where, why);
}

/* The loss, whose value is not known yet; NULL: the failure is in `why`. */
static ag_tensor *backward(harness_trainer *t, const char **what, ag_failure *why)
{
    ag_tape_reset(t->tape);
    ag_tape_seed(t->tape, (uint64_t)t->of.seed, (uint64_t)t->state->step + 1);
    ag_tensor *loss = t->of.record(t->of.user, t->tape, t->state->step, what, why);
    if (loss) ag_backward(loss);
    return loss;
}

static ag_status read_loss(const harness_trainer *t, const ag_tensor *loss, const char *what,
                           double *value, ag_failure *why)
{
    *value = (double)ag_item(loss);
    if (ag_failed(t->tape)) {
        if (ag_tape_status(t->tape) == AG_EFINITE)
            return not_finite(t, what, ag_error(t->tape), why);
        return failed(t, what, why);
    }
    if (isfinite(*value)) return AG_OK;
    char happened[64];
    snprintf(happened, sizeof happened, "the loss is %g", *value);
    return not_finite(t, what, happened, why);
}

static ag_status of_gradients(const harness_trainer *t, const char *what, const ag_failure *mine,
                              ag_failure *why)
{
    return mine->status == AG_EFINITE ? not_finite(t, what, mine->sentence, why)
                                      : ag_fail(why, mine->status, "%s", mine->sentence);
}

/* On a device neither call waits. */
static ag_status update(harness_trainer *t, const char *what, ag_failure *why)
{
    ag_failure mine = {0};
    const double clip = t->how->clip > 0 ? t->how->clip : (double)INFINITY;
    if (ag_clip_norm(t->of.params, clip, NULL, &mine)) return of_gradients(t, what, &mine, why);
    t->rate = ag_schedule_at(&t->schedule, t->state->step);
    return ag_adamw_step(t->of.params, &t->adamw, t->rate, why);
}

static ag_status read_norm(harness_trainer *t, const char *what, ag_failure *why)
{
    ag_failure mine = {0};
    if (ag_params_norm(t->of.params, &t->norm, &mine)) return of_gradients(t, what, &mine, why);
    return AG_OK;
}

/* The loss is checked before anything changes if that is free. A device gets the whole step first,
   and is waited for once. */
ag_status harness_trainer_step(harness_trainer *t, ag_failure *why)
{
    harness_state *p = t->state;
    const char *what = "";
    double value = 0;
    ag_tensor *loss = backward(t, &what, why);
    if (!loss) return why->status;
    const int here = ag_tape_device(t->tape) == AG_CPU || ag_failed(t->tape);
    if (here && read_loss(t, loss, what, &value, why)) return why->status;
    if (update(t, what, why)) return why->status;
    if (!here && read_loss(t, loss, what, &value, why)) return why->status;
    if (read_norm(t, what, why)) return why->status;
    p->step++;
    p->loss_sum += value;
    p->loss_count++;
    return AG_OK;
}
