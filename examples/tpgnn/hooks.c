/* SPDX-License-Identifier: MIT */
/* Data, network and steps of TPGNN, for the harness. */
#include "examples/tpgnn/hooks.h"

#include "examples/harness/commands/loader.h"
#include "examples/tpgnn/sampler.h"
#include "examples/tpgnn/loss.h"

static const tpgnn_settings *settings_of(const harness_session *s)
{
    return (const tpgnn_settings *)s->settings;
}

static ag_status read_all(harness_session *session, ag_failure *why)
{
    const harness_common *common = &session->settings->common;
    tpgnn_files *f = session->data;
    f->name = tpgnn_model_name(&settings_of(session)->model);
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
    return tpgnn_model_name(&((const tpgnn_trained *)net)->model.options);
}

/* The kinds of the files have the words of the first run. */
static ag_status read_scored(void *data, const harness_runs *runs, const harness_settings *s,
                             bool known, ag_failure *why)
{
    tpgnn_data *scored = &((tpgnn_files *)data)->scored;
    const tpgnn_trained *net = runs->count ? runs->run[0].net : NULL;
    ((tpgnn_files *)data)->name = harness_runs_name(runs);
    scored->budget.limit = (size_t)s->common.ram_limit;
    if (net) scored->given = &net->vocabulary;
    if (tpgnn_data_read(scored, &s->common.data, "data", why) ||
        tpgnn_warn_unseen(scored, net, net ? runs->run[0].path : NULL, why))
        return why->status;
    if (net && known) harness_runs_warn_trained(runs, scored->paths.path, scored->paths.count);
    return AG_OK;
}

static ag_status read_files(void *fit, const harness_paths *paths, const char *option,
                            ag_failure *why)
{
    return tpgnn_data_read(fit, paths, option, why);
}

static char *data_json(const void *fit) { return tpgnn_data_json(fit); }
static void drop_files(void *fit) { tpgnn_data_free(fit); }

static ag_status read_fit(void *data, const harness_runs *runs, const harness_settings *s,
                          ag_failure *why)
{
    tpgnn_files *f = data;
    const harness_fit fit = {&f->train, read_files, data_json, drop_files};
    f->train.budget.limit = tpugraphs_rest(&f->scored.budget);
    return harness_fit_read(&fit, runs, s, why);
}

static void close_files(void *data)
{
    tpgnn_files *f = data;
    tpgnn_data_free(&f->scored);
    tpgnn_data_free(&f->train);
}

/* The data of the steps of a run. */
typedef struct tpgnn_feed {
    tpgnn_sampler sampler;
    tpgnn_batch buffer[2];
    harness_loader *loader;
    ag_real *label; /* [tasks * schedules] of the step's batch */
} tpgnn_feed;

static ag_status begin(harness_session *session, ag_failure *why)
{
    const tpgnn_settings *s = settings_of(session);
    const tpgnn_trained *net = session->trained.net;
    tpgnn_feed *f = session->feed;
    const tpgnn_batch_options batch = tpgnn_model_batch(&net->model);
    if (tpgnn_sampler_open(&f->sampler, &((tpgnn_files *)session->data)->train, s, &batch, why))
        return why->status;
    f->label = HARNESS_NEW(f->label, (size_t)s->tasks * (size_t)s->schedules);
    f->loader = harness_loader_new(tpgnn_sampler_fill, &f->sampler, &f->buffer[0], &f->buffer[1],
                                   &session->batches, true);
    return why->status;
}

static void end(void *feed)
{
    tpgnn_feed *f = feed;
    harness_loader_free(f->loader);
    for (int i = 0; i < 2; i++) tpgnn_batch_free(&f->buffer[i]);
    tpgnn_sampler_close(&f->sampler);
    harness_free(f->label);
}

static ag_tensor *record(void *user, ag_tape *tape, int64_t number, const char **what,
                         ag_failure *why)
{
    const harness_session *session = user;
    const tpgnn_settings *s = settings_of(session);
    const tpgnn_data *train = &((const tpgnn_files *)session->data)->train;
    const tpgnn_trained *net = session->trained.net;
    const tpgnn_feed *f = session->feed;
    const tpgnn_loss_options options = {s->loss, s->margin, s->top};
    (void)number;
    const tpgnn_batch *batch = harness_loader_next(f->loader, why);
    if (!batch) return NULL;
    *what = train->task[batch->schedule[0]->task].name;
    tpgnn_labels(f->label, train, batch, net->predicts, net->mean, net->deviation);
    ag_tensor *cost = ag_name(tpgnn_forward(&net->model, tape, batch), "costs");
    return tpgnn_loss(cost, batch, f->label, &options);
}

const harness_model tpgnn_hooks = {.program = &tpgnn_program_table,
                                   .network = &tpgnn_hooks_network,
                                   .data_bytes = sizeof(tpgnn_files),
                                   .feed_bytes = sizeof(tpgnn_feed),
                                   .read = read_all,
                                   .read_scored = read_scored,
                                   .read_fit = read_fit,
                                   .name = name_of,
                                   .form = tpgnn_results_form,
                                   .close = close_files,
                                   .inspect = tpgnn_inspect,
                                   .begin = begin,
                                   .record = record,
                                   .fewer = "--tasks or --schedules",
                                   .end = end,
                                   .results_bytes = sizeof(tpgnn_results),
                                   .open = tpgnn_results_open,
                                   .add = tpgnn_results_add,
                                   .compare = tpgnn_results_baselines,
                                   .alike = tpgnn_results_alike,
                                   .repeat = tpgnn_results_repeat,
                                   .compute = harness_rank_compute,
                                   .held_out = "Validation tasks, best checkpoint"};
