/* SPDX-License-Identifier: MIT */
/* When a run has waited long enough for a better score. */
#include "examples/harness/model/trained.h"

int64_t harness__waits_since(const harness_state *p)
{
    return p->best_step > p->begun ? p->best_step : p->begun;
}

/* Counts validations since the best one: nothing of it has to be saved. */
bool harness__exhausted(const harness_training *how, const harness_state *p)
{
    const int64_t every = how->eval_every;
    return how->patience > 0 && p->step / every - harness__waits_since(p) / every >= how->patience;
}

bool harness__trainer_stopped(const harness_session *s)
{
    return s->validates && s->trained.state->step < s->how.steps &&
           harness__exhausted(&s->how, s->trained.state);
}
