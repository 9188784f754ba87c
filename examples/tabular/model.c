/* SPDX-License-Identifier: MIT */
/* A feed-forward network over the features of an item, standardised within its group. */
#include "examples/tabular/tabular.h"

#include "core/error.h"
#include "examples/harness/base/draws.h"
#include "examples/harness/rank/rank.h"
#include "examples/tabular/table.h"
#include "layers/layers.h"

#include <jansson.h>
#include <string.h>

typedef struct files {
    tabular_tables train, scored;
} files;

static ag_status check_known(const tabular_tables *t, const char *option, ag_failure *why)
{
    for (int i = 0; i < t->count; i++)
        if (!t->table[i].ns)
            return ag_fail(why, AG_EDATA,
                           "--%s: %.200s has no column ns; name files with run times", option,
                           t->paths.path[i]);
    return AG_OK;
}

static ag_status read_training(harness_session *session, ag_failure *why)
{
    const harness_common *common = &session->settings->common;
    files *f = session->data;
    if (tabular_read(&f->train, &common->data, "data", why) ||
        check_known(&f->train, "data", why) || !common->valid.count)
        return why->status;
    if (tabular_read(&f->scored, &common->valid, "valid", why)) return why->status;
    return check_known(&f->scored, "valid", why);
}

/* The names of the features that a network was trained on, between commas. */
static const char *features_of(const harness_trained *t)
{
    json_t *j = harness_json_loads(t->data, NULL);
    const char *names = json_string_value(json_object_get(j, "features"));
    names = harness_format("%s", names ? names : "");
    json_decref(j);
    return names;
}

static ag_status read_scored(void *data, const harness_runs *runs, const harness_settings *settings,
                             bool known, ag_failure *why)
{
    tabular_tables *t = &((files *)data)->scored;
    if (tabular_read(t, &settings->common.data, "data", why)) return why->status;
    for (int i = 0; i < runs->count; i++)
        if (strcmp(features_of(&runs->run[i]), t->names) != 0)
            return ag_fail(why, AG_EUSE,
                           "%.200s was trained on other features than \"%.200s\"; choose another "
                           "run, or files with its features",
                           runs->run[i].path, t->names);
    if (known) harness_runs_warn_trained(runs, t->paths.path, t->paths.count);
    return AG_OK;
}

static void close_files(void *data)
{
    tabular_free(&((files *)data)->train);
    tabular_free(&((files *)data)->scored);
}

enum { CONFIGURATION, DATA };

typedef struct net {
    ag_linear_layer hidden, output; /* hidden.weight NULL: the model is linear */
} net;

static void identify(harness_session *session)
{
    session->trained.text[DATA] = tabular_json(&((const files *)session->data)->train);
}

static ag_status build(harness_trained *trained, const harness_settings *settings, ag_failure *why)
{
    const int width = ((const tabular_settings *)settings)->hidden;
    const char *names = features_of(trained);
    int features = *names != 0;
    net *m = trained->net;
    for (const char *c = names; *c; c++) features += *c == ',';
    if (!features) return ag_fail(why, AG_EDATA, "the metadata \"data\" name no features");
    if (width) m->hidden = ag_layer_linear(trained->params, "hidden", features, width, 1);
    m->output = ag_layer_linear(trained->params, "output", width ? width : features, 1, 0);
    return AG_OK;
}

static const harness_network network = {.bytes = sizeof(net),
                                        .key = {[CONFIGURATION] = "configuration", [DATA] = "data"},
                                        .identify = identify,
                                        .build = build};

/* The scores [items] of a table. Each feature has mean 0 and deviation 1 within the group, since
   only its items are compared. */
static ag_tensor *forward(const void *model, const void *tables, int table, ag_tape *tape)
{
    static const int32_t whole[2]; /* one graph: from 0 to the last row */
    const net *m = model;
    const tabular_tables *t = tables;
    const tabular_table *g = &t->table[table];
    ag_tensor *x = ag_input(tape, g->feature, AG_SHAPE(g->items, t->features));
    x = ag_instance_norm(x, ag_input_i32(tape, whole, AG_SHAPE(2)), (ag_real)1e-6);
    if (m->hidden.weight) x = ag_relu(ag_apply_linear(&m->hidden, x));
    return ag_squeeze(ag_apply_linear(&m->output, x));
}

/* A batch is one table, drawn by its number, so that --resume draws the same. */
static ag_tensor *record(const harness_session *session, ag_tape *tape, const char **what)
{
    const tabular_tables *t = &((const files *)session->data)->train;
    ag_random random = harness_stream(HARNESS_STREAM_DRAW, (uint64_t)session->settings->common.seed,
                                      (uint64_t)session->number);
    const int table = (int)ag_random_below(&random, (uint32_t)t->count);
    const tabular_table *g = &t->table[table];
    *what = g->name;
    ag_tensor *rank = ag_input_i32(tape, g->rank, AG_SHAPE(g->items));
    return ag_pairwise_logistic(forward(session->trained.net, t, table, tape), rank, AG_MEAN);
}

static void open_results(void *results, void *data, const harness_settings *settings)
{
    const tabular_tables *t = &((const files *)data)->scored;
    harness_rank *rank = results;
    (void)settings;
    rank->data = t;
    for (int i = 0; i < t->count; i++)
        harness_rank_group(rank, (harness_ranked){.name = t->table[i].name,
                                                  .items = t->table[i].items,
                                                  .actual = t->table[i].ns});
    harness_rank_method(rank, "tabular", NULL);
}

static ag_status add(void *results, const harness_trained *trained, const harness_scoring *how,
                     ag_failure *why)
{
    return harness_rank_add(results, trained, how, forward, why);
}

const harness_model tabular_model = {.program = &tabular_program,
                                     .network = &network,
                                     .data_bytes = sizeof(files),
                                     .read = read_training,
                                     .read_scored = read_scored,
                                     .close = close_files,
                                     .record = record,
                                     HARNESS_RANK,
                                     .open = open_results,
                                     .add = add};
