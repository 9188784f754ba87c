/* SPDX-License-Identifier: MIT */
/* The mean of the gradients of the shards of a step, added as a binary counter counts. While the
   two sums on top of the stack are siblings (equal size, the left one's first shard an even
   multiple of it), they become one; at the end the rest is added from the right. So the sums of an
   interval of shards do not depend on who computes the others. */
#include "core/cuda/device.h"
#include "core/error.h"
#include "core/float_mode.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "optim/shards.h"

#include <string.h>

enum { ADDED = 16384 }; /* numbers that a thread adds at a time */

/* ---- memory ---- */

void *ag__shards_take(const ag__shards_stack *s, size_t bytes)
{
    return s->device == AG_CPU ? ag_alloc(bytes) : ag__device_take(bytes);
}

void ag__shards_give(const ag__shards_stack *s, void *p)
{
    if (s->device == AG_CPU)
        ag_free(p);
    else
        ag__device_give(p);
}

void ag__shards_copy(const ag__shards_stack *s, void *to, const void *from, size_t bytes)
{
    if (s->device != AG_CPU)
        ag__device_copy(to, from, bytes);
    else if (bytes)
        memcpy(to, from, bytes);
}

/* ---- sums ---- */

typedef struct addition {
    ag_real *to;
    const ag_real *x;
    int64_t n;
    ag_real parts;
} addition;

static void add_block(void *context, int64_t index, int thread)
{
    const addition *a = context;
    const int64_t from = index * ADDED, end = from + ADDED < a->n ? from + ADDED : a->n;
    (void)thread;
    for (int64_t i = from; i < end; i++) a->to[i] = (a->to[i] + a->x[i]) / a->parts;
}

/* The last of all additions makes the mean. */
static void join(const ag__shards_stack *s, ag__subtree *left, const ag__subtree *right)
{
    left->size += right->size;
    addition a = {left->sum, right->sum, s->n, 1};
    if (left->size == s->shards) a.parts = (ag_real)s->shards;
    if (s->device == AG_CPU)
        ag_parallel((a.n + ADDED - 1) / ADDED, add_block, &a);
    else
        ag__device_mean(a.to, a.x, a.n, a.parts);
}

static int siblings(const ag__subtree *left, const ag__subtree *right)
{
    return left->size == right->size && left->first / left->size % 2 == 0;
}

static ag_status push_copy(ag__shards_stack *s, ag__subtree x, ag_failure *why)
{
    const size_t bytes = (size_t)s->n * sizeof(ag_real);
    ag_real *sum = s->spares ? s->spare[--s->spares] : ag__shards_take(s, bytes);
    if (!sum)
        return ag_fail(why, AG_EMEMORY,
                       "ag_shards_add: there is no memory for %zu bytes, a copy of the gradients; "
                       "take fewer shards, or a smaller model",
                       bytes);
    ag__shards_copy(s, sum, x.sum, bytes);
    s->at[s->depth++] = (ag__subtree){sum, x.first, x.size};
    return AG_OK;
}

ag_status ag__shards_push(ag__shards_stack *s, ag__subtree x, ag_failure *why)
{
    if (!s->depth || !siblings(&s->at[s->depth - 1], &x)) return push_copy(s, x, why);
    join(s, &s->at[s->depth - 1], &x);
    while (s->depth > 1 && siblings(&s->at[s->depth - 2], &s->at[s->depth - 1])) {
        const ag__subtree right = s->at[--s->depth];
        join(s, &s->at[s->depth - 1], &right);
        s->spare[s->spares++] = right.sum;
    }
    return AG_OK;
}

void ag__shards_forget(ag__shards_stack *s)
{
    while (s->depth) s->spare[s->spares++] = s->at[--s->depth].sum;
}

const ag_real *ag__shards_finish(ag__shards_stack *s)
{
    for (int i = s->depth - 1; i > 0; i--) join(s, &s->at[i - 1], &s->at[i]);
    const ag_real *sum = s->at[0].sum;
    ag__shards_forget(s);
    return sum;
}

static void drop(ag__shards_stack *s)
{
    ag__shards_forget(s);
    for (int i = 0; i < s->spares; i++) ag__shards_give(s, s->spare[i]);
}

/* ---- public ---- */

static int count_of(const ag_ranks *ranks) { return ranks ? ranks->count : 1; }

ag_shards *ag_shards_new(ag_params *params, int64_t shards, ag_ranks *ranks, ag_failure *why)
{
    static const char who[] = "ag_shards_new";
    if (ag__need_built(params, who, why)) return NULL;
    if (shards < count_of(ranks) || shards < 1 || shards > (int64_t)1 << 40) {
        ag_fail(why, AG_EUSE,
                "%s: there are %lld shards; they must be in 1..2^40, and at least one for each of "
                "the %d ranks",
                who, (long long)shards, count_of(ranks));
        return NULL;
    }
    ag_shards *s = ag_alloc(sizeof *s);
    if (!s) {
        ag_fail(why, AG_EMEMORY, "%s: there is no memory for %zu bytes", who, sizeof *s);
        return NULL;
    }
    *s = (ag_shards){.params = params,
                     .ranks = count_of(ranks) > 1 ? ranks : NULL,
                     .own = {.device = params->device, .n = params->size, .shards = shards},
                     .slice = {.device = params->device, .shards = shards}};
    ag_ranks_share(&s->first, &s->end, shards, ranks ? ranks->rank : 0, count_of(ranks));
    s->next = s->first;
    return s;
}

void ag_shards_part(int64_t *first, int64_t *end, const ag_shards *s)
{
    if (first) *first = s ? s->first : 0;
    if (end) *end = s ? s->end : 0;
}

void ag_shards_reset(ag_shards *s)
{
    if (!s) return;
    ag__shards_forget(&s->own);
    ag__shards_forget(&s->slice);
    s->next = s->first;
}

void ag_shards_free(ag_shards *s)
{
    if (!s) return;
    drop(&s->own);
    drop(&s->slice);
    ag__shards_give(&s->own, s->buffer);
    ag_free(s->host);
    ag_free(s->part);
    ag_free(s);
}

static ag_status stayed(const ag_shards *s, const char *who, ag_failure *why)
{
    if (!s) return ag__refuse_null(why, who, "sum");
    if (s->params->device == s->own.device) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "%s: the parameters have moved to another device since ag_shards_new; free the "
                   "sum before ag_params_to, and make another one",
                   who);
}

ag_status ag_shards_add(ag_shards *s, ag_failure *why)
{
    static const char who[] = "ag_shards_add";
    ag_status status = stayed(s, who, why);
    if (!status) status = ag__need_gradients(s->params, who, why);
    if (status) return status;
    if (s->next == s->end)
        return ag_fail(why, AG_EUSE, "%s: all %lld shards have been added; call ag_shards_mean",
                       who, (long long)(s->end - s->first));
    if (s->own.shards > 1 && s->params->size) {
        const uint64_t mode = ag__float_mode_flush();
        status = ag__shards_push(&s->own, (ag__subtree){ag__params_gradient(s->params), s->next, 1},
                                 why);
        ag__float_mode_set(mode);
        if (status) return status;
        ag_params_reset(s->params);
    }
    s->next++;
    return s->own.device == AG_CPU ? AG_OK : ag__device_failed(why);
}

/* The mean goes where the gradients are. */
static ag_status take_mean(ag_shards *s, ag_failure *why)
{
    ag_params *p = s->params;
    const int here = p->device == AG_CPU;
    if (s->ranks) {
        const ag_status status = ag__shards_exchange(s, why);
        if (status) return status;
    } else {
        ag__shards_copy(&s->own, ag__params_gradient(p), ag__shards_finish(&s->own),
                        (size_t)p->size * sizeof(ag_real));
    }
    p->state = AG_READY;
    p->behind = !here;
    return here ? AG_OK : ag__device_failed(why);
}

ag_status ag_shards_mean(ag_shards *s, ag_failure *why)
{
    static const char who[] = "ag_shards_mean";
    ag_status status = stayed(s, who, why);
    if (status) return status;
    if (s->next < s->end)
        return ag_fail(why, AG_EUSE,
                       "%s: %lld of %lld shards have been added; add the others with "
                       "ag_shards_add",
                       who, (long long)(s->next - s->first), (long long)(s->end - s->first));
    if (s->own.depth) {
        const uint64_t mode = ag__float_mode_flush();
        status = take_mean(s, why);
        ag__float_mode_set(mode);
    }
    ag_shards_reset(s);
    return status;
}
