/* SPDX-License-Identifier: MIT */
/* The network of TGraph and what its checkpoints hold: parameters, and scales of the features. */
#include "examples/tgraph/shell.h"

#include <math.h>

enum { FEATURES, CONFIGURATION, FILES };

static ag_status identify(harness_session *session, ag_failure *why)
{
    const tgraph_set *set = &((const tgraph_files *)session->data)->set;
    const tgraph_data_options f = tgraph_settings_data((const tgraph_settings *)session->settings);
    (void)why;
    session->trained.text[FEATURES] = tgraph_features_json(&f);
    session->trained.text[FILES] = tgraph_files_json(set);
    return AG_OK;
}

static ag_status build(harness_trained *t, const harness_settings *settings, ag_failure *why)
{
    const tgraph_settings *s = (const tgraph_settings *)settings;
    tgraph_trained *net = t->net;
    net->features = tgraph_settings_data(s);
    const tgraph_options options = tgraph_settings_model(s);
    net->split = s->split;
    net->split_seed = s->split_seed;
    net->dedup = s->dedup;
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

/* ---- tensors ---- */

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

const harness_network tgraph_shell_network = {
    .bytes = sizeof(tgraph_trained),
    .key = {[FEATURES] = "features", [CONFIGURATION] = "configuration", [FILES] = "files"},
    .identify = identify,
    .build = build,
    .drop = drop,
    .fit = fit,
    .tensors = list_tensors,
    .check = check};
