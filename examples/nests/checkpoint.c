/* SPDX-License-Identifier: MIT */
/* Builds and fits the model, and describes its part of a checkpoint. */
#include "examples/nests/hooks.h"

#include "core/error.h"
#include "examples/harness/harness.h"

#include <jansson.h>

enum { CONFIGURATION, DATA };
enum { MOST_COLUMNS = 4096, MOST_WORDS = 65536 };

static char *data_json(const nests_set *set, bool split)
{
    const nests_data *data = &set->data;
    json_t *groups = json_array();
    for (int g = 0; split && g < data->groups; g++)
        json_array_append_new(groups, harness_json_hash(nests_group_hash(&data->group[g])));
    return harness_json_text(json_pack("{ss ss si si si sI so so}", "format", "rows", "kind",
                                       data->maker->name, "columns", data->columns, "words",
                                       data->words, "groups", data->groups, "items",
                                       (json_int_t)set->train.first[data->groups], "xxh3",
                                       harness_json_hash(data->hash), "split", groups));
}

static void identify(harness_session *session)
{
    const nests_files *f = session->data;
    session->trained.text[DATA] = data_json(&f->train, f->scored == &f->train);
}

/* Numbers and kind of the metadata, of which a damaged file may have any. */
static ag_status read_data(nests_trained *net, int *columns, int *words, const char *text,
                           ag_failure *why)
{
    json_t *j = harness_json_loads(text, NULL), *groups = NULL;
    const char *kind = "";
    json_int_t c = 0, w = 0;
    json_unpack(j, "{ss sI sI so}", "kind", &kind, "columns", &c, "words", &w, "split", &groups);
    net->kind = nests_kind_named(kind);
    if (!net->kind || c < 1 || c > MOST_COLUMNS || w < 0 || w > MOST_WORDS)
        ag_fail(why, AG_EDATA,
                "the metadata \"data\" name no kind of rows, or not 1 to %d columns and 0 to %d "
                "words; is it a checkpoint of nests?",
                MOST_COLUMNS, MOST_WORDS);
    *columns = (int)c;
    *words = (int)w;
    net->hash = HARNESS_NEW(net->hash, json_array_size(groups));
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const char *hash = json_string_value(json_array_get(groups, i));
        net->hash[net->hashes++] = hash ? strtoull(hash, NULL, 16) : 0;
    }
    json_decref(j);
    return why->status;
}

static ag_status build(harness_trained *t, const harness_settings *settings, ag_failure *why)
{
    const nests_settings *s = (const nests_settings *)settings;
    nests_trained *net = t->net;
    int columns = 0, words = 0;
    net->split = s->split;
    net->split_seed = s->split_seed;
    if (read_data(net, &columns, &words, t->data, why)) return why->status;
    return nests_model_add(&net->model, t->params, s, columns, words, net->kind->absolute, why);
}

static ag_status fit(harness_session *session, ag_failure *why)
{
    const nests_set *train = &((const nests_files *)session->data)->train;
    const nests_settings *s = (const nests_settings *)session->settings;
    nests_model *m = &((nests_trained *)session->trained.net)->model;
    if (session->initial) return AG_OK;
    if (nests_scale_fit(&m->scale, train, why) || !m->trees.count) return why->status;
    return nests_trees_fit(m, train, s, why);
}

static void drop(void *trained)
{
    nests_trained *net = trained;
    nests_model_free(&net->model);
    harness_free(net->hash);
}

static int list_tensors(ag_checkpoint_item *item, const void *trained)
{
    const nests_model *m = &((const nests_trained *)trained)->model;
    const int n = nests_scale_list(item, &m->scale);
    return n + (m->trees.count ? harness_trees_list(item + n, &m->trees) : 0);
}

static ag_status check(const void *trained, ag_failure *why)
{
    const nests_model *m = &((const nests_trained *)trained)->model;
    const nests_scale *s = &m->scale;
    if (nests_scale_check(s, why)) return why->status;
    return m->trees.count ? harness_trees_check(&m->trees, s->columns + (s->words > 0), why)
                          : AG_OK;
}

const harness_network nests_network = {.bytes = sizeof(nests_trained),
                                       .key = {[CONFIGURATION] = "configuration", [DATA] = "data"},
                                       .identify = identify,
                                       .build = build,
                                       .drop = drop,
                                       .fit = fit,
                                       .tensors = list_tensors,
                                       .check = check};
