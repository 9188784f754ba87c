/* SPDX-License-Identifier: MIT */
/* Checkpoints: parameters, scales, progress and the options of the model. */
#include "examples/tpu/checkpoint.h"

#include "examples/harness/run/checkpoint.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

void tpu_checkpoint_free(tpu_checkpoint *c)
{
    harness_free(c->configuration);
    harness_free(c->data);
    c->configuration = c->data = NULL;
}

/* ---- metadata ---- */

char *tpu_data_json(const tpu_data *data)
{
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, data->hash);
    json_t *j = json_object();
    json_object_set_new(j, "format", json_string("tpugraphs-140"));
    json_object_set_new(j, "task", json_string(data->task == TPU_TILE ? "tile" : "fusion"));
    json_object_set_new(j, "kernels", json_integer(data->kernels));
    json_object_set_new(j, "xxh3", json_string(hash));
    return harness_json_text(j);
}

static ag_status parse_task(tpu_task *task, const char *path, const char *text, ag_failure *why)
{
    json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const char *word = json_string_value(json_object_get(j, "task"));
    const int tile = word && strcmp(word, "tile") == 0;
    if (tile || (word && strcmp(word, "fusion") == 0))
        *task = tile ? TPU_TILE : TPU_FUSION;
    else
        ag_fail(why, AG_EDATA,
                "%.200s: the metadata \"data\" name no task (tile or fusion); is it a checkpoint "
                "of tpu?",
                path);
    json_decref(j);
    return why->status;
}

static ag_status parse_options(tpu_checkpoint *c, tpu_task task, const char *path, ag_failure *why)
{
    tpu_settings s;
    harness_options *o =
        harness_checkpoint_options(&tpu_program_table, &s, path, c->configuration, why);
    if (!why->status) {
        c->model = tpu_settings_model(&s, task);
        c->scaler.logs = s.log_features;
        c->scaler.clamp = s.clamp;
    }
    harness_options_free(o);
    return why->status;
}

/* ---- tensors ---- */

typedef struct range_place {
    const char *low, *high;
    tpu_range *range;
} range_place;

enum { RANGES = 3 };

static void range_places(range_place place[RANGES], tpu_scaler *s)
{
    place[0] = (range_place){"state.node.low", "state.node.high", &s->node};
    place[1] = (range_place){"state.tile.low", "state.tile.high", &s->tile};
    place[2] = (range_place){"state.static.low", "state.static.high", &s->analysis};
}

ag_status tpu_checkpoint_save(const char *path, const tpu_model *model, const tpu_checkpoint *c,
                              int resume, ag_failure *why)
{
    tpu_scaler copy = c->scaler;
    range_place place[RANGES];
    ag_checkpoint_item item[2 * RANGES + 1];
    int n = 0;
    range_places(place, &copy);
    for (int i = 0; i < RANGES; i++) {
        const ag_shape shape = AG_SHAPE(place[i].range->columns);
        item[n++] = (ag_checkpoint_item){place[i].low, AG_F64, shape, place[i].range->low};
        item[n++] = (ag_checkpoint_item){place[i].high, AG_F64, shape, place[i].range->high};
    }
    item[n++] = (ag_checkpoint_item){"state.offset", AG_F64, AG_SCALAR, &c->offset};
    const ag_checkpoint_pair pair[] = {
        {"program", "tpu " TPU_VERSION}, {"configuration", c->configuration}, {"data", c->data}};
    return harness_checkpoint_save(path, model->params, &c->progress, item, n, pair,
                                   (int)(sizeof pair / sizeof *pair), resume, why);
}

static ag_status check_range(const char *path, const range_place *place, ag_failure *why)
{
    for (int k = 0; k < place->range->columns; k++) {
        const double low = place->range->low[k], high = place->range->high[k];
        if (isfinite(low) && isfinite(high) && low <= high) continue;
        return ag_fail(why, AG_EDATA,
                       "%.200s: %s[%d] = %g and %s[%d] = %g; they must be finite "
                       "and in this order",
                       path, place->low, k, low, place->high, k, high);
    }
    return AG_OK;
}

static ag_status read_state(tpu_checkpoint *c, tpu_model *model, const char *path,
                            const ag_checkpoint *file, int resume, ag_failure *why)
{
    range_place place[RANGES];
    tpu_scaler_begin(&c->scaler, c->scaler.logs, c->scaler.clamp);
    range_places(place, &c->scaler);
    for (int i = 0; i < RANGES; i++) {
        const ag_shape shape = AG_SHAPE(place[i].range->columns);
        if (ag_checkpoint_read(file, place[i].low, AG_F64, shape, place[i].range->low, why) ||
            ag_checkpoint_read(file, place[i].high, AG_F64, shape, place[i].range->high, why) ||
            check_range(path, &place[i], why))
            return why->status;
    }
    if (ag_checkpoint_read(file, "state.offset", AG_F64, AG_SCALAR, &c->offset, why))
        return why->status;
    if (!isfinite(c->offset))
        return ag_fail(why, AG_EDATA, "%.200s: state.offset is %g, but it must be finite", path,
                       c->offset);
    model->offset = c->offset;
    return harness_checkpoint_state(&c->progress, model->params, path, file, resume, why);
}

/* ---- loading ---- */

static ag_status load(const char *path, const ag_checkpoint *file, tpu_model *model,
                      tpu_checkpoint *c, ag_failure *why)
{
    tpu_task task = TPU_TILE;
    c->configuration = harness_checkpoint_text(file, "configuration");
    c->data = harness_checkpoint_text(file, "data");
    if (parse_task(&task, path, c->data, why) || parse_options(c, task, path, why))
        return why->status;
    const ag_checkpoint_item *item = ag_checkpoint_find(file, "input.weight");
    if (!item || item->shape.rank != 2 || item->shape.size[0] != c->model.hidden)
        return ag_fail(why, AG_EDATA,
                       "%.200s: input.weight is missing or has not %d rows as the metadata say; "
                       "the file is not whole",
                       path, c->model.hidden);
    ag_failure mine = {0};
    if (tpu_model_new(model, &c->model, 0, &mine))
        return ag_fail(why, mine.status == AG_EUSE ? AG_EDATA : mine.status, "%.200s: %s", path,
                       mine.sentence);
    if (ag_params_load(model->params, file, 0, why)) return why->status;
    return read_state(c, model, path, file, 0, why);
}

ag_status tpu_checkpoint_load(const char *path, tpu_model *model, tpu_checkpoint *c,
                              ag_failure *why)
{
    ag_checkpoint *file = ag_checkpoint_open(path, why);
    if (!file) return why->status;
    load(path, file, model, c, why);
    harness_checkpoint_close(file, why);
    return why->status;
}

ag_status tpu_checkpoint_resume(const char *path, tpu_model *model, tpu_checkpoint *c,
                                ag_failure *why)
{
    const ag_checkpoint_pair same[] = {{"configuration", c->configuration}, {"data", c->data}};
    ag_checkpoint *file = harness_checkpoint_resume(path, model->params, same, 2, why);
    if (file) read_state(c, model, path, file, 1, why);
    harness_checkpoint_close(file, why);
    return why->status;
}
