/* SPDX-License-Identifier: MIT */
/* A training run: what comes before the first step, what the trainer asks for, and the command. */
#include "examples/tpgnn/train.h"

#include "examples/tpgnn/loss.h"
#include "examples/tpgnn/vectors.h"
#include "ops/ops.h"

#include <math.h>

/* ---- before the first step ----------------------------------------------------------------------
 */

static ag_status read_all(tpgnn_training *t, ag_failure *why)
{
    const tpgnn_settings *s = t->settings;
    t->data.budget.limit = (size_t)s->common.ram_limit;
    if (tpgnn_data_read(&t->data, &s->common.data, "data", why) || !s->common.valid.count)
        return why->status;
    t->valid.budget.limit = tpugraphs_rest(&t->data.budget);
    t->valid.given = tpgnn_data_vocabulary(&t->data);
    if (tpgnn_data_read(&t->valid, &s->common.valid, "valid", why) || harness_interrupted())
        return why->status;
    tpugraphs_warn_trained("valid", t->valid.paths.path, t->valid.paths.count, t->data.paths.path,
                           t->data.paths.count);
    return AG_OK;
}

static ag_status make_model(tpgnn_training *t, ag_failure *why)
{
    const tpgnn_settings *s = t->settings;
    const tpgnn_vocabulary *v = tpgnn_data_vocabulary(&t->data);
    t->state.model = tpgnn_settings_model(s);
    t->state.predicts = tpgnn_settings_label(s);
    tpgnn_vocabulary_copy(&t->state.vocabulary, v);
    for (int f = 0; f < TPGNN_FIELDS; f++) t->state.model.words[f] = v->words[f];
    if (tpgnn_model_new(&t->model, &t->state.model, (uint64_t)s->common.seed, why))
        return why->status;
    if (t->model.vector &&
        tpgnn_vectors(t->model.vector, TPGNN_VECTOR, &t->data, (uint64_t)s->common.seed, why))
        return why->status;
    tpgnn_label_scale(&t->state.mean, &t->state.deviation, &t->data, t->state.predicts);
    t->state.progress.best = (double)NAN;
    t->state.configuration = harness_json_text(harness_options_json(t->options));
    t->state.data = tpgnn_data_json(&t->data);
    return AG_OK;
}

static ag_status open_trainer(tpgnn_training *t, harness_run_mode mode, ag_failure *why)
{
    static const tpgnn_measure chosen[] = {TPGNN_PAIRWISE, TPGNN_TAU,   TPGNN_TOP1,
                                           TPGNN_TOP5,     TPGNN_TOP10, TPGNN_RECALL5};
    const harness_trainee of = {.user = t,
                                .params = t->model.params,
                                .seed = t->settings->common.seed,
                                .scores = t->score_names,
                                .score_count = (int)(sizeof chosen / sizeof *chosen),
                                .validates = t->valid.schedules > 0,
                                .record = tpgnn_train_record,
                                .portion = tpgnn_train_portion,
                                .validate = tpgnn_train_validate,
                                .save = tpgnn_train_save,
                                .load = tpgnn_train_load};
    for (int i = 0; i < of.score_count; i++) {
        t->score[i] = chosen[i];
        t->score_names[i] = tpgnn_measure_name(chosen[i]);
    }
    t->trainer = (harness_trainer){.how = &t->settings->training,
                                   .options = t->options,
                                   .folder = t->folder,
                                   .of = of,
                                   .state = &t->state.progress,
                                   .tape = t->tape};
    return harness_trainer_open(&t->trainer, mode, why);
}

static ag_status open_loader(tpgnn_training *t, ag_failure *why)
{
    const tpgnn_settings *s = t->settings;
    const tpgnn_sampler_options options = {.seed = (uint64_t)s->common.seed,
                                           .tasks = s->tasks,
                                           .schedules = s->schedules,
                                           .balanced = s->balanced,
                                           .mixed = s->mixed};
    const tpgnn_batch_options batch = tpgnn_model_batch(&t->model.options);
    if (tpgnn_sampler_open(&t->sampler, &t->data, &options, &batch, why)) return why->status;
    t->label = harness_alloc((size_t)s->tasks * (size_t)s->schedules * sizeof *t->label);
    t->loader = harness_loader_new(tpgnn_sampler_fill, &t->sampler, &t->buffer[0], &t->buffer[1],
                                   t->state.progress.step, 1, why);
    return why->status;
}

ag_status tpgnn_train_begin(tpgnn_training *t, harness_run_mode mode, ag_failure *why)
{
    t->tape = harness_tape_new(&t->settings->common, why);
    if (!t->tape || read_all(t, why) || harness_interrupted() || make_model(t, why) ||
        open_trainer(t, mode, why))
        return why->status;
    return open_loader(t, why);
}

/* ---- steps --------------------------------------------------------------------------------------
 */

static ag_tensor *loss_of(const tpgnn_training *t, ag_tape *tape, const tpgnn_batch *batch)
{
    const tpgnn_settings *s = t->settings;
    const tpgnn_loss_options options = {s->loss, s->margin, s->top};
    return tpgnn_loss_of_members(&t->model, tape, batch, t->label, &options);
}

ag_tensor *tpgnn_train_record(void *user, ag_tape *tape, int64_t step, const char **what,
                              ag_failure *why)
{
    tpgnn_training *t = user;
    (void)step;
    const tpgnn_batch *batch = t->batch = harness_loader_next(t->loader, why);
    if (!batch) return NULL;
    *what = t->data.task[batch->schedule[0]->task].name;
    tpgnn_labels(t->label, &t->data, batch, t->state.predicts, t->state.mean, t->state.deviation);
    return loss_of(t, tape, batch);
}

/* The loss of the first schedules of the step's batch. */
static ag_tensor *record_first(void *user, ag_tape *tape, int n, ag_failure *why)
{
    tpgnn_training *t = user;
    const tpgnn_batch_options options = tpgnn_model_batch(&t->model.options);
    if (tpgnn_batch_fill(&t->part, &t->data, t->batch->schedule, n, &options, why)) return NULL;
    return loss_of(t, tape, &t->part);
}

harness_portion tpgnn_train_portion(void *user)
{
    tpgnn_training *t = user;
    return (harness_portion){.what = "schedules",
                             .options = "--tasks or --schedules",
                             .count = t->batch->graphs,
                             .training = 1,
                             .user = t,
                             .record = record_first};
}

/* A step is finished, its row written, before an interrupted run ends. */
ag_status tpgnn_train_validate(void *user, double *scores, ag_failure *why)
{
    tpgnn_training *t = user;
    const tpgnn_scorer scorer = {.model = &t->model,
                                 .tape = t->tape,
                                 .graphs = t->settings->eval_graphs,
                                 .nodes = t->settings->eval_nodes,
                                 .patient = 1};
    tpgnn_results r;
    double mean[TPGNN_MEASURES];
    tpgnn_results_open(&r, &t->valid);
    if (!tpgnn_results_add(&r, &scorer, &t->state, 1, why) && !tpgnn_results_grade(&r, why)) {
        tpgnn_results_mean(mean, &r, 0);
        for (int i = 0; i < t->trainer.of.score_count; i++) scores[i] = mean[t->score[i]];
    }
    tpgnn_results_close(&r);
    return why->status;
}

ag_status tpgnn_train_save(void *user, const char *path, int resume, ag_failure *why)
{
    const tpgnn_training *t = user;
    return tpgnn_checkpoint_save(path, &t->model, &t->state, resume, why);
}

ag_status tpgnn_train_load(void *user, const char *path, ag_failure *why)
{
    tpgnn_training *t = user;
    return tpgnn_checkpoint_resume(path, &t->model, &t->state, why);
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

void tpgnn_train_close(tpgnn_training *t)
{
    harness_loader_free(t->loader);
    for (int i = 0; i < 2; i++) tpgnn_batch_free(&t->buffer[i]);
    tpgnn_batch_free(&t->part);
    tpgnn_sampler_close(&t->sampler);
    harness_free(t->label);
    tpgnn_checkpoint_free(&t->state);
    tpgnn_model_free(&t->model);
    tpgnn_data_free(&t->valid);
    tpgnn_data_free(&t->data);
    ag_tape_free(t->tape);
}

ag_status tpgnn_train(const tpgnn_settings *settings, const harness_options *options,
                      const char *folder, harness_run_mode mode, const char *command_line, int show,
                      double *mean, ag_failure *why)
{
    tpgnn_training t = {.settings = settings,
                        .options = options,
                        .folder = folder,
                        .command_line = command_line,
                        .show = show};
    for (int i = 0; i < TPGNN_MEASURES; i++) mean[i] = (double)NAN;
    if (!tpgnn_train_begin(&t, mode, why) && !harness_interrupted())
        harness_trainer_run(&t.trainer, why);
    if (!why->status && !harness_interrupted()) tpgnn_train_end(&t, mean, why);
    harness_trainer_close(&t.trainer, why);
    tpgnn_train_close(&t);
    return why->status;
}

ag_status tpgnn_train_command(harness_call *call, ag_failure *why)
{
    const tpgnn_settings *s = call->values;
    double mean[TPGNN_MEASURES];
    return tpgnn_train(s, call->options, s->common.out, harness_mode(&s->common),
                       call->command_line, 1, mean, why);
}
