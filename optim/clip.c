/* SPDX-License-Identifier: MIT */
/* Global-norm clipping. The flat array is cut into pieces that depend only on its size and the
   sums of the pieces are added in order, so that the norm has the same bits for every number of
   threads. */
#include "optim/internal.h"
#include "core/error.h"
#include "core/float_mode.h"
#include "core/parallel.h"

#include <math.h>

enum { PIECES = 256, LEAST = 4096, SUMS = 8, SCALED = 16384 };

/* Sum of squares with eight partial sums; x has a multiple of eight elements (blocks are padded).
 */
static double sum_squares(const ag_real *x, int64_t n)
{
    double sum[SUMS] = {0};
    for (int64_t i = 0; i < n; i += SUMS)
        for (int k = 0; k < SUMS; k++) {
            double value = (double)x[i + k];
            sum[k] += value * value;
        }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

typedef struct norm_task {
    ag_real *x;
    int64_t size, piece;
    double sum[PIECES];
    ag_real factor;
} norm_task;

static void sum_piece(void *context, int64_t i, int thread)
{
    norm_task *t = context;
    const int64_t from = i * t->piece, left = t->size - from;
    (void)thread;
    t->sum[i] = sum_squares(t->x + from, left < t->piece ? left : t->piece);
}

static double norm_of(ag_real *x, int64_t size)
{
    norm_task t = {.x = x, .size = size, .piece = (size / PIECES / LEAST + 1) * LEAST};
    double total = 0;
    ag__parallel_work(size, (size + t.piece - 1) / t.piece, sum_piece, &t);
    for (int i = 0; i < PIECES; i++) total += t.sum[i];
    return sqrt(total);
}

static void scale_piece(void *context, int64_t i, int thread)
{
    const norm_task *t = context;
    const int64_t from = i * t->piece, end = from + t->piece;
    (void)thread;
    for (int64_t k = from; k < end && k < t->size; k++) t->x[k] *= t->factor;
}

static void scale(ag_real *x, int64_t size, ag_real factor)
{
    norm_task t = {.x = x, .size = size, .piece = SCALED, .factor = factor};
    ag_parallel((size + SCALED - 1) / SCALED, scale_piece, &t);
}

ag_status ag__refuse_gradients(ag_params *params, int64_t at, ag_real value, double norm,
                               ag_failure *why)
{
    params->state = AG_BAD;
    for (int i = 0; i < params->count; i++) {
        const ag_param *p = params->list[i];
        if (at >= p->offset && at < p->offset + p->count)
            return ag_fail(
                why, AG_EFINITE,
                "ag_clip_norm: the gradient of parameter \"%s\" is %g at element %lld of "
                "%lld (optimizer step %lld); lower the learning rate or look at the inputs "
                "of this step",
                p->name, (double)value, (long long)(at - p->offset), (long long)p->count,
                (long long)params->step);
    }
    return ag_fail(
        why, AG_EFINITE,
        "ag_clip_norm: the norm of all gradients is %g although each is finite (optimizer step "
        "%lld); they are too large to go on, lower the learning rate",
        norm, (long long)params->step);
}

/* Index of the first that is not finite; -1: all are. */
static int64_t first_bad(const ag_real *x, int64_t n)
{
    int64_t i = 0;
    while (i < n && isfinite(x[i])) i++;
    return i < n ? i : -1;
}

static ag_status clip_here(ag_params *params, double most, ag_failure *why)
{
    const double norm = params->norm = norm_of(params->gradient, params->size);
    if (!isfinite(norm)) {
        const int64_t at = first_bad(params->gradient, params->size);
        return ag__refuse_gradients(params, at, at < 0 ? 0 : params->gradient[at], norm, why);
    }
    const double factor = most / (norm + 1e-6);
    if (factor < 1) scale(params->gradient, params->size, (ag_real)factor);
    return AG_OK;
}

ag_status ag_clip_norm(ag_params *params, double max_norm, double *norm, ag_failure *why)
{
    ag_status status = ag__need_gradients(params, "ag_clip_norm", why);
    if (status != AG_OK) return status;
    if (!(max_norm > 0))
        return ag_fail(why, AG_EUSE, "ag_clip_norm: the largest norm is %g; it must be above 0",
                       max_norm);
    if (params->device != AG_CPU) return ag__params_clip(params, max_norm, norm, why);
    const uint64_t mode = ag__float_mode_enter();
    status = clip_here(params, max_norm, why);
    ag__float_mode_set(mode);
    if (norm) *norm = params->norm;
    return status;
}

ag_status ag_params_norm(ag_params *params, double *norm, ag_failure *why)
{
    ag_status status = ag__need_built(params, "ag_params_norm", why);
    if (status != AG_OK) return status;
    status = ag__params_learn(params, 1, why);
    if (status == AG_OK && params->norm < 0)
        return ag_fail(why, AG_EUSE,
                       "ag_params_norm: no norm has been measured; call ag_clip_norm first");
    if (norm) *norm = params->norm;
    return status;
}
