/* SPDX-License-Identifier: MIT */
/* Data, network and steps of TPGNN, for the harness. */
#include "examples/tpgnn/hooks.h"

#include "examples/tpgnn/steps.h"

static const tpgnn_settings *settings_of(const harness_session *s)
{
    return (const tpgnn_settings *)s->settings;
}

static ag_status read_all(harness_session *session, ag_failure *why)
{
    const harness_common *common = &session->settings->common;
    tpgnn_files *f = session->data;
    f->train.budget.limit = (size_t)common->ram_limit;
    if (tpgnn_data_read(&f->train, &common->data, "data", why) ||
        tpgnn_warn_unseen(&f->train, NULL, NULL, why) || !common->valid.count)
        return why->status;
    f->scored.budget.limit = tpugraphs_rest(&f->train.budget);
    f->scored.given = tpgnn_data_vocabulary(&f->train);
    if (tpgnn_data_read(&f->scored, &common->valid, "valid", why)) return why->status;
    harness_files_warn_trained("valid", f->scored.paths.path, f->scored.paths.count,
                               f->train.paths.path, f->train.paths.count);
    return AG_OK;
}

static const char *name_of(const void *net)
{
    static const char *const paper[] = {NESTS_NAMES("TPGNN")};
    static const char *const statements[] = {NESTS_NAMES("network of statements")};
    const tpgnn_options *o = &((const tpgnn_trained *)net)->model.options;
    return (o->network == TPGNN_PAPER ? paper : statements)[o->rows];
}

/* The kinds of the files have the words of the first run. */
static ag_status read_scored(void *data, const harness_runs *runs, const harness_settings *s,
                             bool known, ag_failure *why)
{
    tpgnn_data *scored = &((tpgnn_files *)data)->scored;
    const tpgnn_trained *net = runs->count ? runs->run[0].net : NULL;
    scored->budget.limit = (size_t)s->common.ram_limit;
    if (net) scored->given = &net->vocabulary;
    if (tpgnn_data_read(scored, &s->common.data, "data", why) ||
        tpgnn_warn_unseen(scored, net, net ? runs->run[0].path : NULL, why))
        return why->status;
    if (net && known) harness_runs_warn_trained(runs, scored->paths.path, scored->paths.count);
    return AG_OK;
}

static ag_status read_fit(void *data, const harness_runs *runs, const harness_settings *s,
                          ag_failure *why)
{
    tpgnn_files *f = data;
    const harness_fit fit = {&f->train, tpgnn_data_read, tpgnn_data_json, tpgnn_data_free};
    f->train.budget.limit = tpugraphs_rest(&f->scored.budget);
    return harness_fit_read(&fit, runs, s, why);
}

static void close_files(void *data)
{
    tpgnn_files *f = data;
    tpgnn_data_free(&f->scored);
    tpgnn_data_free(&f->train);
}

static ag_status begin(harness_session *session, ag_failure *why)
{
    const tpgnn_trained *net = session->trained.net;
    const tpgnn_batch_options batch = tpgnn_model_batch(&net->model);
    return tpgnn_sampler_open(session->feed, &((const tpgnn_files *)session->data)->train,
                              settings_of(session), &batch, why);
}

static ag_tensor *record(const harness_session *session, ag_tape *tape, const char **what)
{
    const tpgnn_settings *s = settings_of(session);
    const tpgnn_data *train = &((const tpgnn_files *)session->data)->train;
    const tpgnn_trained *net = session->trained.net;
    const tpgnn_sampler *f = session->feed;
    const tpgnn_batch *batch = session->batch;
    *what = train->task[batch->schedule[0]->task].name;
    tpgnn_labels(f->label, train, batch, net->predicts, net->mean, net->deviation);
    ag_tensor *cost = ag_name(tpgnn_forward(&net->model, tape, batch), "costs");
    return tpgnn_loss(cost, batch, f->label, s);
}

const harness_model tpgnn_hooks = {.program = &tpgnn_program_table,
                                   .network = &tpgnn_hooks_network,
                                   .data_bytes = sizeof(tpgnn_files),
                                   .feed_bytes = sizeof(tpgnn_sampler),
                                   .batch_bytes = sizeof(tpgnn_batch),
                                   .read = read_all,
                                   .read_scored = read_scored,
                                   .read_fit = read_fit,
                                   .name = name_of,
                                   .form = tpgnn_results_form,
                                   .close = close_files,
                                   .inspect = tpgnn_inspect,
                                   .begin = begin,
                                   .fill = tpgnn_sampler_fill,
                                   .free_batch = tpgnn_batch_free,
                                   .end = tpgnn_sampler_close,
                                   .record = record,
                                   .fewer = "--tasks or --schedules",
                                   .results_bytes = sizeof(tpgnn_results),
                                   .open = tpgnn_results_open,
                                   .add = tpgnn_results_add,
                                   .compare = tpgnn_results_baselines,
                                   .alike = tpgnn_results_alike,
                                   .repeat = tpgnn_results_repeat,
                                   .compute = harness_rank_compute,
                                   .held_out = "Validation tasks, best checkpoint"};
