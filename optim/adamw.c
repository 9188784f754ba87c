/* SPDX-License-Identifier: MIT */
/* Adam and AdamW. */
#include "optim/internal.h"
#include "core/update.h"
#include "core/cuda/device.h"
#include "core/error.h"
#include "core/float_mode.h"

#include <float.h>
#include <math.h>

ag_adamw ag_adamw_default(void) { return (ag_adamw){0.9, 0.999, 1e-8, 0.01}; }
ag_adam ag_adam_default(void) { return (ag_adam){0.9, 0.999, 1e-8, 0}; }

static void update_run(ag_real *restrict w, ag_real *restrict m, ag_real *restrict v,
                       const ag_real *restrict g, int64_t n, ag__adamw u, int decay)
{
    for (int64_t i = 0; i < n; i++) ag__adamw_element(&w[i], &m[i], &v[i], g[i], u, decay);
}

static void update(ag_params *params, int64_t from, int64_t n, int decay, const void *numbers)
{
    update_run(params->value + from, params->m + from, params->v + from, params->gradient + from, n,
               *(const ag__adamw *)numbers, decay);
}

static ag_status check_adamw(ag_params *params, const ag_adamw *o, double lr, const char *who,
                             ag_failure *why)
{
    ag_status status = ag__need_gradients(params, who, why);
    if (status != AG_OK) return status;
    if (!o) return ag__refuse_null(why, who, "options");
    if (!(o->beta1 >= 0 && o->beta1 < 1 && o->beta2 >= 0 && o->beta2 < 1))
        return ag_fail(why, AG_EUSE, "%s: beta1 is %g and beta2 is %g; both must be in [0,1)", who,
                       o->beta1, o->beta2);
    if (!(o->epsilon >= (double)FLT_MIN) || !isfinite(o->epsilon))
        return ag_fail(why, AG_EUSE, "%s: epsilon is %g; it must be finite and at least 1.2e-38",
                       who, o->epsilon);
    return ag__check_rates(lr, o->decay, who, why);
}

static ag_status step(ag_params *params, const ag_adamw *o, double lr, double decay, double l2,
                      ag_failure *why)
{
    const uint64_t mode = ag__float_mode_flush(); /* averages of gradients may have become 0 */
    double t = (double)(params->step + 1);
    ag__adamw u = {
        .b1 = (ag_real)o->beta1,
        .c1 = (ag_real)(1 - o->beta1),
        .b2 = (ag_real)o->beta2,
        .c2 = (ag_real)(1 - o->beta2),
        .rate = (ag_real)(lr / (1 - pow(o->beta1, t))),
        .unbias = (ag_real)(1 / sqrt(1 - pow(o->beta2, t))),
        .epsilon = (ag_real)o->epsilon,
        .keep = (ag_real)(1 - lr * decay),
        .l2 = (ag_real)l2,
    };
    const ag_status status = ag__step(params, update, ag__device_adamw, &u, why);
    ag__float_mode_set(mode);
    return status;
}

ag_status ag_adamw_step(ag_params *params, const ag_adamw *options, double lr, ag_failure *why)
{
    ag_status status = check_adamw(params, options, lr, "ag_adamw_step", why);
    return status != AG_OK ? status : step(params, options, lr, options->decay, 0, why);
}

ag_status ag_adam_step(ag_params *params, const ag_adam *options, double lr, ag_failure *why)
{
    ag_status status = check_adamw(params, options, lr, "ag_adam_step", why);
    return status != AG_OK ? status : step(params, options, lr, 0, options->decay, why);
}
