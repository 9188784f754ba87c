/* SPDX-License-Identifier: MIT */
/* Data, network and steps of the TPU model, for the harness. */
#include "examples/tpu/hooks.h"

#include "core/error.h"
#include "examples/harness/rank/unseen.h"
#include "examples/tpu/steps.h"

#include <string.h>

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

/* A preset of the other task's table would train without an error, but with the wrong loss. */
static ag_status check_options(const harness_session *session, tpu_task task, ag_failure *why)
{
    const char *preset =
        harness_option_text(session->options, harness_option_find(&tpu_program_table, "preset"));
    const tpu_settings *s = settings_of(session);
    const char *its = s->preset ? strrchr(preset, '-') + 1 : NULL, *ours = tpu_task_name[task];
    if (its && strcmp(its, ours) != 0)
        return ag_fail(
            why, AG_EUSE,
            "--preset %s is a model for %s files, but --data names %s files; take --preset "
            "%.*s%s, or name %s files",
            preset, its, ours, (int)(its - preset), preset, ours, its);
    if (task == TPU_FUSION && s->loss != TPU_LOSS_SQUARED)
        return ag_fail(why, AG_EUSE,
                       "--loss hinge and logistic compare tile sizes of one kernel, but a kernel "
                       "of a fusion file has one run time; take --loss squared");
    return AG_OK;
}

static ag_status read_all(harness_session *session, ag_failure *why)
{
    tpu_settings *s = (tpu_settings *)session->settings;
    const harness_common *common = &s->harness.common;
    tpu_files *f = session->data;
    f->train.budget.limit = (size_t)common->ram_limit;
    if (tpu_data_read(&f->train, &common->data, "data", why)) return why->status;
    tpu_settle(s, f->train.task);
    if (check_options(session, f->train.task, why) || !common->valid.count) return why->status;
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

/* The kind of the first file; NULL: it cannot be read, or is of another kind. */
static const char *files_kind(const harness_settings *settings)
{
    static const char *const kinds[][2] = {{"node_config_feat", "layout files"},
                                           {"config_feat", "tile files"},
                                           {"kernel_runtime", "fusion files"}};
    const char *kind = NULL;
    harness_files paths = {0};
    ag_failure none = {0};
    ag_npz *npz = NULL;
    if (!harness_files_add(&paths, settings->common.data.list[0], &none))
        npz = ag_npz_open(paths.path[0], SIZE_MAX / 2, &none);
    for (int k = 0; npz && !kind && k < 3; k++)
        if (ag_npz_find(npz, kinds[k][0])) kind = kinds[k][1];
    ag_npz_close(npz);
    harness_files_free(&paths);
    return kind;
}

static const char *name_of(const void *net)
{
    static const char *const name[] = {NESTS_NAMES("TPU model")};
    return name[((const tpu_trained *)net)->model.options.rows];
}

static ag_status read_scored(void *data, const harness_runs *runs, const harness_settings *s,
                             bool known, ag_failure *why)
{
    tpu_data *scored = &((tpu_files *)data)->scored;
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

static ag_status read_fit(void *data, const harness_runs *runs, const harness_settings *s,
                          ag_failure *why)
{
    tpu_files *f = data;
    const harness_fit fit = {&f->train, tpu_data_read, tpu_data_json, tpu_data_free};
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

static ag_status begin(harness_session *session, ag_failure *why)
{
    const tpu_trained *net = session->trained.net;
    return tpu_sampler_open(session->feed, &((const tpu_files *)session->data)->train, &net->scaler,
                            settings_of(session), &net->model.batch, why);
}

static ag_tensor *record(const harness_session *session, ag_tape *tape, const char **what)
{
    const tpu_settings *s = settings_of(session);
    const tpu_model *net = &((const tpu_trained *)session->trained.net)->model;
    const tpu_batch *batch = session->batch;
    *what = batch->kernel[0]->name;
    return tpu_loss(ag_name(tpu_forward(net, tape, batch), "scores"), batch, s->loss, s->margin);
}

const harness_model tpu_hooks = {.program = &tpu_program_table,
                                 .network = &tpu_hooks_network,
                                 .data_bytes = sizeof(tpu_files),
                                 .feed_bytes = sizeof(tpu_sampler),
                                 .batch_bytes = sizeof(tpu_batch),
                                 .read = read_all,
                                 .read_scored = read_scored,
                                 .read_fit = read_fit,
                                 .name = name_of,
                                 .form = tpu_results_form,
                                 .close = close_files,
                                 .files = files_kind,
                                 .inspect = tpu_inspect,
                                 .begin = begin,
                                 .fill = tpu_sampler_fill,
                                 .free_batch = tpu_batch_free,
                                 .end = tpu_sampler_close,
                                 .record = record,
                                 .fewer = "--kernels or --configs",
                                 .results_bytes = sizeof(tpu_results),
                                 .open = tpu_results_open,
                                 .add = tpu_results_add,
                                 .compare = tpu_results_baselines,
                                 .alike = tpu_results_alike,
                                 .repeat = tpu_results_repeat,
                                 .compute = harness_rank_compute,
                                 .held_out = "Validation programs, best checkpoint"};
