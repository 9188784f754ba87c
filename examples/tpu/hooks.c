/* SPDX-License-Identifier: MIT */
/* Data, network and steps of the TPU model, for the harness. */
#include "examples/tpu/hooks.h"

#include "core/error.h"
#include "examples/harness/commands/loader.h"
#include "examples/harness/rank/unseen.h"
#include "examples/tpu/sampler.h"

static const tpu_settings *settings_of(const harness_session *s)
{
    return (const tpu_settings *)s->settings;
}

/* The number of kernels that the main measures count: of fusion files those that take long
   enough. */
static int count_long(const tpu_data *data, int64_t least)
{
    int n = 0;
    for (int i = 0; i < data->kernels; i++) {
        const int64_t *ns = data->kernel[i].runtime;
        n += ns && (data->task == TPU_TILE || *ns >= least);
    }
    return n;
}

static ag_status check_valid(const tpu_files *f, int64_t least, ag_failure *why)
{
    const tpu_data *valid = &f->scored;
    if (valid->task != f->train.task)
        return ag_fail(why, AG_EUSE,
                       "--data and --valid name different kinds of files, tile and fusion; name "
                       "files of one kind");
    if (!tpu_data_known(valid))
        return ag_fail(why, AG_EUSE,
                       "--valid: the run times of all %d kernels are hidden, so nothing can be "
                       "scored; name files with run times, or omit --valid",
                       valid->kernels);
    if (!count_long(valid, least))
        return ag_fail(why, AG_EUSE,
                       "--valid: none of the %d kernels takes at least --least %lld ns, and only "
                       "those that do choose the best checkpoint; lower --least, or name files "
                       "with longer kernels",
                       valid->kernels, (long long)least);
    return AG_OK;
}

static ag_status read_all(harness_session *session, ag_failure *why)
{
    tpu_settings *s = (tpu_settings *)session->settings;
    const harness_common *common = &s->harness.common;
    tpu_files *f = session->data;
    f->name = tpu_model_name(&s->model);
    f->train.budget.limit = (size_t)common->ram_limit;
    if (tpu_data_read(&f->train, &common->data, "data", why)) return why->status;
    tpu_settle(s, f->train.task);
    if (!common->valid.count) return AG_OK;
    f->scored.budget.limit = tpugraphs_rest(&f->train.budget);
    if (tpu_data_read(&f->scored, &common->valid, "valid", why) || check_valid(f, s->least, why))
        return why->status;
    harness_files_warn_trained("valid", f->scored.paths.path, f->scored.paths.count,
                               f->train.paths.path, f->train.paths.count);
    return AG_OK;
}

/* With the splits of examples/data at most 33 % of the nodes of a held-out program are far, and in
   no kernel more than half; in 10 of 16 kernels of TpuGraphs it is more. */
static void warn_of_source(const tpu_data *data, const harness_trained *run)
{
    const tpu_scaler *scaler = &((const tpu_trained *)run->net)->scaler;
    harness_far far = {.what = "program",
                       .rows = "nodes",
                       .limit = "beyond the range by more than a quarter of it",
                       .run = run->path,
                       .most = 0.5};
    for (int i = 0, end; i < data->kernels; i = end) {
        int64_t rows = 0, all = 0;
        for (end = i; end < data->kernels && data->kernel[end].program == data->kernel[i].program;
             end++) {
            rows += tpu_scaler_far(scaler, &data->kernel[end]);
            all += data->kernel[end].nodes;
        }
        harness_far_add(&far, data->kernel[i].name, rows, all);
    }
    harness_far_warn(&far);
}

static const char *name_of(const void *net)
{
    return tpu_model_name(&((const tpu_trained *)net)->model.options);
}

static ag_status read_scored(void *data, const harness_runs *runs, const harness_settings *s,
                             bool known, ag_failure *why)
{
    tpu_data *scored = &((tpu_files *)data)->scored;
    ((tpu_files *)data)->name = harness_runs_name(runs);
    scored->budget.limit = (size_t)s->common.ram_limit;
    if (tpu_data_read(scored, &s->common.data, "data", why)) return why->status;
    for (int i = 0; i < runs->count; i++) {
        const tpu_task task = ((const tpu_trained *)runs->run[i].net)->model.options.task;
        if (task != scored->task)
            return ag_fail(why, AG_EUSE,
                           "%.200s holds a model for %s files, but the data are %s files; choose a "
                           "run that was trained on such files",
                           runs->run[i].path, tpu_task_name[task], tpu_task_name[scored->task]);
    }
    if (known && !s->common.part && !tpu_data_known(scored))
        return ag_fail(why, AG_EDATA,
                       "none of the %d kernels can be scored: their run times are hidden; \"tpu "
                       "predict\" scores kernels without run times",
                       scored->kernels);
    if (runs->count) warn_of_source(scored, &runs->run[0]);
    if (known) harness_runs_warn_trained(runs, scored->paths.path, scored->paths.count);
    return AG_OK;
}

static ag_status read_files(void *fit, const harness_paths *paths, const char *option,
                            ag_failure *why)
{
    return tpu_data_read(fit, paths, option, why);
}

static char *data_json(const void *fit) { return tpu_data_json(fit); }
static void drop_files(void *fit) { tpu_data_free(fit); }

static ag_status read_fit(void *data, const harness_runs *runs, const harness_settings *s,
                          ag_failure *why)
{
    tpu_files *f = data;
    const harness_fit fit = {&f->train, read_files, data_json, drop_files};
    f->train.budget.limit = tpugraphs_rest(&f->scored.budget);
    if (harness_fit_read(&fit, runs, s, why) || !f->train.kernels) return why->status;
    if (f->train.task == f->scored.task) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "--fit names files of another kind than --data; name files of one kind");
}

static void close_files(void *data)
{
    tpu_files *f = data;
    tpu_data_free(&f->train);
    tpu_data_free(&f->scored);
}

/* The state of the steps of a run. */
typedef struct tpu_feed {
    tpu_sampler sampler;
    tpu_batch buffer[2];
    harness_loader *loader;
} tpu_feed;

static ag_status begin(harness_session *session, ag_failure *why)
{
    const tpu_settings *s = settings_of(session);
    tpu_trained *net = session->trained.net;
    tpu_feed *f = session->feed;
    if (tpu_sampler_open(&f->sampler, &((tpu_files *)session->data)->train, &net->scaler, s,
                         &net->model.batch, why))
        return why->status;
    f->loader = harness_loader_new(tpu_sampler_fill, &f->sampler, &f->buffer[0], &f->buffer[1],
                                   &session->batches, true);
    return why->status;
}

static void end(void *feed)
{
    tpu_feed *f = feed;
    harness_loader_free(f->loader);
    for (int i = 0; i < 2; i++) tpu_batch_free(&f->buffer[i]);
    tpu_sampler_close(&f->sampler);
}

static ag_tensor *record(void *user, ag_tape *tape, int64_t number, const char **what,
                         ag_failure *why)
{
    const harness_session *session = user;
    const tpu_settings *s = settings_of(session);
    const tpu_model *net = &((const tpu_trained *)session->trained.net)->model;
    const tpu_batch *batch = harness_loader_next(((tpu_feed *)session->feed)->loader, why);
    (void)number;
    if (!batch) return NULL;
    *what = batch->kernel[0]->name;
    return tpu_loss(ag_name(tpu_forward(net, tape, batch), "scores"), batch, s->loss, s->margin);
}

const harness_model tpu_hooks = {.program = &tpu_program_table,
                                 .network = &tpu_hooks_network,
                                 .data_bytes = sizeof(tpu_files),
                                 .feed_bytes = sizeof(tpu_feed),
                                 .read = read_all,
                                 .read_scored = read_scored,
                                 .read_fit = read_fit,
                                 .name = name_of,
                                 .form = tpu_results_form,
                                 .close = close_files,
                                 .files = tpugraphs_kind,
                                 .inspect = tpu_inspect,
                                 .begin = begin,
                                 .record = record,
                                 .fewer = "--kernels or --configs",
                                 .end = end,
                                 .results_bytes = sizeof(tpu_results),
                                 .open = tpu_results_open,
                                 .add = tpu_results_add,
                                 .compare = tpu_results_baselines,
                                 .alike = tpu_results_alike,
                                 .repeat = tpu_results_repeat,
                                 .compute = harness_rank_compute,
                                 .held_out = "Validation programs, best checkpoint"};
