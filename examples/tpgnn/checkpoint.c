/* SPDX-License-Identifier: MIT */
/* The network of TPGNN and what its checkpoints hold: parameters, vocabulary, vectors of words and
   the scale of the labels. */
#include "examples/tpgnn/shell.h"

#include "examples/tpgnn/baseline/statements.h"
#include "examples/tpgnn/fasttext/vectors.h"
#include "examples/tpgnn/model/loss.h"
#include "examples/tpgnn/nest/nest_rows.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

int tpgnn_log_cost(double *cost, const tpgnn_checkpoint *c, double score)
{
    static const double shortest = 1e-10, most = 300;
    const double label = c->mean + score * c->deviation;
    if (c->predicts == TPGNN_LABEL_COST)
        *cost = log(fmax(label, shortest) * 1e9);
    else if (c->predicts == TPGNN_LABEL_LOG)
        *cost = fmax(-most, fmin(most, label + log(1e9)));
    else
        return 0;
    return 1;
}

/* ---- metadata ---- */

enum { CONFIGURATION, DATA, VOCABULARY };

char *tpgnn_data_json(const tpgnn_data *data)
{
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, data->hash);
    json_t *j = json_object();
    json_object_set_new(j, "format", json_string("schedules"));
    json_object_set_new(j, "tasks", json_integer(data->tasks));
    json_object_set_new(j, "schedules", json_integer(data->schedules));
    json_object_set_new(j, "xxh3", json_string(hash));
    json_object_set_new(j, "columns", json_integer(TPGNN_COLUMNS));
    return harness_json_text(j);
}

static ag_status identify(harness_session *session, ag_failure *why)
{
    const tpgnn_data *train = &((const tpgnn_files *)session->data)->train;
    char **text = session->trained.text;
    (void)why;
    text[DATA] = tpgnn_data_json(train);
    text[VOCABULARY] = harness_json_text(tpgnn_vocabulary_json(tpgnn_data_vocabulary(train)));
    return AG_OK;
}

static ag_status read_vocabulary(tpgnn_vocabulary *v, const char *text, ag_failure *why)
{
    json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    tpgnn_vocabulary_read(v, j, "the metadata \"vocabulary\"", why);
    json_decref(j);
    return why->status;
}

/* ---- the network ---- */

static ag_status build(harness_trained *t, const harness_settings *settings, ag_failure *why)
{
    const tpgnn_settings *s = (const tpgnn_settings *)settings;
    tpgnn_trained *net = t->net;
    tpgnn_checkpoint *c = &net->checkpoint;
    tpgnn_options options = tpgnn_settings_model(s);
    c->predicts = tpgnn_settings_label(s);
    if (read_vocabulary(&c->vocabulary, t->text[VOCABULARY], why)) return why->status;
    for (int f = 0; f < TPGNN_FIELDS; f++) options.words[f] = c->vocabulary.words[f];
    if (tpgnn_model_columns(&options, t->text[DATA], why)) return why->status;
    return tpgnn_model_add(&net->model, t->params, &options, why);
}

static ag_status fit(harness_session *session, ag_failure *why)
{
    const tpgnn_data *train = &((const tpgnn_files *)session->data)->train;
    const tpgnn_settings *s = (const tpgnn_settings *)session->settings;
    const uint64_t seed = (uint64_t)s->shell.common.seed;
    tpgnn_trained *net = session->trained.net;
    tpgnn_checkpoint *c = &net->checkpoint;
    tpgnn_label_scale(&c->mean, &c->deviation, train, c->predicts);
    const tpgnn_options *o = &net->model.options;
    const tpgnn_trees_options trees = {seed, o->tree_sets, o->tree_columns, s->tree_order, s->top};
    if (net->model.trees.count && tpgnn_trees_fit(&net->model.trees, train, &trees, why))
        return why->status;
    if (tpgnn_model_standard(&net->model) && tpgnn_row_scale_fit(&net->model.scale, train, why))
        return why->status;
    if (!net->model.vector) return AG_OK;
    return tpgnn_vectors(net->model.vector, TPGNN_VECTOR, train, seed, why);
}

/* The parameters are the harness's. */
static void drop(void *trained)
{
    tpgnn_trained *net = trained;
    net->model.params = NULL;
    tpgnn_model_free(&net->model);
    tpgnn_vocabulary_free(&net->checkpoint.vocabulary);
}

/* ---- tensors ---- */

static int list_tensors(ag_checkpoint_item *item, const void *trained)
{
    const tpgnn_trained *net = trained;
    const tpgnn_checkpoint *c = &net->checkpoint;
    item[0] = (ag_checkpoint_item){"state.mean", AG_F64, AG_SCALAR, &c->mean};
    item[1] = (ag_checkpoint_item){"state.deviation", AG_F64, AG_SCALAR, &c->deviation};
    return 2 + tpgnn_model_state(item + 2, &net->model);
}

static ag_status check(const void *trained, ag_failure *why)
{
    const tpgnn_trained *net = trained;
    const tpgnn_checkpoint *c = &net->checkpoint;
    if (!isfinite(c->mean) || !isfinite(c->deviation) || c->deviation <= 0)
        return ag_fail(why, AG_EDATA,
                       "state.mean is %g and state.deviation %g; they must be finite, and the "
                       "second above 0",
                       c->mean, c->deviation);
    return tpgnn_model_check(&net->model, why);
}

const harness_network tpgnn_shell_network = {
    .bytes = sizeof(tpgnn_trained),
    .key = {[CONFIGURATION] = "configuration", [DATA] = "data", [VOCABULARY] = "vocabulary"},
    .identify = identify,
    .build = build,
    .drop = drop,
    .fit = fit,
    .tensors = list_tensors,
    .check = check};
