/* SPDX-License-Identifier: MIT */
/* Parameters, moments and the step in a checkpoint. */
#include "core/float_mode.h"
#include "core/error.h"
#include "core/io/safetensors_internal.h"
#include "core/memory.h"
#include "core/shape.h"
#include "optim/internal.h"

#include <math.h>
#include <string.h>

/* The arrays that are stored of each parameter, and their names: value, then the moments. */
enum { VALUE, MOMENT_1, MOMENT_2, PARTS };
static const char *const prefix[PARTS] = {"", "optimizer.m.", "optimizer.v."};
static const char step_name[] = "optimizer.step";
enum { NAME_BYTES = 160 }; /* longest prefix, 127 characters, 0 */

static ag_real *part_of(const ag_params *params, const ag_param *p, int part)
{
    ag_real *flat[PARTS] = {params->value, params->m, params->v};
    return flat[part] + p->offset;
}

/* ---- save * ---- */

/* Fills items (count x parts of them) and returns 0 if there is no memory for the names. */
static int list_items(ag_checkpoint_item *items, ag_arena *names, const ag_params *params,
                      int parts)
{
    for (int part = 0; part < parts; part++)
        for (int i = 0; i < params->count; i++) {
            const ag_param *p = params->list[i];
            char *name = ag_arena_take(names, NAME_BYTES);
            if (!name) return 0;
            snprintf(name, NAME_BYTES, "%s%s", prefix[part], p->name);
            *items++ = (ag_checkpoint_item){name, AG__REAL, p->shape, part_of(params, p, part)};
        }
    return 1;
}

static ag_status check_extra(const ag_checkpoint_item *extra, int n, ag_failure *why)
{
    if (n > 0 && !extra) return ag__refuse_null(why, "ag_params_save", "extra");
    for (int i = 0; i < n; i++)
        if (!extra[i].name || !ag__begins_with(extra[i].name, "state."))
            return ag_fail(
                why, AG_EUSE,
                "ag_params_save: the name of extra tensor %d is \"%.100s\"; it must begin with "
                "\"state.\"",
                i, extra[i].name ? extra[i].name : "(null)");
    return AG_OK;
}

ag_status ag_params_save(const char *path, const ag_params *params, int resume,
                         const ag_checkpoint_item *extra, int n, const ag_checkpoint_pair *metadata,
                         int pairs, ag_failure *why)
{
    ag_status status = ag__need_sound(params, "ag_params_save", why);
    if (status == AG_OK && !path) status = ag__refuse_null(why, "ag_params_save", "path");
    if (status == AG_OK) status = check_extra(extra, n, why);
    if (status == AG_OK) status = ag_params_fetch((ag_params *)params, why); /* only the copy */
    if (status != AG_OK) return status;

    int64_t step = params->step;
    int parts = resume ? PARTS : 1, count = params->count * parts;
    size_t most = ag_size_add(ag_size_add((size_t)count, (size_t)n), 1);
    ag_arena *names = ag_arena_new();
    ag_checkpoint_item *items = ag_alloc(ag_size_mul(most, sizeof *items));
    if (names && items && list_items(items, names, params, parts)) {
        if (resume) items[count++] = (ag_checkpoint_item){step_name, AG_I64, AG_SCALAR, &step};
        if (n > 0) memcpy(items + count, extra, (size_t)n * sizeof *items);
        status = ag_checkpoint_save(path, items, count + n, metadata, pairs, why);
    } else {
        status = ag_fail(why, AG_EMEMORY,
                         "ag_params_save: there is no memory to list %d parameters", params->count);
    }
    ag_free(items);
    ag_arena_free(names);
    return status;
}

/* ---- load * ---- */

static const ag_checkpoint_item *find_part(const ag_checkpoint *c, const ag_param *p, int part)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s%s", prefix[part], p->name);
    return ag_checkpoint_find(c, name);
}

/* PyTorch's batch norms count their steps, in int64. */
static int is_counter(const char *name)
{
    static const char ending[] = "num_batches_tracked";
    const size_t n = strlen(name), most = sizeof ending - 1;
    return n >= most && strcmp(name + n - most, ending) == 0;
}

/* 1 if the model has a use for a tensor of this name, or may ignore it. */
static int expected(const ag_params *params, const char *name, int resume)
{
    if (ag__begins_with(name, "state.") || is_counter(name)) return 1;
    if (!ag__begins_with(name, "optimizer.")) return ag_params_find(params, name) != NULL;
    if (!resume || strcmp(name, step_name) == 0) return 1;
    for (int part = MOMENT_1; part < PARTS; part++)
        if (ag__begins_with(name, prefix[part]) &&
            ag_params_find(params, name + strlen(prefix[part])))
            return 1;
    return 0;
}

static const char *tensors(int count) { return count == 1 ? "tensor is" : "tensors are"; }

/* Compares the names both ways and reports the first of each kind. */
static ag_status check_names(const ag_params *params, const ag_checkpoint *c, int resume,
                             ag_failure *why)
{
    char missing[NAME_BYTES] = "", unexpected[AG__QUOTE] = "";
    int few = 0, many = 0;
    for (int i = 0; i < c->count; i++)
        if (!expected(params, c->entries[i].item.name, resume) && many++ == 0)
            ag__quote(unexpected, c->entries[i].item.name);
    for (int part = 0; part < (resume ? PARTS : 1); part++)
        for (int i = 0; i < params->count; i++)
            if (!find_part(c, params->list[i], part) && few++ == 0)
                snprintf(missing, sizeof missing, "%s%s", prefix[part], params->list[i]->name);
    if (resume && !ag_checkpoint_find(c, step_name) && few++ == 0)
        snprintf(missing, sizeof missing, "%s", step_name);
    if (few == 0 && many == 0) return AG_OK;
    char lacks[NAME_BYTES + 40], has[AG__QUOTE + 40];
    snprintf(lacks, sizeof lacks, "%d %s missing (first \"%.90s\")", few, tensors(few), missing);
    snprintf(has, sizeof has, "%d %s unexpected (first \"%s\")", many, tensors(many), unexpected);
    return ag_fail(why, AG_EDATA, "%.160s: %s%s%s; the file %s", c->path, few ? lacks : "",
                   few && many ? " and " : "", many ? has : "",
                   resume ? "belongs to another model or has no optimizer state"
                          : "belongs to another model");
}

/* Element i of a real tensor whose data may be unaligned. */
static double element(const ag_checkpoint_item *item, int64_t i)
{
    const unsigned char *data = item->data;
    float narrow;
    double wide;
    if (item->dtype == AG_F64) {
        memcpy(&wide, data + 8 * i, sizeof wide);
        return wide;
    }
    memcpy(&narrow, data + 4 * i, sizeof narrow);
    return (double)narrow;
}

static ag_status check_tensor(const ag_checkpoint *c, const ag_checkpoint_item *item,
                              ag_shape shape, ag_failure *why)
{
    char have[64], want[64];
    if (item->dtype != AG_F32 && item->dtype != AG_F64)
        return ag_fail(why, AG_EDATA, "%s: tensor \"%.139s\" is %s; float32 or float64 is wanted",
                       c->path, item->name, ag_dtype_name(item->dtype));
    if (!ag_shape_equal(item->shape, shape))
        return ag_fail(
            why, AG_ESHAPE,
            "%s: tensor \"%.139s\" has shape %s, the model wants %s; make the layers as large as "
            "in the file",
            c->path, item->name, ag_shape_text(have, item->shape), ag_shape_text(want, shape));
    for (int64_t i = 0; i < ag_shape_count(shape); i++)
        if (!isfinite((ag_real)element(item, i)))
            return ag_fail(
                why, AG_EFINITE,
                "%s: tensor \"%.139s\" is %g at element %lld; only numbers that are finite "
                "as %s can be loaded",
                c->path, item->name, element(item, i), (long long)i, ag_dtype_name(AG__REAL));
    return AG_OK;
}

static ag_status read_step(int64_t *step, const ag_checkpoint *c, ag_failure *why)
{
    ag_status status = ag_checkpoint_read(c, step_name, AG_I64, AG_SCALAR, step, why);
    if (status == AG_OK && (*step < 0 || *step == INT64_MAX))
        return ag_fail(why, AG_EDATA, "%s: optimizer.step is %lld; it must be 0 or more", c->path,
                       (long long)*step);
    return status;
}

static void copy(ag_real *out, const ag_checkpoint_item *item)
{
    int64_t n = ag_shape_count(item->shape);
    for (int64_t i = 0; i < n; i++) out[i] = (ag_real)element(item, i);
}

static ag_status load(ag_params *params, const ag_checkpoint *c, int resume, ag_failure *why)
{
    int64_t step = 0;
    int parts = resume ? PARTS : 1;
    ag_status status = ag__need_sound(params, "ag_params_load", why);
    if (status == AG_OK && !c) status = ag__refuse_null(why, "ag_params_load", "checkpoint");
    if (status == AG_OK) status = check_names(params, c, resume, why);
    if (status == AG_OK && resume) status = read_step(&step, c, why);
    for (int i = 0; status == AG_OK && i < params->count * parts; i++) {
        const ag_param *p = params->list[i / parts];
        status = check_tensor(c, find_part(c, p, i % parts), p->shape, why);
    }
    if (status != AG_OK) return status;

    size_t bytes = (size_t)params->size * sizeof(ag_real);
    memset(params->m, 0, bytes);
    memset(params->v, 0, bytes);
    for (int i = 0; i < params->count * parts; i++) {
        const ag_param *p = params->list[i / parts];
        copy(part_of(params, p, i % parts), find_part(c, p, i % parts));
    }
    params->step = step;
    params->state = AG_EMPTY;
    return params->device == AG_CPU ? AG_OK : ag__params_send(params, why);
}

ag_status ag_params_load(ag_params *params, const ag_checkpoint *c, int resume, ag_failure *why)
{
    const uint64_t mode = ag__float_mode_enter();
    const ag_status status = load(params, c, resume, why);
    ag__float_mode_set(mode);
    return status;
}
