/* SPDX-License-Identifier: MIT */
/* The network of TGraph and what its checkpoints hold: parameters, and scales of the features. */
#include "examples/tgraph/shell.h"

#include <math.h>

/* ---- features ---- */

ag_status tgraph_features_check(const char *path, const tgraph_data_options *stored,
                                const tgraph_data_options *wanted, ag_failure *why)
{
    if (stored->tile != wanted->tile)
        return ag_fail(why, AG_EUSE,
                       "%.200s holds a model for %s files, but the data are %s files; choose a run "
                       "that was trained on such files",
                       path, stored->tile ? "tile" : "layout", wanted->tile ? "tile" : "layout");
    if (stored->prune == wanted->prune && stored->repad == wanted->repad &&
        stored->logs == wanted->logs)
        return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "%.200s was trained with --%sprune --%srepad --log-features %s, but this call "
                   "says --%sprune --%srepad --log-features %s; the scores would mean nothing: "
                   "leave these options "
                   "away",
                   path, stored->prune ? "" : "no-", stored->repad ? "" : "no-",
                   stored->logs ? "yes" : "no", wanted->prune ? "" : "no-",
                   wanted->repad ? "" : "no-", wanted->logs ? "yes" : "no");
}

/* ---- the network ---- */

enum { FEATURES, CONFIGURATION, FILES };

static ag_status identify(harness_session *session, ag_failure *why)
{
    const tgraph_set *set = &((const tgraph_files *)session->data)->set;
    const tgraph_data_options f =
        tgraph_settings_data((const tgraph_settings *)session->settings, set->tile);
    (void)why;
    session->trained.text[FEATURES] = tgraph_features_json(&f);
    session->trained.text[FILES] = tgraph_files_json(set);
    return AG_OK;
}

static ag_status build(harness_trained *t, const harness_settings *settings, ag_failure *why)
{
    const tgraph_settings *s = (const tgraph_settings *)settings;
    tgraph_trained *net = t->net;
    if (tgraph_features_parse(&net->features, t->text[FEATURES], why)) return why->status;
    const tgraph_options options = tgraph_settings_model(s, net->features.tile);
    net->split = s->split;
    net->split_seed = s->split_seed;
    net->dedup = s->dedup;
    tgraph_scalers_begin(&net->scalers);
    return tgraph_model_add(&net->model, t->params, &options, why);
}

static ag_status fit(harness_session *session, ag_failure *why)
{
    tgraph_set *set = &((tgraph_files *)session->data)->set;
    tgraph_trained *net = session->trained.net;
    tgraph_set_fit(set, &net->scalers);
    tgraph_set_scale(set, &net->scalers);
    if (net->model.joined.use && tgraph_set_fit_rows(set, &net->model.joined.scale, why))
        return why->status;
    return tgraph_set_programs(set, &net->model.options, why);
}

static void drop(void *net) { nests_joined_free(&((tgraph_trained *)net)->model.joined); }

/* ---- tensors ---- */

static int add_scaler(ag_checkpoint_item item[2], const char *mean, const char *scale,
                      const tgraph_scaler *s)
{
    const ag_shape shape = AG_SHAPE(s->columns);
    item[0] = (ag_checkpoint_item){mean, AG_F64, shape, s->mean};
    item[1] = (ag_checkpoint_item){scale, AG_F64, shape, s->scale};
    return 2;
}

/* One scaler, or three with tile files. */
static int list_scalers(ag_checkpoint_item *item, const tgraph_trained *net)
{
    const tgraph_scalers *s = &net->scalers;
    int n = add_scaler(item, "state.scaler.mean", "state.scaler.scale", &s->node);
    if (!net->model.options.tile) return n;
    n += add_scaler(item + n, "state.config_scaler.mean", "state.config_scaler.scale", &s->config);
    return n + add_scaler(item + n, "state.target_scaler.mean", "state.target_scaler.scale",
                          &s->target);
}

static int list_tensors(ag_checkpoint_item *item, const void *trained)
{
    const tgraph_trained *net = trained;
    const int n = list_scalers(item, net);
    return net->model.joined.use ? n + nests_scale_list(item + n, &net->model.joined.scale) : n;
}

static ag_status check_scaler(const ag_checkpoint_item item[2], ag_failure *why)
{
    const double *mean = item[0].data, *scale = item[1].data;
    for (int k = 0; k < item->shape.size[0]; k++)
        if (!isfinite(mean[k]) || !isfinite(scale[k]) || scale[k] <= 0)
            return ag_fail(why, AG_EDATA,
                           "%s[%d] = %g and %s[%d] = %g; they must be finite, and the scale above "
                           "0",
                           item[0].name, k, mean[k], item[1].name, k, scale[k]);
    return AG_OK;
}

static ag_status check(const void *trained, ag_failure *why)
{
    const tgraph_trained *net = trained;
    ag_checkpoint_item item[HARNESS_TENSORS];
    const int n = list_scalers(item, net);
    for (int i = 0; i < n && !why->status; i += 2) check_scaler(item + i, why);
    return why->status ? why->status : nests_scale_check(&net->model.joined.scale, why);
}

const harness_network tgraph_shell_network = {
    .bytes = sizeof(tgraph_trained),
    .key = {[FEATURES] = "features", [CONFIGURATION] = "configuration", [FILES] = "files"},
    .identify = identify,
    .build = build,
    .drop = drop,
    .fit = fit,
    .tensors = list_tensors,
    .check = check};
