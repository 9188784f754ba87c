/* SPDX-License-Identifier: MIT */
/* The network of a TPU model and what its checkpoints hold: parameters, scales and the offset of
   the scores. */
#include "examples/tpu/hooks.h"
#include "core/error.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { CONFIGURATION, DATA };

char *tpu_data_json(const void *files)
{
    const tpu_data *data = files;
    return harness_json_text(json_pack("{ss ss si so}", "format", "tpugraphs-140", "task",
                                       tpu_task_name[data->task], "kernels", data->kernels, "xxh3",
                                       harness_json_hash(data->hash)));
}

static ag_status parse_task(tpu_task *task, const char *text, ag_failure *why)
{
    json_t *j = harness_json_loads(text, NULL);
    const char *word = json_string_value(json_object_get(j, "task"));
    for (*task = TPU_TILE; word && *task <= TPU_FUSION; ++*task)
        if (strcmp(word, tpu_task_name[*task]) == 0) break;
    if (!word || *task > TPU_FUSION)
        ag_fail(why, AG_EDATA,
                "the metadata \"data\" name no task (tile or fusion); is it a checkpoint of tpu?");
    json_decref(j);
    return why->status;
}

static void identify(harness_session *session)
{
    session->trained.text[DATA] = tpu_data_json(&((const tpu_files *)session->data)->train);
}

static ag_status build(harness_trained *t, const harness_settings *settings, ag_failure *why)
{
    tpu_settings s = *(const tpu_settings *)settings;
    tpu_trained *net = t->net;
    tpu_task task = TPU_TILE;
    if (parse_task(&task, t->data, why)) return why->status;
    tpu_settle(&s, task);
    s.model.absolute = s.loss == TPU_LOSS_SQUARED;
    tpu_scaler_begin(&net->scaler, s.log_features, s.clamp);
    return tpu_model_add(&net->model, t->params, &s.model, why);
}

static ag_status fit(harness_session *session, ag_failure *why)
{
    const tpu_data *train = &((const tpu_files *)session->data)->train;
    tpu_trained *net = session->trained.net;
    tpu_scaler *s = &net->scaler;
    if (session->initial) return AG_OK;
    tpu_scaler_fit(s, train, s->logs, s->clamp);
    if (net->model.rows.use) tpu_rows_fit(&net->model.rows.scale, train, why);
    /* Without it, a network without biases would have to climb to the mean. */
    if (net->model.options.absolute && net->model.rows.use != NESTS_COSTS)
        net->model.offset = tpu_data_mean_log(train);
    return why->status;
}

enum { RANGES = 3 };

static void list_ranges(ag_checkpoint_item item[2 * RANGES], const tpu_scaler *s)
{
    static const char *const name[] = {"state.node.low",  "state.node.high",  "state.tile.low",
                                       "state.tile.high", "state.static.low", "state.static.high"};
    const tpu_range *range[RANGES] = {&s->node, &s->tile, &s->analysis};
    for (int i = 0; i < 2 * RANGES; i++) {
        const tpu_range *r = range[i / 2];
        item[i] =
            (ag_checkpoint_item){name[i], AG_F64, AG_SHAPE(r->columns), i % 2 ? r->high : r->low};
    }
}

static int list_tensors(ag_checkpoint_item *item, const void *trained)
{
    const tpu_trained *net = trained;
    const tpu_scaler *s = &net->scaler;
    int n = 2 * RANGES;
    list_ranges(item, s);
    item[n++] = (ag_checkpoint_item){"state.offset", AG_F64, AG_SCALAR, &net->model.offset};
    if (!net->model.rows.use) return n;
    n += nests_scale_list(item + n, &net->model.rows.scale);
    item[n - 1].name = "state.row.offset"; /* the other offset is not added to costs */
    return n;
}

static ag_status check_range(const ag_checkpoint_item item[2], ag_failure *why)
{
    const double *low = item[0].data, *high = item[1].data;
    for (int k = 0; k < item->shape.size[0]; k++)
        if (!isfinite(low[k]) || !isfinite(high[k]) || low[k] > high[k])
            return ag_fail(why, AG_EDATA,
                           "%s[%d] = %g and %s[%d] = %g; they must be finite and in this order",
                           item[0].name, k, low[k], item[1].name, k, high[k]);
    return AG_OK;
}

static ag_status check(const void *trained, ag_failure *why)
{
    const tpu_trained *net = trained;
    ag_checkpoint_item item[2 * RANGES];
    list_ranges(item, &net->scaler);
    for (int i = 0; i < 2 * RANGES; i += 2)
        if (check_range(item + i, why)) return why->status;
    if (!isfinite(net->model.offset))
        return ag_fail(why, AG_EDATA, "state.offset is %g, but it must be finite",
                       net->model.offset);
    return net->model.rows.use ? nests_scale_check(&net->model.rows.scale, why) : AG_OK;
}

static void drop(void *trained) { tpu_model_free(&((tpu_trained *)trained)->model); }

const harness_network tpu_hooks_network = {
    .bytes = sizeof(tpu_trained),
    .key = {[CONFIGURATION] = "configuration", [DATA] = "data"},
    .identify = identify,
    .build = build,
    .drop = drop,
    .fit = fit,
    .tensors = list_tensors,
    .check = check};
