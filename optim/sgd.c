/* SPDX-License-Identifier: MIT */
/* Stochastic gradient descent: the first moment is the momentum, the second is not used. */
#include "optim/internal.h"
#include "core/cuda/device.h"
#include "core/error.h"
#include "core/float_mode.h"
#include "core/update.h"

#include <math.h>

static void momentum_run(ag_real *restrict w, ag_real *restrict m, const ag_real *restrict g,
                         int64_t n, ag__sgd u, int decay)
{
    for (int64_t i = 0; i < n; i++) ag__sgd_element(&w[i], &m[i], g[i], u, decay);
}

static void update_sgd(ag_params *params, int64_t from, int64_t n, int decay, const void *numbers)
{
    momentum_run(params->value + from, params->m + from, params->gradient + from, n,
                 *(const ag__sgd *)numbers, decay);
}

ag_status ag_sgd_step(ag_params *params, const ag_sgd *o, double lr, ag_failure *why)
{
    static const char who[] = "ag_sgd_step";
    ag_status status = ag__need_gradients(params, who, why);
    if (status == AG_OK && !o) return ag__refuse_null(why, who, "options");
    if (status == AG_OK) status = ag__check_rates(lr, o->decay, who, why);
    if (status != AG_OK) return status;
    if (!(o->momentum >= 0 && o->momentum < 1))
        return ag_fail(why, AG_EUSE, "%s: momentum is %g; it must be in [0,1)", who, o->momentum);
    const uint64_t mode = ag__float_mode_flush();
    const ag__sgd u = {
        .rate = (ag_real)lr,
        .momentum = (ag_real)o->momentum,
        .of_m = o->nesterov ? (ag_real)o->momentum : 1,
        .of_g = o->nesterov ? 1 : 0,
        .l2 = (ag_real)o->decay,
    };
    status = ag__step(params, update_sgd, ag__device_sgd, &u, why);
    ag__float_mode_set(mode);
    return status;
}
