/* SPDX-License-Identifier: MIT */
/* A training run: the preparation, the end, and the command. */
#include "examples/harness/rank/rank.h"
#include "examples/harness/run/trained.h"
#include "examples/harness/run/trainer.h"

/* ---- before the first step ---- */

/* Names the measures, and says whether anything is held out. */
static ag_status look_ahead(harness_session *s, ag_failure *why)
{
    const harness_model *m = s->model;
    void *results = harness_alloc(m->results_bytes);
    m->open(results, s->data, s->settings);
    s->measures = harness_rank_measures(s->measure, &s->smaller, results);
    s->validates = harness_rank_groups(results) > 0;
    if (s->compares && !s->validates)
        ag_fail(why, AG_EUSE, "a study compares scores, but nothing is held out; %s",
                harness_rank_hold_out(results));
    m->close_results(results);
    harness_free(results);
    if (!s->how.patience || s->validates || why->status) return why->status;
    return ag_fail(why, AG_EUSE,
                   "--patience waits for a better score, but nothing is held out; give --valid, "
                   "or omit it");
}

ag_status harness_session_begin(harness_session *s, harness_run_mode mode, ag_failure *why)
{
    const harness_model *m = s->model;
    s->data = harness_alloc(m->data_bytes);
    s->feed = harness_alloc(m->feed_bytes);
    s->resumes = mode == HARNESS_RESUME;
    if (harness_run_check(s->folder, mode, why)) return why->status;
    s->tape = harness_tape_new(&s->settings->common, why);
    if (!s->tape || m->read(s, why)) return why->status;
    s->how = s->settings->training;
    if (harness_trained_create(s, why) || (m->plan && m->plan(s, why)) || look_ahead(s, why) ||
        harness__trainer_open(s, mode, why))
        return why->status;
    return m->begin ? m->begin(s, why) : AG_OK;
}

/* Says what an interrupted run lacks, and how to complete it: a study has no --resume. */
static void say_interrupted(const harness_session *s)
{
    const long long step = s->trained.state->step, steps = s->how.steps;
    if (step < steps)
        harness_say("interrupted after step %lld of %lld; %s", step, steps,
                    s->show ? "go on with --resume" : "the same command goes on");
    else
        harness_say("interrupted after all %lld steps, before the scores and the report were "
                    "ready; %s",
                    steps, s->show ? "make them with --resume" : "the same command makes them");
}

ag_status harness_session_close(harness_session *s, ag_failure *why)
{
    ag_failure closing = {0};
    const bool stopped = why->status == AG_ESTOPPED;
    if (s->run && !s->done && stopped) say_interrupted(s);
    harness_run_close(s->run, &closing);
    if ((!why->status || stopped) && closing.status) *why = closing;
    if (s->model->end) s->model->end(s->feed);
    harness_trained_drop(&s->trained);
    s->model->close(s->data);
    harness_free(s->feed);
    harness_free(s->data);
    ag_tape_free(s->tape);
    return why->status;
}

/* ---- the whole ---- */

ag_status harness_train(harness_session *s, harness_run_mode mode, struct json_t *result,
                        ag_failure *why)
{
    if (!harness_session_begin(s, mode, why)) harness__trainer_run(s, why);
    if (harness_go_on(why)) harness_session_end(s, result, why);
    return harness_session_close(s, why);
}

ag_status harness_train_command(harness_call *call, ag_failure *why)
{
    harness_settings *settings = call->values;
    harness_session s = {.model = call->program->model,
                         .settings = settings,
                         .options = call->options,
                         .folder = settings->common.out,
                         .command_line = call->command_line,
                         .show = true};
    if (harness_options_act(s.options, harness_model_files(s.model, settings), why))
        return why->status;
    return harness_train(&s, harness_mode(&settings->common), NULL, why);
}
