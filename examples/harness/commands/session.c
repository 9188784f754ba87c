/* SPDX-License-Identifier: MIT */
/* A training run: the preparation, the end, and the command. */
#include "examples/harness/rank/rank.h"
#include "core/error.h"
#include "examples/harness/commands/loader.h"
#include "examples/harness/commands/trainer.h"
#include "examples/harness/mpi/ranks.h"
#include "examples/harness/rank/unseen.h"

#include <jansson.h>
#include <math.h>

/* Names the measures, and says whether anything is held out. */
static ag_status look_ahead(harness_session *s, ag_failure *why)
{
    const harness_model *m = s->model;
    const harness_runs mine = {.model = m, .run = &s->trained, .count = 1};
    void *results = harness_alloc(m->results_bytes);
    harness_rank_open(results, &mine, s->data, s->settings);
    s->measures = harness_rank_measures(s->measure, &s->smaller, results);
    s->validates = harness_rank_groups(results) > 0;
    if (s->compares && !s->validates)
        ag_fail(why, AG_EUSE, "a study compares scores, but nothing is held out; %s",
                harness_rank_hold_out(results));
    harness_rank_close(results);
    harness_free(results);
    if (!s->how.patience || s->validates || why->status) return why->status;
    return ag_fail(why, AG_EUSE,
                   "--patience waits for a better score, but nothing is held out; give --valid, "
                   "or omit it");
}

/* Rank 0 takes the folder before the others use it. */
static ag_status open_run(harness_session *s, harness_run_mode mode, ag_failure *why)
{
    int ready = 1;
    if (harness_leads(s->ranks)) s->run = harness_run_open(s->folder, mode, why);
    if (!why->status)
        harness_ranks_tell(s->ranks, &ready, sizeof ready, "the beginning of the run", why);
    return why->status;
}

ag_status harness_session_begin(harness_session *s, harness_run_mode mode, ag_failure *why)
{
    const harness_model *m = s->model;
    s->data = harness_alloc(m->data_bytes);
    s->resumes = mode == HARNESS_RESUME;
    if (open_run(s, mode, why)) return why->status;
    s->tape = harness_tape_new(&s->settings->common, why);
    if (!s->tape || m->read(s, why)) return why->status;
    s->how = s->settings->training;
    if (harness_trained_create(s, why)) return why->status;
    if (m->plan) m->plan(s);
    return look_ahead(s, why) ? why->status : harness__trainer_open(s, why);
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

static void close_feed(harness_session *s)
{
    harness_loader_free(s->loader);
    for (int i = 0; i < 2; i++) {
        if (s->buffer[i]) s->model->free_batch(s->buffer[i]);
        harness_free(s->buffer[i]);
    }
    if (s->feed && s->model->end) s->model->end(s->feed);
    harness_free(s->feed);
}

ag_status harness_session_close(harness_session *s, ag_failure *why)
{
    ag_failure closing = {0};
    const bool stopped = why->status == AG_ESTOPPED;
    if (s->begun && !s->done && stopped) say_interrupted(s);
    harness_run_close(s->run, &closing);
    if ((!why->status || stopped) && closing.status) *why = closing;
    close_feed(s);
    ag_shards_free(s->sum);
    harness_free(s->loss);
    harness_trained_drop(&s->trained);
    if (s->data) s->model->close(s->data);
    harness_free(s->data);
    ag_tape_free(s->tape);
    return why->status;
}

/* Scores the network of best.safetensors or, without a validation, the last one. */
static ag_status score_best(harness_session *s, void *results, ag_failure *why)
{
    const harness_model *m = s->model;
    if (isnan(s->trained.state->best) && harness__trainer_save(s, HARNESS_BEST, why))
        return why->status;
    if (!harness_rank_groups(results)) return m->compute(results, why);
    harness_trained best = {0};
    const harness_scoring how = {.tape = s->tape, .settings = s->settings, .models = 1};
    if (!harness_trained_load(&best, m, harness_run_path(s->run, HARNESS_BEST), why) &&
        !ag_params_to(best.params, ag_tape_device(s->tape), why))
        m->add(results, &best, &how, why);
    if (!why->status && !harness_rank_finite(results, why)) harness_warn_alike(m, results);
    if (!why->status && s->settings->baselines && s->show) m->compare(results, why);
    if (!why->status && m->repeat) m->repeat(results);
    if (harness_go_on(why)) m->compute(results, why);
    harness_trained_drop(&best);
    return why->status;
}

static json_t *summary(const harness_session *s, const void *results)
{
    const harness_state *state = s->trained.state;
    json_t *j = harness_rank_json(results);
    json_object_set_new(j, "run", json_string(s->folder));
    json_object_set_new(j, "parameters", json_integer(ag_params_count(s->trained.params)));
    json_object_set_new(j, "steps", json_integer(state->step));
    if (harness__trainer_stopped(s)) json_object_set_new(j, "stopped", json_true());
    json_object_set_new(j, "best-step",
                        isnan(state->best) ? json_null() : json_integer(state->best_step));
    return j;
}

static ag_status show(const harness_session *s, const void *results, ag_failure *why)
{
    if (s->settings->common.json) return harness_json_print(summary(s, results), why);
    if (harness_rank_groups(results))
        harness_rank_print(results, s->model->held_out);
    else
        printf("%lld steps done; nothing was held out, so there are no scores\n",
               (long long)s->trained.state->step);
    return AG_OK;
}

/* The loss and the first score. */
static ag_status plot_curves(const harness_session *s, ag_failure *why)
{
    harness_curve curve[2] = {{.name = "loss"}, {.name = s->measure[0]}};
    const char *path = harness_run_path(s->run, "metrics.jsonl");
    if (!harness_run_column(&curve[0], path, curve[0].name, why) &&
        !harness_run_column(&curve[1], path, curve[1].name, why))
        harness_plot_curves(s->folder, "curves", "Training loss and validation score", curve[0],
                            curve[1], why);
    harness_free(curve[0].x);
    harness_free(curve[1].x);
    return why->status;
}

static ag_status present(harness_session *s, const void *results, ag_failure *why)
{
    if (!harness_run_stays(s->run, why) && !plot_curves(s, why) && harness_rank_groups(results))
        harness_rank_plot(s, results, why);
    if (harness_go_on(why) && !harness_run_stays(s->run, why) &&
        !harness_rank_report(s, results, why) && (!s->show || !show(s, results, why))) {
        s->done = true;
        harness_say("the run is in %s; open %s/" HARNESS_REPORT, s->folder, s->folder);
    }
    return why->status;
}

static ag_status conclude(harness_session *s, json_t *result, ag_failure *why)
{
    const harness_model *m = s->model;
    const harness_runs mine = {.model = m, .run = &s->trained, .count = 1};
    void *results = harness_alloc(m->results_bytes);
    harness_rank_open(results, &mine, s->data, s->settings);
    if (!harness_run_stays(s->run, why) && !score_best(s, results, why)) {
        if (result && harness_rank_groups(results)) harness_rank_result(result, results);
        if (result)
            json_object_set_new(result, "parameters",
                                json_integer(ag_params_count(s->trained.params)));
        present(s, results, why);
    }
    harness_rank_close(results);
    harness_free(results);
    return why->status;
}

ag_status harness_train(harness_session *s, harness_run_mode mode, struct json_t *result,
                        ag_failure *why)
{
    if (!harness_session_begin(s, mode, why)) harness__trainer_run(s, why);
    if (harness__trainer_goes_on(s, why) && harness_leads(s->ranks)) conclude(s, result, why);
    return harness_session_close(s, why);
}

ag_status harness_train_command(harness_call *call, ag_failure *why)
{
    harness_settings *settings = call->values;
    if (harness__trainer_join(call, why)) return why->status;
    harness_session s = {.model = call->program->model,
                         .settings = settings,
                         .options = call->options,
                         .folder = settings->common.out,
                         .command_line = call->command_line,
                         .ranks = call->ranks,
                         .show = true};
    if (harness_options_act(s.options, harness_model_files(s.model, settings), why))
        return why->status;
    harness_train(&s, harness_mode(&settings->common), NULL, why);
    call->agreed = s.stops;
    return why->status;
}
