/* SPDX-License-Identifier: MIT */
/* The network of TGraph and what its checkpoints hold: parameters, and scales of the features. */
#include "examples/tgraph/hooks.h"

#include <jansson.h>
#include <math.h>

enum { FEATURES, CONFIGURATION, FILES };

static char *features_json(const tgraph_data_options *f)
{
    return harness_json_text(json_pack("{ss ss si sb sb}", "format", "tpugraphs-140", "kind",
                                       "layout", "layout_padding", f->repad ? -1 : 0, "prune",
                                       f->prune, "log", f->logs));
}

char *tgraph_files_json(const tgraph_set *set)
{
    json_t *list = json_array();
    for (int i = 0; i < set->count; i++) {
        const tgraph_entry *e = &set->entry[i];
        if (!e->train) continue;
        json_array_append_new(
            list, json_pack("{so si so}", "name", harness_json_name(e->file->name), "configs",
                            e->file->configs, "xxh3", harness_json_hash(e->hash)));
    }
    return harness_json_text(list);
}

int tgraph_files_has(const char *files, const char *name, const uint64_t *hash)
{
    json_t *list = harness_json_loads(files, NULL), *wanted = harness_json_name(name);
    json_t *sum = hash ? harness_json_hash(*hash) : NULL;
    int found = 0;
    for (size_t i = 0; i < json_array_size(list) && !found; i++) {
        const json_t *j = json_array_get(list, i);
        found = json_equal(json_object_get(j, "name"), wanted) &&
                (!sum || json_equal(json_object_get(j, "xxh3"), sum));
    }
    json_decref(sum);
    json_decref(wanted);
    json_decref(list);
    return found;
}

static void identify(harness_session *session)
{
    const tgraph_set *set = &((const tgraph_files *)session->data)->set;
    const tgraph_settings *s = (const tgraph_settings *)session->settings;
    session->trained.text[FEATURES] = features_json(&s->data);
    session->trained.text[FILES] = tgraph_files_json(set);
}

static ag_status build(harness_trained *t, const harness_settings *settings, ag_failure *why)
{
    const tgraph_settings *s = (const tgraph_settings *)settings;
    tgraph_trained *net = t->net;
    tgraph_options options = s->model;
    options.timed = s->loss == TGRAPH_LOSS_ERROR;
    net->features = s->data;
    net->split = s->split;
    net->split_seed = s->split_seed;
    return tgraph_model_add(&net->model, t->params, &options, why);
}

static ag_status fit(harness_session *session, ag_failure *why)
{
    tgraph_set *set = &((tgraph_files *)session->data)->set;
    tgraph_trained *net = session->trained.net;
    if (!session->initial) tgraph_set_fit(set, &net->scaler);
    tgraph_set_scale(set, &net->scaler);
    if (net->model.joined.use && !session->initial &&
        tgraph_set_fit_rows(set, &net->model.joined.scale, why))
        return why->status;
    return tgraph_set_programs(set, &net->model.options, why);
}

static void drop(void *net) { nests_joined_free(&((tgraph_trained *)net)->model.joined); }

static int list_tensors(ag_checkpoint_item *item, const void *trained)
{
    const tgraph_trained *net = trained;
    const ag_shape shape = AG_SHAPE(TGRAPH_NUMERIC);
    const tgraph_scaler *s = &net->scaler;
    item[0] = (ag_checkpoint_item){"state.scaler.mean", AG_F64, shape, (double *)s->mean};
    item[1] = (ag_checkpoint_item){"state.scaler.scale", AG_F64, shape, (double *)s->scale};
    return net->model.joined.use ? 2 + nests_scale_list(item + 2, &net->model.joined.scale) : 2;
}

static ag_status check(const void *trained, ag_failure *why)
{
    const tgraph_trained *net = trained;
    const double *mean = net->scaler.mean, *scale = net->scaler.scale;
    for (int k = 0; k < TGRAPH_NUMERIC; k++)
        if (!isfinite(mean[k]) || !isfinite(scale[k]) || scale[k] <= 0)
            return ag_fail(why, AG_EDATA,
                           "state.scaler.mean[%d] = %g and state.scaler.scale[%d] = %g; they must "
                           "be finite, and the scale above 0",
                           k, mean[k], k, scale[k]);
    return nests_scale_check(&net->model.joined.scale, why);
}

const harness_network tgraph_hooks_network = {
    .bytes = sizeof(tgraph_trained),
    .key = {[FEATURES] = "features", [CONFIGURATION] = "configuration", [FILES] = "files"},
    .identify = identify,
    .build = build,
    .drop = drop,
    .fit = fit,
    .tensors = list_tensors,
    .check = check};
