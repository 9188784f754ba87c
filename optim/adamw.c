/* SPDX-License-Identifier: MIT */
/* Adam and AdamW: one pass over the flat arrays. */
#include "optim/internal.h"
#include "core/adamw.h"
#include "core/float_mode.h"
#include "core/parallel.h"

#include <float.h>
#include <math.h>

enum { BLOCK = 16384 }; /* elements that one thread updates at a time */

ag_adamw ag_adamw_default(void) { return (ag_adamw){0.9, 0.999, 1e-8, 0.01}; }
ag_adam ag_adam_default(void) { return (ag_adam){0.9, 0.999, 1e-8, 0}; }

static void update_run(ag_real *restrict w, ag_real *restrict m, ag_real *restrict v,
                       const ag_real *restrict g, int64_t n, ag__adamw u)
{
    for (int64_t i = 0; i < n; i++) ag__adamw_element(&w[i], &m[i], &v[i], g[i], u);
}

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

/* Updates the elements from..to of the flat arrays, parameter by parameter. */
static void update_block(ag_params *params, int64_t from, int64_t to, ag__adamw u)
{
    const ag__adamw plain = ag__adamw_plain(u);
    for (int i = first_behind(params, from); i < params->count; i++) {
        const ag_param *p = params->list[i];
        int64_t begin = p->offset > from ? p->offset : from;
        int64_t end = p->offset + p->count < to ? p->offset + p->count : to;
        if (p->offset >= to) break;
        if (begin < end)
            update_run(params->value + begin, params->m + begin, params->v + begin,
                       params->gradient + begin, end - begin, p->decay ? u : plain);
    }
}

ag_status ag__need_gradients(ag_params *params, const char *who, ag_failure *why)
{
    if (!params) return ag__refuse_null(why, who, "params");
    if (params->failure.status != AG_OK)
        return ag_fail(why, params->failure.status, "%s", params->failure.sentence);
    ag_status status = ag__need_built(params, who, why);
    if (status == AG_OK) status = ag__params_learn(params, 0, why);
    if (status != AG_OK || !params->count) return status; /* of no parameter, nothing lacks */
    if (params->state == AG_EMPTY)
        return ag_fail(why, AG_EUSE,
                       "%s: the parameters hold no gradients; run ag_backward before every step",
                       who);
    if (params->state != AG_READY)
        return ag_fail(
            why, AG_EUSE,
            "%s: a failed run left the gradients bad; reset them with ag_params_reset and run "
            "ag_backward again",
            who);
    return AG_OK;
}

static ag_status check(ag_params *params, const ag_adamw *o, double lr, const char *who,
                       ag_failure *why)
{
    ag_status status = ag__need_gradients(params, who, why);
    if (status != AG_OK) return status;
    if (!o) return ag__refuse_null(why, who, "options");
    if (!(lr >= 0) || !isfinite(lr))
        return ag_fail(why, AG_EUSE,
                       "%s: the learning rate is %g; it must be finite and at least 0", who, lr);
    if (!(o->beta1 >= 0 && o->beta1 < 1 && o->beta2 >= 0 && o->beta2 < 1))
        return ag_fail(why, AG_EUSE, "%s: beta1 is %g and beta2 is %g; both must be in [0,1)", who,
                       o->beta1, o->beta2);
    if (!(o->epsilon >= (double)FLT_MIN) || !isfinite(o->epsilon))
        return ag_fail(why, AG_EUSE, "%s: epsilon is %g; it must be finite and at least 1.2e-38",
                       who, o->epsilon);
    if (!(o->decay >= 0) || !isfinite(o->decay))
        return ag_fail(why, AG_EUSE, "%s: the weight decay is %g; it must be finite and at least 0",
                       who, o->decay);
    return AG_OK;
}

typedef struct task {
    ag_params *params;
    ag__adamw u;
} task;

static void block(void *context, int64_t index, int thread)
{
    const task *t = context;
    const int64_t size = t->params->size, from = index * BLOCK, to = from + BLOCK;
    (void)thread;
    update_block(t->params, from, to < size ? to : size, t->u);
}

static ag_status step_here(ag_params *params, ag__adamw u)
{
    task all = {params, u};
    ag_parallel((params->size + BLOCK - 1) / BLOCK, block, &all);
    return AG_OK;
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
    const ag_status status =
        params->device == AG_CPU ? step_here(params, u) : ag__params_adamw(params, &u, why);
    params->state = status == AG_OK ? AG_EMPTY : AG_BAD;
    params->step += status == AG_OK;
    ag__float_mode_set(mode);
    return status;
}

ag_status ag_adamw_step(ag_params *params, const ag_adamw *options, double lr, ag_failure *why)
{
    ag_status status = check(params, options, lr, "ag_adamw_step", why);
    return status != AG_OK ? status : step(params, options, lr, options->decay, 0, why);
}

ag_status ag_adam_step(ag_params *params, const ag_adam *options, double lr, ag_failure *why)
{
    ag_status status = check(params, options, lr, "ag_adam_step", why);
    return status != AG_OK ? status : step(params, options, lr, 0, options->decay, why);
}
