/* SPDX-License-Identifier: MIT */
/* A training run: what comes before the first step, what the trainer asks for, and the command. */
#include "examples/tpu/train.h"

#include "examples/tpu/loss.h"

#include <math.h>
#include <string.h>

/* ---- before the first step ----------------------------------------------------------------------
 */

/* How many kernels of the main scores there are: of fusion files those that take long enough. */
static int count_long(const tpu_data *data, int64_t least)
{
    int n = 0;
    for (int i = 0; i < data->kernels; i++) {
        const int64_t *ns = data->kernel[i].runtime;
        n += ns && (data->task == TPU_TILE || *ns >= least);
    }
    return n;
}

static ag_status read_all(tpu_training *t, ag_failure *why)
{
    const tpu_settings *s = t->settings;
    t->data.budget.limit = (size_t)s->common.ram_limit;
    if (tpu_data_read(&t->data, &s->common.data, "data", why) || !s->common.valid.count)
        return why->status;
    t->valid.budget.limit = tpugraphs_rest(&t->data.budget);
    if (tpu_data_read(&t->valid, &s->common.valid, "valid", why) || harness_interrupted())
        return why->status;
    if (t->valid.task != t->data.task)
        return ag_fail(why, AG_EUSE,
                       "--data and --valid name different kinds of files, tile and fusion; name "
                       "files of one kind");
    if (!tpu_data_known(&t->valid))
        return ag_fail(why, AG_EUSE,
                       "--valid: the run times of all %d kernels are hidden, so nothing can be "
                       "scored; name files with run times, or leave --valid away",
                       t->valid.kernels);
    if (!count_long(&t->valid, s->least))
        return ag_fail(why, AG_EUSE,
                       "--valid: none of the %d kernels takes at least --least %lld ns, and only "
                       "those that do choose the best checkpoint; lower --least, or name files "
                       "with longer kernels",
                       t->valid.kernels, (long long)s->least);
    tpugraphs_warn_trained("valid", t->valid.paths.path, t->valid.paths.count, t->data.paths.path,
                           t->data.paths.count);
    return AG_OK;
}

/* A network without biases starts near the mean instead of climbing to it. */
static double mean_log_runtime(const tpu_data *data)
{
    double sum = 0;
    int64_t n = 0;
    for (int i = 0; i < data->kernels; i++)
        for (int c = 0; data->kernel[i].runtime && c < data->kernel[i].configs; c++, n++)
            sum += log((double)data->kernel[i].runtime[c]);
    return n ? sum / (double)n : 0;
}

/* A row of the other table would train all the same, with the wrong loss. */
static ag_status check_preset(const tpu_training *t, ag_failure *why)
{
    static const char *const kind[] = {"tile", "fusion"};
    char *preset =
        harness_option_text(t->options, harness_option_find(&tpu_program_table, "preset"));
    const char *its = t->settings->preset ? strrchr(preset, '-') + 1 : NULL;
    const char *ours = kind[t->data.task];
    if (its && strcmp(its, ours) != 0)
        ag_fail(why, AG_EUSE,
                "--preset %s is a model for %s files, but --data names %s files; take --preset "
                "%.*s%s, or name %s files",
                preset, its, ours, (int)(its - preset), preset, ours, its);
    harness_free(preset);
    return why->status;
}

static ag_status make_model(tpu_training *t, ag_failure *why)
{
    const tpu_settings *s = t->settings;
    const tpu_options options = tpu_settings_model(s, t->data.task);
    if (check_preset(t, why)) return why->status;
    if (t->data.task == TPU_FUSION && tpu_settings_loss(s, t->data.task) != TPU_LOSS_SQUARED)
        return ag_fail(why, AG_EUSE,
                       "--loss hinge and logistic compare tile sizes of one kernel, but a kernel "
                       "of a fusion file has one run time; take --loss squared");
    if (tpu_model_new(&t->model, &options, (uint64_t)s->common.seed, why)) return why->status;
    tpu_scaler_fit(&t->state.scaler, &t->data, s->log_features, s->clamp);
    if (tpu_settings_loss(s, t->data.task) == TPU_LOSS_SQUARED)
        t->state.offset = mean_log_runtime(&t->data);
    t->model.offset = t->state.offset;
    t->state.model = options;
    t->state.progress.best = (double)NAN;
    t->state.configuration = harness_json_text(harness_options_json(t->options));
    t->state.data = tpu_data_json(&t->data);
    return AG_OK;
}

static ag_status open_trainer(tpu_training *t, harness_run_mode mode, ag_failure *why)
{
    const tpu_task task = t->data.task;
    const harness_trainee of = {.user = t,
                                .params = t->model.params,
                                .seed = t->settings->common.seed,
                                .scores = t->score_names,
                                .score_count = tpu_measure_count(task),
                                .smaller = true,
                                .validates = t->valid.kernels > 0,
                                .record = tpu_train_record,
                                .portion = tpu_train_portion,
                                .validate = tpu_train_validate,
                                .save = tpu_train_save,
                                .load = tpu_train_load};
    for (int i = 0; i < of.score_count; i++)
        t->score_names[i] = tpu_measure_name(task, (tpu_measure)i);
    t->trainer = (harness_trainer){.how = &t->settings->training,
                                   .options = t->options,
                                   .folder = t->folder,
                                   .of = of,
                                   .state = &t->state.progress,
                                   .tape = t->tape};
    return harness_trainer_open(&t->trainer, mode, why);
}

static ag_status open_loader(tpu_training *t, ag_failure *why)
{
    const tpu_settings *s = t->settings;
    const tpu_sampler_options options = {.seed = (uint64_t)s->common.seed,
                                         .kernels = s->kernels,
                                         .configs = s->configs,
                                         .uniform = !s->balanced};
    const tpu_batch_options batch = tpu_model_batch(&t->model.options);
    if (tpu_sampler_open(&t->sampler, &t->data, &t->state.scaler, &options, &batch, why))
        return why->status;
    t->loader = harness_loader_new(tpu_sampler_fill, &t->sampler, &t->buffer[0], &t->buffer[1],
                                   t->state.progress.step, 1, why);
    return why->status;
}

ag_status tpu_train_begin(tpu_training *t, harness_run_mode mode, ag_failure *why)
{
    t->tape = harness_tape_new(&t->settings->common, why);
    if (!t->tape || read_all(t, why) || harness_interrupted() || make_model(t, why) ||
        open_trainer(t, mode, why))
        return why->status;
    return open_loader(t, why);
}

/* ---- steps --------------------------------------------------------------------------------------
 */

static ag_tensor *loss_of(const tpu_training *t, ag_tape *tape, const tpu_batch *batch)
{
    ag_tensor *score = ag_name(tpu_forward(&t->model, tape, batch), "scores");
    const tpu_settings *s = t->settings;
    return tpu_loss(score, batch, tpu_settings_loss(s, t->data.task), s->margin);
}

ag_tensor *tpu_train_record(void *user, ag_tape *tape, int64_t step, const char **what,
                            ag_failure *why)
{
    tpu_training *t = user;
    (void)step;
    t->batch = harness_loader_next(t->loader, why);
    if (!t->batch) return NULL;
    *what = t->batch->kernel[0]->name;
    return loss_of(t, tape, t->batch);
}

/* The loss of the first samples of the step's batch. */
static ag_tensor *record_first(void *user, ag_tape *tape, int n, ag_failure *why)
{
    tpu_training *t = user;
    const tpu_batch_options options = tpu_model_batch(&t->model.options);
    tpu_sample *sample = harness_alloc((size_t)n * sizeof *sample);
    for (int i = 0; i < n; i++) sample[i] = (tpu_sample){t->batch->kernel[i], t->batch->config[i]};
    tpu_batch_fill(&t->part, sample, n, &t->state.scaler, &options, why);
    harness_free(sample);
    return why->status ? NULL : loss_of(t, tape, &t->part);
}

harness_portion tpu_train_portion(void *user)
{
    tpu_training *t = user;
    return (harness_portion){.what = "samples",
                             .options =
                                 t->data.task == TPU_TILE ? "--kernels or --configs" : "--kernels",
                             .count = t->batch->samples,
                             .training = 1,
                             .user = t,
                             .record = record_first};
}

/* A step is finished, its row written, before an interrupted run ends. */
ag_status tpu_train_validate(void *user, double *scores, ag_failure *why)
{
    tpu_training *t = user;
    const tpu_scorer scorer = {.model = &t->model,
                               .scaler = &t->state.scaler,
                               .tape = t->tape,
                               .samples = t->settings->eval_samples,
                               .nodes = t->settings->eval_nodes,
                               .patient = 1};
    tpu_results r;
    tpu_results_open(&r, &t->valid);
    if (!tpu_results_add(&r, &scorer, 1, why) && !tpu_results_grade(&r, t->settings->least, why)) {
        const tpu_grades mean = tpu_results_mean(&r, 0);
        memcpy(scores, mean.of, (size_t)tpu_measure_count(t->valid.task) * sizeof *scores);
    }
    tpu_results_close(&r);
    return why->status;
}

ag_status tpu_train_save(void *user, const char *path, int resume, ag_failure *why)
{
    const tpu_training *t = user;
    return tpu_checkpoint_save(path, &t->model, &t->state, resume, why);
}

ag_status tpu_train_load(void *user, const char *path, ag_failure *why)
{
    tpu_training *t = user;
    return tpu_checkpoint_resume(path, &t->model, &t->state, why);
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

void tpu_train_close(tpu_training *t)
{
    harness_loader_free(t->loader);
    for (int i = 0; i < 2; i++) tpu_batch_free(&t->buffer[i]);
    tpu_batch_free(&t->part);
    tpu_sampler_close(&t->sampler);
    tpu_checkpoint_free(&t->state);
    tpu_model_free(&t->model);
    tpu_data_free(&t->data);
    tpu_data_free(&t->valid);
    ag_tape_free(t->tape);
}

ag_status tpu_train(const tpu_settings *settings, const harness_options *options,
                    const char *folder, harness_run_mode mode, const char *command_line, int show,
                    tpu_grades *mean, ag_failure *why)
{
    tpu_training t = {.settings = settings,
                      .options = options,
                      .folder = folder,
                      .command_line = command_line,
                      .show = show};
    for (int i = 0; i < TPU_MEASURES; i++) mean->of[i] = (double)NAN;
    if (!tpu_train_begin(&t, mode, why) && !harness_interrupted())
        harness_trainer_run(&t.trainer, why);
    if (!why->status && !harness_interrupted()) tpu_train_end(&t, mean, why);
    harness_trainer_close(&t.trainer, why);
    tpu_train_close(&t);
    return why->status;
}

ag_status tpu_train_command(harness_call *call, ag_failure *why)
{
    const tpu_settings *s = call->values;
    tpu_grades mean;
    return tpu_train(s, call->options, s->common.out, harness_mode(&s->common), call->command_line,
                     1, &mean, why);
}
