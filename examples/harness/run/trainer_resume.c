/* SPDX-License-Identifier: MIT */
/* How a run goes on: from its last checkpoint, beyond its end, and not without an improvement. */
#include "examples/harness/run/trained.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* A schedule that begins anew has no warm-up: the optimizer's moments are there. */
ag_schedule harness__trainer_schedule(const harness_training *how, const harness_state *p)
{
    return (ag_schedule){.kind = (ag_schedule_kind)how->schedule,
                         .lr = p->begun ? p->begun_rate : how->learning_rate,
                         .warmup = p->begun ? 0 : (int64_t)ceil(how->warmup * (double)how->steps),
                         .total = how->steps - p->begun,
                         .rate = how->decay_rate,
                         .every = how->decay_every};
}

static int64_t waits_since(const harness_state *p)
{
    return p->best_step > p->begun ? p->best_step : p->begun;
}

/* Counts validations since the best one: nothing of it has to be saved. */
static bool exhausted(const harness_training *how, const harness_state *p)
{
    const int64_t every = how->eval_every;
    return how->patience > 0 && p->step / every - waits_since(p) / every >= how->patience;
}

bool harness__trainer_stopped(const harness_session *s)
{
    return s->validates && s->trained.state->step < s->how.steps &&
           exhausted(&s->how, s->trained.state);
}

void harness__trainer_say_stopped(const harness_session *s)
{
    harness_say("stopped after step %lld of %lld: %s has not improved in %lld validations, since "
                "step %lld (--patience)",
                (long long)s->trained.state->step, (long long)s->how.steps, s->measure[0],
                (long long)s->how.patience, (long long)waits_since(s->trained.state));
}

/* The steps of `before` are done, and more are asked for. */
static ag_status go_beyond(harness_session *s, const harness_training *before, ag_failure *why)
{
    harness_state *p = s->trained.state;
    const harness_training *how = &s->how;
    if (p->step < before->steps && !exhausted(before, p))
        return ag_fail(why, AG_EUSE,
                       "--resume: the run in %.160s has done %lld of its %lld steps; only a "
                       "finished run goes on to %lld: finish it first, without --steps",
                       s->folder, (long long)p->step, (long long)before->steps,
                       (long long)how->steps);
    const ag_schedule old = harness__trainer_schedule(before, p);
    const int other = how->learning_rate != before->learning_rate;
    p->begun_rate = other ? how->learning_rate : ag_schedule_at(&old, p->step - 1 - p->begun);
    p->begun = p->step;
    s->schedule = harness__trainer_schedule(how, p);
    harness_say("the run had ended after step %lld; its schedule begins anew, from the learning "
                "rate %.3g%s",
                (long long)p->step, p->begun_rate, other ? "" : " of its last step");
    return ag_schedule_check(&s->schedule, why);
}

/* More --steps may add none, where other options decide how many there are: then nothing begins
   anew. */
static ag_status keep_schedule(const harness_session *s, const harness_training *before,
                               ag_failure *why)
{
    const harness_training *how = &s->how;
    if (how->learning_rate == before->learning_rate && how->schedule == before->schedule &&
        how->decay_rate == before->decay_rate && how->decay_every == before->decay_every)
        return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "--resume: the run in %.160s still has %lld steps, so its learning rate and "
                   "schedule stay as they were; omit them, or ask for more steps",
                   s->folder, (long long)how->steps);
}

/* A run that was interrupted before its first save starts again. */
ag_status harness__trainer_resume(harness_session *s, ag_failure *why)
{
    const char *last = harness_run_path(s->run, HARNESS_LAST);
    harness_state *p = s->trained.state;
    harness_training before = s->how;
    if (access(last, F_OK) == 0 && harness_trained_resume(last, s, &before, why))
        return why->status;
    if (before.steps < s->how.steps ? go_beyond(s, &before, why) : keep_schedule(s, &before, why))
        return why->status;
    if (p->step > s->how.steps)
        return ag_fail(why, AG_EUSE,
                       "%.200s has done %lld steps already, more than the %lld asked for", last,
                       (long long)p->step, (long long)s->how.steps);
    if (harness_run_reconfig(s->run, s->options, why)) return why->status;
    s->schedule = harness__trainer_schedule(&s->how, p);
    harness_say("going on after step %lld of %lld", (long long)p->step, (long long)s->how.steps);
    harness_device_changed(s->folder, s->options);
    return harness_run_rewind(s->run, p->step, why);
}
