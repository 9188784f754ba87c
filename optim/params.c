/* SPDX-License-Identifier: MIT */
/* Named parameters in flat blocks. Declarations come first, memory and values with ag_params_build.
 */
#include "optim/internal.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"
#include "core/shape.h"

#include <string.h>

enum { LINE = 64 / (int)sizeof(ag_real) }; /* elements to a 64-byte boundary */

/* A parameter with what build needs to know; list[i] points to the first member. */
typedef struct declared {
    ag_param param;
    ag_init init;
} declared;

/* The public struct, and what a failed ag_params_add returns. */
typedef struct block {
    ag_params params;
    ag_param nowhere;
} block;

static ag_param no_block; /* for callers that ignored a failed ag_params_new */

ag_params *ag_params_new(void)
{
    block *b = ag_alloc(sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->params.arena = ag_arena_new();
    if (!b->params.arena) {
        ag_free(b);
        return NULL;
    }
    b->params.norm = -1;
    b->nowhere.name = "";
    b->nowhere.shape = AG_SHAPE(0);
    b->nowhere.block = &b->params;
    return &b->params;
}

void ag_params_free(ag_params *params)
{
    if (!params) return;
    ag__params_leave(params);
    ag_arena_free(params->arena);
    ag_free(params->list);
    ag_free(params);
}

static ag_status check_name(const ag_params *params, const char *name, ag_failure *why)
{
    if (!ag__plain_name(name, 127, '!'))
        return ag_fail(
            why, AG_EUSE,
            "ag_params_add: the name of parameter %d is \"%.40s\"; a name has 1 to 127 printable "
            "ASCII characters and no space",
            params->count, name ? name : "(null)");
    if (ag__begins_with(name, "optimizer.") || ag__begins_with(name, "state.") ||
        strcmp(name, "__metadata__") == 0)
        return ag_fail(why, AG_EUSE,
                       "ag_params_add: the name \"%s\" is taken in checkpoints; choose one that "
                       "does not begin "
                       "with \"optimizer.\" or \"state.\" and is not \"__metadata__\"",
                       name);
    if (ag_params_find(params, name))
        return ag_fail(
            why, AG_EUSE,
            "ag_params_add: there is a parameter \"%s\" already; give every layer and parameter a "
            "name of its own",
            name);
    return AG_OK;
}

static ag_status check(const ag_params *params, const char *name, ag_shape shape, ag_init init,
                       ag_failure *why)
{
    char text[64];
    if (params->value)
        return ag_fail(why, AG_EUSE,
                       "ag_params_add: the parameters are built already; add \"%.127s\" before "
                       "ag_params_build",
                       name ? name : "(null)");
    if (check_name(params, name, why) != AG_OK) return why->status;
    if (ag_shape_count(shape) < 0)
        return ag_fail(
            why, AG_ESHAPE,
            "ag_params_add: parameter \"%s\" has shape %s; sizes must be 0 or more with at most "
            "2^40 elements in up to 4 axes",
            name, ag_shape_text(text, shape));
    return ag__init_check(init, shape, name, "ag_params_add", why);
}

ag_param *ag_params_add(ag_params *params, const char *name, ag_shape shape, ag_init init,
                        int decay)
{
    if (!params) return &no_block;
    ag_param *nowhere = &((block *)params)->nowhere;
    if (params->failure.status != AG_OK) return nowhere;
    if (check(params, name, shape, init, &params->failure) != AG_OK) return nowhere;

    size_t bytes = strlen(name) + 1;
    const int full =
        ag__reserve(&params->list, &params->capacity, params->count + 1, sizeof *params->list);
    declared *d = full ? NULL : ag_arena_take(params->arena, sizeof *d);
    char *copy = d ? ag_arena_take(params->arena, bytes) : NULL;
    if (!copy) {
        ag_fail(&params->failure, AG_EMEMORY,
                "ag_params_add: there is no memory for parameter \"%s\"", name);
        return nowhere;
    }
    memcpy(copy, name, bytes);
    *d = (declared){.init = init};
    d->param = (ag_param){.name = copy, .shape = shape, .block = params, .decay = decay != 0};
    d->param.count = ag_shape_count(shape);
    d->param.offset = params->size;
    params->size += (d->param.count + LINE - 1) / LINE * LINE;
    params->list[params->count++] = &d->param;
    return &d->param;
}

void ag_param_init(ag_param *param, ag_init init)
{
    ag_params *params = param ? param->block : NULL;
    if (!params || params->failure.status != AG_OK) return; /* also for what a failed call gave */
    if (params->value)
        ag_fail(&params->failure, AG_EUSE,
                "ag_param_init: the parameters are built already; give \"%s\" its initial values "
                "before ag_params_build",
                param->name);
    else if (!ag__init_check(init, param->shape, param->name, "ag_param_init", &params->failure))
        ((declared *)param)->init = init;
}

/* 1: the last part of its name has this word. */
static int is_called(const ag_param *p, const char *word)
{
    const char *dot = strrchr(p->name, '.');
    return strstr(dot ? dot : p->name, word) != NULL;
}

void ag_params_init(ag_params *params, const char *prefix, ag_init weights, ag_init biases)
{
    for (int i = 0; params && i < params->count; i++) {
        ag_param *p = params->list[i];
        if (prefix && !ag__begins_with(p->name, prefix)) continue;
        if (p->shape.rank >= 2 && is_called(p, "weight")) ag_param_init(p, weights);
        if (p->shape.rank == 1 && is_called(p, "bias")) ag_param_init(p, biases);
    }
}

/* The four flat arrays, zeroed, in one piece of memory. */
static int take_arrays(ag_params *params)
{
    size_t n = (size_t)(params->size ? params->size : LINE);
    size_t bytes = ag_size_mul(ag_size_mul(4, n), sizeof(ag_real));
    ag_real *all = bytes == SIZE_MAX ? NULL : ag_arena_take(params->arena, bytes);
    if (!all) return 0;
    memset(all, 0, bytes);
    params->value = all;
    params->gradient = all + n;
    params->m = all + 2 * n;
    params->v = all + 3 * n;
    return 1;
}

ag_status ag_params_build(ag_params *params, uint64_t seed)
{
    if (!params) return AG_EMEMORY;
    if (params->failure.status != AG_OK) return params->failure.status;
    if (params->value)
        return ag_fail(&params->failure, AG_EUSE,
                       "ag_params_build: the parameters are built already");
    if (!take_arrays(params))
        return ag_fail(
            &params->failure, AG_EMEMORY,
            "ag_params_build: there is no memory for %lld numbers in %d parameters, their "
            "gradients and two moments",
            (long long)params->size, params->count);
    for (int i = 0; i < params->count; i++) {
        ag_param *p = params->list[i];
        p->value = params->value + p->offset;
        p->gradient = params->gradient + p->offset;
        ag__init_fill(p->value, ((declared *)p)->init, p->shape, (ag_random){seed, (uint64_t)i, 0});
    }
    return AG_OK;
}

ag_param *ag_params_find(const ag_params *params, const char *name)
{
    for (int i = 0; params && name && i < params->count; i++)
        if (strcmp(params->list[i]->name, name) == 0) return params->list[i];
    return NULL;
}

int64_t ag_params_count(const ag_params *params)
{
    int64_t n = 0;
    for (int i = 0; params && i < params->count; i++) n += params->list[i]->count;
    return n;
}

void ag_params_reset(ag_params *params)
{
    if (!params) return;
    params->state = AG_EMPTY;
    params->clipped = 0;
}
