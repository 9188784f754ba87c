/* SPDX-License-Identifier: MIT */
#include "examples/harness/run/checkpoint.h"

#include "core/core.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

enum { NUMBERS = 5, FOR_RESUME = 2 };

typedef struct number_place {
    const char *name;
    ag_dtype dtype;
    void *at;
} number_place;

/* Scalars; the last two belong to --resume alone. */
static int number_places(number_place place[NUMBERS], harness_state *p, int resume)
{
    place[0] = (number_place){"state.step", AG_I64, &p->step};
    place[1] = (number_place){"state.best.score", AG_F64, &p->best};
    place[2] = (number_place){"state.best.step", AG_I64, &p->best_step};
    place[3] = (number_place){"state.loss.sum", AG_F64, &p->loss_sum};
    place[4] = (number_place){"state.loss.count", AG_I64, &p->loss_count};
    return resume ? NUMBERS : NUMBERS - FOR_RESUME;
}

ag_status harness_checkpoint_save(const char *path, ag_params *params, const harness_state *state,
                                  const ag_checkpoint_item *extra, int extras,
                                  const ag_checkpoint_pair *pair, int pairs, int resume,
                                  ag_failure *why)
{
    harness_state copy = *state;
    number_place number[NUMBERS];
    const int numbers = number_places(number, &copy, resume);
    const size_t bytes = (size_t)(extras + numbers) * sizeof(ag_checkpoint_item);
    ag_checkpoint_item *item = ag_alloc(bytes);
    if (!item) return ag_fail(why, AG_EMEMORY, "%.200s: no memory for %zu bytes", path, bytes);
    for (int i = 0; i < extras; i++) item[i] = extra[i];
    for (int i = 0; i < numbers; i++)
        item[extras + i] =
            (ag_checkpoint_item){number[i].name, number[i].dtype, AG_SCALAR, number[i].at};
    ag_params_save(path, params, resume, item, extras + numbers, pair, pairs, why);
    ag_free(item);
    return why->status;
}

ag_status harness_checkpoint_state(harness_state *state, const ag_params *params, const char *path,
                                   const ag_checkpoint *file, int resume, ag_failure *why)
{
    number_place number[NUMBERS];
    const int numbers = number_places(number, state, resume);
    for (int i = 0; i < numbers; i++)
        if (ag_checkpoint_read(file, number[i].name, number[i].dtype, AG_SCALAR, number[i].at, why))
            return why->status;
    if (resume && (state->step != params->step || state->step < 0))
        return ag_fail(why, AG_EDATA,
                       "%.200s: state.step is %lld, but the optimizer has done %lld steps; start "
                       "the run anew",
                       path, (long long)state->step, (long long)params->step);
    return AG_OK;
}

char *harness_checkpoint_text(const ag_checkpoint *file, const char *key)
{
    const char *text = ag_checkpoint_metadata(file, key);
    return harness_copy(text ? text : "");
}

harness_options *harness_checkpoint_options(const harness_program *program, void *values,
                                            const char *path, const char *configuration,
                                            ag_failure *why)
{
    harness_options *o = harness_options_new(program, HARNESS_TRAIN, values);
    json_t *j = json_loads(configuration, JSON_REJECT_DUPLICATES, NULL);
    char *where = harness_text("%.120s: the metadata \"configuration\"", path);
    if (j)
        harness_options_from_json(o, j, where, 1, why);
    else
        ag_fail(why, AG_EDATA, "%s say nothing of the model, or no JSON; is it a checkpoint of %s?",
                where, program->name);
    json_decref(j);
    harness_free(where);
    return o;
}

ag_status harness_checkpoint_shapes(const ag_checkpoint *file, const ag_params *params,
                                    ag_failure *why)
{
    char have[64], want[64];
    for (int i = 0; i < params->count; i++) {
        const ag_param *p = params->list[i];
        const ag_checkpoint_item *item = ag_checkpoint_find(file, p->name);
        if (item && ag_shape_equal(item->shape, p->shape)) continue;
        return ag_fail(why, AG_EDATA,
                       "%s is %s, but the metadata ask for %s; the file contradicts itself, so "
                       "choose another checkpoint",
                       p->name, item ? ag_shape_text(have, item->shape) : "missing",
                       ag_shape_text(want, p->shape));
    }
    return AG_OK;
}

void harness_checkpoint_close(ag_checkpoint *file, ag_failure *why)
{
    ag_checkpoint_close(file);
    if (why->status != AG_ESHAPE) return;
    const ag_failure shape = *why;
    *why = (ag_failure){0};
    ag_fail(why, AG_EDATA, "%.400s; the file contradicts itself, so choose another checkpoint",
            shape.sentence);
}

char *harness_checkpoint_choose(const char *folder, int last)
{
    char *path = harness_text("%s/%s", folder, last ? HARNESS_LAST : HARNESS_BEST);
    if (last || access(path, F_OK) == 0) return path;
    char *other = harness_text("%s/" HARNESS_LAST, folder);
    if (access(other, F_OK) != 0) {
        harness_free(other);
        return path;
    }
    harness_warn("%s has no " HARNESS_BEST " yet; " HARNESS_LAST " is taken", folder);
    harness_free(path);
    return other;
}
