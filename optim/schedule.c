/* SPDX-License-Identifier: MIT */
/* Learning rates as functions of the step. */
#include "optim/internal.h"
#include "core/error.h"
#include "core/float_mode.h"

#include <math.h>

ag_status ag_schedule_check(const ag_schedule *s, ag_failure *why)
{
    if (!s) return ag_fail(why, AG_EUSE, "schedule: it is NULL; give one");
    int decays = s->kind == AG_COSINE || s->kind == AG_LINEAR;
    if (s->kind < AG_CONSTANT || s->kind > AG_EXPONENTIAL)
        return ag_fail(why, AG_EUSE, "schedule: kind %d is unknown; use one of ag_schedule_kind",
                       (int)s->kind);
    if (!(s->lr >= 0) || !isfinite(s->lr))
        return ag_fail(why, AG_EUSE,
                       "schedule: the learning rate is %g; it must be finite and at least 0",
                       s->lr);
    if (s->warmup < 0)
        return ag_fail(why, AG_EUSE, "schedule: warm-up takes %lld steps; it must be 0 or more",
                       (long long)s->warmup);
    if (decays && s->total < 1)
        return ag_fail(why, AG_EUSE,
                       "schedule: %lld steps in total leave no step to decay over: the rate would "
                       "have its last value from the start; give the number of steps, 1 or more",
                       (long long)s->total);
    if (decays && s->total < s->warmup)
        return ag_fail(
            why, AG_EUSE,
            "schedule: %lld steps in total are fewer than the %lld of the warm-up, which they "
            "include; raise the total",
            (long long)s->total, (long long)s->warmup);
    if (decays && !(s->last >= 0 && s->last <= 1))
        return ag_fail(why, AG_EUSE,
                       "schedule: the last share of the rate is %g; it must be in [0,1]", s->last);
    if (s->kind == AG_EXPONENTIAL && !(s->rate > 0 && s->rate <= 1))
        return ag_fail(why, AG_EUSE, "schedule: the decay rate is %g; it must be in (0,1]",
                       s->rate);
    if (s->kind == AG_EXPONENTIAL && s->every < 1)
        return ag_fail(why, AG_EUSE,
                       "schedule: the rate decays every %lld steps; it must be 1 or more",
                       (long long)s->every);
    return AG_OK;
}

/* Share of the way from the end of the warm-up to the last step, 0 to 1. */
static double progress(const ag_schedule *s, double since)
{
    double span = (double)(s->total - s->warmup);
    return since < span ? since / span : 1;
}

static double rate_at(const ag_schedule *s, int64_t step)
{
    const double pi = 3.14159265358979323846;
    if (step < s->warmup) return s->lr * ((double)step / (double)s->warmup);
    double since = (double)(step - s->warmup);
    switch (s->kind) {
    case AG_COSINE:
        return s->lr * (s->last + (1 - s->last) * 0.5 * (1 + cos(pi * progress(s, since))));
    case AG_LINEAR: return s->lr * (s->last + (1 - s->last) * (1 - progress(s, since)));
    case AG_EXPONENTIAL: return s->lr * pow(s->rate, since / (double)s->every);
    default: return s->lr;
    }
}

double ag_schedule_at(const ag_schedule *s, int64_t step)
{
    if (!s) return (double)NAN;
    const uint64_t mode = ag__float_mode_enter();
    const volatile double rate = rate_at(s, step < 0 ? 0 : step);
    ag__float_mode_set(mode);
    return rate;
}
