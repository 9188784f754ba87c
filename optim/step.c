/* SPDX-License-Identifier: MIT */
/* The parts of a step that all optimizers share: what they need, and one pass over the flat arrays.
 */
#include "optim/internal.h"
#include "core/cuda/device.h"
#include "core/error.h"
#include "core/parallel.h"

#include <math.h>

enum { BLOCK = 16384 }; /* elements that one thread updates at a time */

/* Index of the first parameter that ends after `offset`. */
static int first_behind(const ag_params *params, int64_t offset)
{
    int low = 0, high = params->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const ag_param *p = params->list[middle];
        if (p->offset + p->count > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

typedef struct task {
    ag_params *params;
    ag__update *update;
    const void *numbers;
} task;

/* Updates the elements of a block of the flat arrays, parameter by parameter. */
static void update_block(void *context, int64_t index, int thread)
{
    const task *t = context;
    const int64_t from = index * BLOCK, to = from + BLOCK;
    (void)thread;
    for (int i = first_behind(t->params, from); i < t->params->count; i++) {
        const ag_param *p = t->params->list[i];
        int64_t begin = p->offset > from ? p->offset : from;
        int64_t end = p->offset + p->count < to ? p->offset + p->count : to;
        if (p->offset >= to) break;
        if (begin < end) t->update(t->params, begin, end - begin, p->decay, t->numbers);
    }
}

ag_status ag__step(ag_params *params, ag__update *update, ag__launch *launch, const void *numbers,
                   ag_failure *why)
{
    task all = {params, update, numbers};
    ag_status status = AG_OK;
    if (params->device == AG_CPU) {
        ag_parallel((params->size + BLOCK - 1) / BLOCK, update_block, &all);
    } else {
        launch(params, numbers);
        params->behind = 1;
        params->clipped = 0; /* the step has multiplied the gradients by the factor */
        status = ag__device_failed(why);
    }
    params->state = status == AG_OK ? AG_EMPTY : AG_BAD;
    params->step += status == AG_OK;
    return status;
}

ag_status ag__need_gradients(ag_params *params, const char *who, ag_failure *why)
{
    ag_status status = ag__need_sound(params, who, why);
    if (status == AG_OK) status = ag__params_learn(params, 0, why);
    if (status != AG_OK || !params->count) return status; /* of no parameter, nothing lacks */
    if (params->state == AG_EMPTY)
        return ag_fail(
            why, AG_EUSE,
            "%s: the parameters hold no gradients; before every step run ag_backward on a "
            "loss that uses them, and ask ag_failed",
            who);
    if (params->state != AG_READY)
        return ag_fail(
            why, AG_EUSE,
            "%s: a failed run left the gradients bad (ag_error of its tape says why); reset "
            "them with ag_params_reset and run ag_backward again",
            who);
    return AG_OK;
}

ag_status ag__check_rates(double lr, double decay, const char *who, ag_failure *why)
{
    if (!(lr >= 0) || !isfinite(lr))
        return ag_fail(why, AG_EUSE,
                       "%s: the learning rate is %g; it must be finite and at least 0", who, lr);
    if (!(decay >= 0) || !isfinite(decay))
        return ag_fail(why, AG_EUSE, "%s: the weight decay is %g; it must be finite and at least 0",
                       who, decay);
    return AG_OK;
}
