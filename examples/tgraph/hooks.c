/* SPDX-License-Identifier: MIT */
/* Data, network and steps of TGraph, for the harness. */
#include "examples/tgraph/hooks.h"

static const tgraph_settings *settings_of(const harness_session *s)
{
    return (const tgraph_settings *)s->settings;
}

static const tgraph_set *set_of(const harness_session *s)
{
    return &((const tgraph_files *)s->data)->set;
}

static ag_status read_all(harness_session *session, ag_failure *why)
{
    tgraph_files *f = session->data;
    f->training = true;
    return tgraph_set_train(&f->set, settings_of(session), why);
}

static const char *name_of(const void *net)
{
    static const char *const name[] = {NESTS_NAMES("TGraph")};
    return name[((const tgraph_trained *)net)->model.options.rows];
}

static void close_files(void *data)
{
    tgraph_files *f = data;
    tgraph_set_close(&f->set);
    tgraph_set_close(&f->fit);
}

/* Converts --epochs to steps: a billion times the files that fit into an int is an int64_t. The
   last step may begin another epoch. */
static void plan(harness_session *session)
{
    const int64_t epochs = settings_of(session)->epochs, files = set_of(session)->trained;
    if (epochs > 0)
        session->how.steps = (epochs * files + session->how.shards - 1) / session->how.shards;
}

static ag_status begin(harness_session *session, ag_failure *why)
{
    const tgraph_settings *s = settings_of(session);
    const tgraph_set *set = set_of(session);
    tgraph_source *source = session->feed;
    tgraph_file **file = HARNESS_NEW(file, set->trained);
    int files = 0;
    for (int i = 0; i < set->count; i++)
        if (set->entry[i].train) file[files++] = set->entry[i].file;
    tgraph_source_open(source, file, files, s->configs, (uint64_t)s->harness.common.seed);
    source->joined = &((const tgraph_trained *)session->trained.net)->model.joined;
    harness_free(file);
    return why->status;
}

/* Whether a batch trains only the networks of the rows. */
static bool skips_graph(const harness_session *session)
{
    const tgraph_settings *s = settings_of(session);
    ag_random random = harness_stream(HARNESS_STREAM_SKIP, (uint64_t)s->harness.common.seed,
                                      (uint64_t)session->number);
    return s->model.rows == NESTS_COSTS && ag_random_uniform(&random) < s->model.skip_graph;
}

/* Records the loss of some configurations of one graph. */
static ag_tensor *record(const harness_session *session, ag_tape *tape, const char **what)
{
    const tgraph_set *set = set_of(session);
    const tgraph_model *model = &((const tgraph_trained *)session->trained.net)->model;
    tgraph_batch *b = session->batch;
    int i = 0;
    while (set->entry[i].file != b->file) i++;
    *what = b->file->name;
    const nests_joined *j = &model->joined;
    ag_tensor *scores;
    if (skips_graph(session)) {
        const nests_embedded row = nests_joined_embed(j, tape, &b->nests);
        scores = nests_joined_scores(j, &row, NULL, &b->nests);
    } else {
        scores =
            tgraph_forward(model, tape, &set->entry[i].program, b->digit, &b->nests, b->configs);
    }
    return tgraph_loss(ag_name(scores, "scores"), b, settings_of(session));
}

const harness_model tgraph_hooks = {.program = &tgraph_program_table,
                                    .network = &tgraph_hooks_network,
                                    .data_bytes = sizeof(tgraph_files),
                                    .feed_bytes = sizeof(tgraph_source),
                                    .batch_bytes = sizeof(tgraph_batch),
                                    .read = read_all,
                                    .read_scored = tgraph_read_scored,
                                    .read_fit = tgraph_read_fit,
                                    .name = name_of,
                                    .form = tgraph_results_form,
                                    .close = close_files,
                                    .inspect_file = tgraph_inspect,
                                    .plan = plan,
                                    .begin = begin,
                                    .fill = tgraph_source_draw,
                                    .free_batch = tgraph_batch_free,
                                    .end = tgraph_source_close,
                                    .record = record,
                                    .fewer = "--configs",
                                    .results_bytes = sizeof(tgraph_results),
                                    .open = tgraph_results_open,
                                    .add = tgraph_results_add,
                                    .compare = tgraph_results_baselines,
                                    .alike = tgraph_results_alike,
                                    .repeat = tgraph_results_repeat,
                                    .compute = tgraph_results_compute,
                                    .held_out = "Held-out configurations, best checkpoint"};
