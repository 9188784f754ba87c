/* SPDX-License-Identifier: MIT */
/* A training run: the preparation, what the trainer calls, and the command. */
#include "examples/harness/run/trained.h"

#include <math.h>

/* ---- before the first step ---- */

static ag_status save(void *user, const char *path, int resume, ag_failure *why)
{
    const harness_session *s = user;
    return harness_trained_save(path, &s->trained, resume, why);
}

static ag_status load(void *user, const char *path, ag_failure *why)
{
    harness_session *s = user;
    return harness_trained_resume(path, &s->trained, why);
}

/* Scores all that is held out. After an interruption, the step and its row of metrics are finished
   before the run ends. */
static ag_status validate(void *user, double *measure, ag_failure *why)
{
    harness_session *s = user;
    const harness_model *m = s->model;
    const harness_scoring how = {
        .tape = s->tape, .settings = s->settings, .models = 1, .patient = true};
    void *results = harness_alloc(m->results_bytes);
    m->open(results, s->data, s->settings);
    if (!m->add(results, &s->trained, &how, why) && !m->compute(results, why))
        m->values(measure, results);
    m->close_results(results);
    harness_free(results);
    return why->status;
}

/* Names the measures, and says whether anything is held out. */
static void look_ahead(harness_session *s, harness_trainee *of)
{
    const harness_model *m = s->model;
    void *results = harness_alloc(m->results_bytes);
    m->open(results, s->data, s->settings);
    of->score_count = m->measures(s->measure, &of->smaller, results);
    of->validates = m->groups(results) > 0;
    m->close_results(results);
    harness_free(results);
}

static ag_status open_trainer(harness_session *s, harness_run_mode mode, ag_failure *why)
{
    const harness_model *m = s->model;
    harness_trainee of = {.user = s,
                          .params = s->trained.params,
                          .seed = s->settings->common.seed,
                          .scores = s->measure,
                          .record = m->record,
                          .portion = m->portion,
                          .validate = m->validate ? m->validate : validate,
                          .save = save,
                          .load = load};
    look_ahead(s, &of);
    s->trainer = (harness_trainer){.how = &s->how,
                                   .options = s->options,
                                   .folder = s->folder,
                                   .of = of,
                                   .state = s->trained.state,
                                   .tape = s->tape};
    return harness_trainer_open(&s->trainer, mode, why);
}

ag_status harness_session_begin(harness_session *s, harness_run_mode mode, ag_failure *why)
{
    const harness_model *m = s->model;
    s->data = harness_alloc(m->data_bytes);
    s->feed = harness_alloc(m->feed_bytes);
    s->how = s->settings->training;
    s->tape = harness_tape_new(&s->settings->common, why);
    if (!s->tape || m->read(s, why) || harness_trained_create(s, why) ||
        (m->plan && m->plan(s, why)) || open_trainer(s, mode, why))
        return why->status;
    return m->begin ? m->begin(s, why) : AG_OK;
}

void harness_session_close(harness_session *s)
{
    if (s->model->end) s->model->end(s->feed);
    harness_trained_drop(&s->trained);
    s->model->close(s->data);
    harness_free(s->feed);
    harness_free(s->data);
    ag_tape_free(s->tape);
}

/* ---- the whole ---- */

ag_status harness_train(harness_session *s, harness_run_mode mode, double *column, ag_failure *why)
{
    if (!harness_session_begin(s, mode, why)) harness_trainer_run(&s->trainer, why);
    if (harness_go_on(why)) harness_session_end(s, column, why);
    harness_trainer_close(&s->trainer, why);
    harness_session_close(s);
    return why->status;
}

ag_status harness_train_command(harness_call *call, ag_failure *why)
{
    const harness_settings *settings = call->values;
    harness_session s = {.model = call->program->model,
                         .settings = settings,
                         .options = call->options,
                         .folder = settings->common.out,
                         .command_line = call->command_line,
                         .show = true};
    return harness_train(&s, harness_mode(&settings->common), NULL, why);
}
