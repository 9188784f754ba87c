/* SPDX-License-Identifier: MIT */
/* Parameters on a device: four flat arrays there, and those on the host as a copy. */
#include "core/cuda/device.h"
#include "core/device.h"
#include "core/error.h"
#include "core/memory.h"
#include "optim/internal.h"

#include <math.h>
#include <string.h>

enum {
    DECAY_GROUP = 16
}; /* elements with one entry of `decays`; parameters begin at multiples of it */

static size_t array_bytes(const ag_params *p) { return (size_t)p->size * sizeof(ag_real); }

ag_status ag__need_built(const ag_params *params, const char *who, ag_failure *why)
{
    if (!params) return ag__refuse_null(why, who, "params");
    if (params->value) return AG_OK;
    return ag_fail(why, AG_EUSE, "%s: the parameters are not built; call ag_params_build first",
                   who);
}

ag_status ag__need_sound(const ag_params *params, const char *who, ag_failure *why)
{
    if (params && params->failure.status != AG_OK)
        return ag_fail(why, params->failure.status, "%s", params->failure.sentence);
    return ag__need_built(params, who, why);
}

ag_status ag__params_send(ag_params *params, ag_failure *why)
{
    const ag_real *from[] = {params->value, params->gradient, params->m, params->v};
    ag__device_doing("upload of parameters");
    for (int i = 0; i < 4; i++)
        ag__device_upload(params->there + i * params->size, from[i], array_bytes(params));
    params->behind = params->unread = params->clipped = 0;
    ag__clip_forget(params->clip);
    return ag__device_failed(why);
}

static ag_real *gradient_of(const ag_params *p) { return p->there + p->size; }

/* The gradients there become what ag_clip_norm promises; a step does not need it. */
static void scale_gradients(ag_params *params)
{
    if (params->clipped) ag__clip_scale(params->clip, gradient_of(params), params->size);
    params->clipped = 0;
}

ag_real *ag__params_gradient(ag_params *params)
{
    if (params->device == AG_CPU) return params->gradient;
    scale_gradients(params);
    return gradient_of(params);
}

ag_status ag_params_fetch(ag_params *params, ag_failure *why)
{
    ag_status status = ag__need_built(params, "ag_params_fetch", why);
    if (status != AG_OK || params->device == AG_CPU || !params->behind) return status;
    ag_real *to[] = {params->value, params->gradient, params->m, params->v};
    ag__device_doing("download of parameters");
    scale_gradients(params);
    for (int i = 0; i < 4; i++)
        ag__device_download(to[i], params->there + i * params->size, array_bytes(params));
    status = ag__device_failed(why);
    params->behind = status != AG_OK;
    return status != AG_OK ? status : ag__params_learn(params, 1, why);
}

/* Which elements have weight decay, a byte for each line. */
static ag_status send_decays(ag_params *params, ag_failure *why)
{
    const size_t lines = (size_t)(params->size / DECAY_GROUP);
    int8_t *decays = ag_alloc(lines + 1);
    if (!decays)
        return ag_fail(why, AG_EMEMORY, "ag_params_to: there is no memory for %d parameters",
                       params->count);
    memset(decays, 0, lines + 1);
    for (int i = 0; i < params->count; i++) {
        const ag_param *p = params->list[i];
        for (int64_t k = p->offset / DECAY_GROUP; k * DECAY_GROUP < p->offset + p->count; k++)
            decays[k] = (int8_t)p->decay;
    }
    ag__device_upload(params->decays, decays, lines);
    ag_free(decays);
    return AG_OK;
}

static ag_status go_there(ag_params *params, ag_failure *why)
{
    ag_status status = ag_device_open(why);
    if (status != AG_OK) return status;
    params->there = ag__device_take(4 * array_bytes(params));
    params->decays = ag__device_take((size_t)(params->size / DECAY_GROUP));
    params->clip = ag__clip_new();
    if (!params->there || !params->decays || !params->clip)
        status =
            ag_fail(why, AG_EMEMORY,
                    "ag_params_to: the CUDA device has %lld bytes free, but %lld numbers in %d "
                    "parameters, their gradients and two moments take %lld",
                    (long long)ag__device_free_bytes(), (long long)params->size, params->count,
                    4 * (long long)array_bytes(params));
    if (status == AG_OK) status = send_decays(params, why);
    if (status == AG_OK) status = ag__params_send(params, why);
    params->device = AG_CUDA;
    if (status != AG_OK) ag__params_leave(params);
    return status;
}

void ag__params_leave(ag_params *params)
{
    if (params->device == AG_CPU) return;
    ag__device_give(params->there);
    ag__device_give(params->decays);
    ag__clip_free(params->clip);
    params->there = NULL;
    params->decays = NULL;
    params->clip = NULL;
    params->behind = params->unread = params->clipped = 0;
    params->device = AG_CPU;
}

ag_status ag_params_to(ag_params *params, ag_device device, ag_failure *why)
{
    ag_status status = ag__need_built(params, "ag_params_to", why);
    if (status != AG_OK || params->device == device) return status;
    if (device == AG_CUDA) return go_there(params, why);
    if (device != AG_CPU)
        return ag_fail(why, AG_EUSE,
                       "ag_params_to: there is no device number %d; give it AG_CPU or AG_CUDA",
                       (int)device);
    status = ag_params_fetch(params, why);
    if (status == AG_OK) ag__params_leave(params);
    return status;
}

/* ---- steps ---- */

ag_status ag__params_learn(ag_params *params, int wait, ag_failure *why)
{
    const ag__clip_found *found = params->unread ? ag__clip_read(params->clip, wait) : NULL;
    if (!found && params->unread && wait) return ag__device_failed(why);
    if (!found) return AG_OK;
    params->unread = 0;
    params->norm = found->norm;
    if (!found->refused) return AG_OK;
    params->step = found->step;
    params->clipped = 0;
    ag__clip_forget(params->clip);
    return ag__refuse_gradients(params, found->at, found->value, found->norm, why);
}

ag_status ag__params_clip(ag_params *params, double most, double *norm, ag_failure *why)
{
    scale_gradients(params);
    ag__clip_measure(params->clip, gradient_of(params), params->size, most, params->step);
    params->unread = params->behind = 1;
    params->clipped = isfinite(most);
    ag_status status = ag__device_failed(why);
    if (status == AG_OK && norm) status = ag__params_learn(params, 1, why);
    if (status == AG_EDEVICE) params->state = AG_BAD;
    if (norm) *norm = params->norm;
    return status;
}
