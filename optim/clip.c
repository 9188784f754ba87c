/* SPDX-License-Identifier: MIT */
/* Global-norm clipping. The flat array is cut into pieces that depend on its size alone and the
   sums of the pieces are added in order, so that the norm has the same bits for every number of
   threads. */
#include "optim/internal.h"
#include "core/parallel.h"

#include <math.h>

enum { PIECES = 256, LEAST = 4096, LANES = 8, SCALED = 16384 };

/* Sum of squares with eight partial sums; x has a multiple of eight elements (blocks are padded).
 */
static double sum_squares(const ag_real *x, int64_t n)
{
    double sum[LANES] = {0};
    for (int64_t i = 0; i < n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double value = (double)x[i + k];
            sum[k] += value * value;
        }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

typedef struct task {
    ag_real *x;
    int64_t size, piece;
    double sum[PIECES];
    ag_real factor;
} task;

static void sum_piece(void *context, int64_t i, int thread)
{
    task *t = context;
    const int64_t from = i * t->piece, left = t->size - from;
    (void)thread;
    t->sum[i] = sum_squares(t->x + from, left < t->piece ? left : t->piece);
}

static double norm_of(ag_real *x, int64_t size)
{
    task t = {.x = x, .size = size, .piece = (size / PIECES / LEAST + 1) * LEAST};
    double total = 0;
    ag__parallel_work(size, (size + t.piece - 1) / t.piece, sum_piece, &t);
    for (int i = 0; i < PIECES; i++) total += t.sum[i];
    return sqrt(total);
}

static void scale_piece(void *context, int64_t i, int thread)
{
    const task *t = context;
    const int64_t from = i * t->piece, end = from + t->piece;
    (void)thread;
    for (int64_t k = from; k < end && k < t->size; k++) t->x[k] *= t->factor;
}

static void scale(ag_real *x, int64_t size, ag_real factor)
{
    task t = {.x = x, .size = size, .piece = SCALED, .factor = factor};
    ag__parallel((size + SCALED - 1) / SCALED, scale_piece, &t);
}

/* Marks the gradients bad and names the first one that is not finite. */
static ag_status refuse(ag_params *params, double norm, ag_failure *why)
{
    params->state = AG_BAD;
    if (ag_params_fetch(params, why) != AG_OK) return AG_EDEVICE;
    for (int i = 0; i < params->count; i++) {
        const ag_param *p = params->list[i];
        for (int64_t k = 0; k < p->count; k++)
            if (!isfinite(p->gradient[k]))
                return ag_fail(
                    why, AG_EFINITE,
                    "ag_clip_norm: the gradient of parameter \"%s\" is %g at element %lld of "
                    "%lld (optimizer step %lld); lower the learning rate or look at the inputs "
                    "of this step.",
                    p->name, (double)p->gradient[k], (long long)k, (long long)p->count,
                    (long long)params->step);
    }
    return ag_fail(
        why, AG_EFINITE,
        "ag_clip_norm: the norm of all gradients is %g although each is finite (optimizer step "
        "%lld); they are too large to go on, lower the learning rate.",
        norm, (long long)params->step);
}

static ag_status measure(ag_params *params, double *norm, ag_failure *why)
{
    if (params->device != AG_CPU) return ag__params_norm(params, norm, why);
    *norm = norm_of(params->gradient, params->size);
    return AG_OK;
}

ag_status ag_clip_norm(ag_params *params, double max_norm, double *norm, ag_failure *why)
{
    ag_status status = ag__need_gradients(params, "ag_clip_norm", why);
    if (status != AG_OK) return status;
    if (!(max_norm > 0))
        return ag_fail(why, AG_EUSE, "ag_clip_norm: the largest norm is %g; it must be above 0.",
                       max_norm);
    double n = 0;
    status = measure(params, &n, why);
    if (status != AG_OK) return status;
    if (norm) *norm = n;
    if (!isfinite(n)) return refuse(params, n, why);
    double factor = max_norm / (n + 1e-6);
    if (factor >= 1) return AG_OK;
    if (params->device != AG_CPU) return ag__params_scale(params, (ag_real)factor, why);
    scale(params->gradient, params->size, (ag_real)factor);
    return AG_OK;
}
