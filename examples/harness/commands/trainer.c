/* SPDX-License-Identifier: MIT */
/* The training loop, and how a run goes on. */
#include "examples/harness/machine/processor.h"
#include "core/error.h"
#include "examples/harness/rank/rank.h"
#include "examples/harness/commands/trainer.h"
#include "examples/harness/commands/loader.h"
#include "examples/harness/mpi/ranks.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- how a run goes on ---- */

/* A schedule that starts again has no warm-up: the optimizer's moments are there. */
static ag_schedule schedule_of(const harness_training *how, const harness_state *p)
{
    return (ag_schedule){.kind = (ag_schedule_kind)how->schedule,
                         .lr = p->begun ? p->begun_rate : how->learning_rate,
                         .warmup = p->begun ? 0 : (int64_t)ceil(how->warmup * (double)how->steps),
                         .total = how->steps - p->begun,
                         .rate = how->decay_rate,
                         .every = how->decay_every};
}

static void say_stopped(const harness_session *s)
{
    harness_say("stopped after step %lld of %lld: %s has not improved in %lld validations, since "
                "step %lld (--patience)",
                (long long)s->trained.state->step, (long long)s->how.steps, s->measure[0],
                (long long)s->how.patience, (long long)harness__waits_since(s->trained.state));
}

/* The steps of `before` are done, and more are asked for. */
static ag_status go_beyond(harness_session *s, const harness_training *before, ag_failure *why)
{
    harness_state *p = s->trained.state;
    const harness_training *how = &s->how;
    if (p->step < before->steps && !harness__exhausted(before, p))
        return ag_fail(why, AG_EUSE,
                       "--resume: the run in %.160s has done %lld of its %lld steps; only a "
                       "finished run goes on to %lld: finish it first, without --steps",
                       s->folder, (long long)p->step, (long long)before->steps,
                       (long long)how->steps);
    const ag_schedule old = schedule_of(before, p);
    const int other = how->learning_rate != before->learning_rate;
    p->begun_rate = other ? how->learning_rate : ag_schedule_at(&old, p->step - 1 - p->begun);
    p->begun = p->step;
    s->schedule = schedule_of(how, p);
    harness_say("the run had ended after step %lld; its schedule starts again, from the learning "
                "rate %.3g%s",
                (long long)p->step, p->begun_rate, other ? "" : " of its last step");
    return ag_schedule_check(&s->schedule, why);
}

/* More --steps may add none, where other options decide how many there are: then the schedule
   goes on. */
static ag_status keep_schedule(const harness_session *s, const harness_training *before,
                               ag_failure *why)
{
    const harness_training *how = &s->how;
    if (how->learning_rate == before->learning_rate && how->schedule == before->schedule &&
        how->decay_rate == before->decay_rate && how->decay_every == before->decay_every)
        return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "--resume: the run in %.160s still has %lld steps, so its learning rate and "
                   "schedule stay as they were; omit them, or ask for more steps",
                   s->folder, (long long)how->steps);
}

/* A run that was interrupted before its first save starts again. */
static ag_status resume(harness_session *s, ag_failure *why)
{
    const char *last = harness_format("%s/" HARNESS_LAST, s->folder);
    harness_state *p = s->trained.state;
    harness_training before = s->how;
    if (access(last, F_OK) == 0 && harness_trained_resume(last, s, &before, why))
        return why->status;
    if (before.steps < s->how.steps ? go_beyond(s, &before, why) : keep_schedule(s, &before, why))
        return why->status;
    if (p->step > s->how.steps)
        return ag_fail(why, AG_EUSE,
                       "%.200s has done %lld steps already, more than the %lld asked for", last,
                       (long long)p->step, (long long)s->how.steps);
    if (harness_run_config(s->run, s->options, why)) return why->status;
    s->schedule = schedule_of(&s->how, p);
    harness_say("going on after step %lld of %lld", (long long)p->step, (long long)s->how.steps);
    harness_device_changed(s->folder, s->options);
    return harness_run_rewind(s->run, p->step, why);
}

enum { FIXED_COLUMNS = 3 }; /* loss, rate, norm */

/* ---- before the first step ---- */

static ag_status make_optimizer(harness_session *s, ag_failure *why)
{
    s->adamw = ag_adamw_default();
    s->adamw.decay = s->how.weight_decay;
    s->schedule = schedule_of(&s->how, s->trained.state);
    ag_check_finite(s->tape, s->how.check_finite);
    return ag_schedule_check(&s->schedule, why);
}

static ag_status begin_run(harness_session *s, ag_failure *why)
{
    const char *columns[FIXED_COLUMNS + HARNESS_MOST_SCORES] = {"loss", "rate", "norm"};
    for (int i = 0; i < s->measures; i++) columns[FIXED_COLUMNS + i] = s->measure[i];
    if (!harness_run_begin(s->run, columns, FIXED_COLUMNS + s->measures, why) && s->resumes)
        resume(s, why);
    else if (!why->status && harness_run_config(s->run, s->options, why))
        harness_run_undo(s->run);
    s->begun = !why->status;
    return why->status;
}

static ag_status open_feed(harness_session *s, ag_failure *why)
{
    const harness_model *m = s->model;
    s->feed = harness_alloc(m->feed_bytes);
    if (!m->begin || m->begin(s, why)) return why->status;
    for (int i = 0; i < 2; i++) s->buffer[i] = harness_alloc(m->batch_bytes);
    s->loader = harness_loader_new(m->fill, s->feed, s->buffer[0], s->buffer[1], &s->batches, true);
    return AG_OK;
}

ag_status harness_session_batches(harness_session *s, ag_failure *why)
{
    s->batches = (harness_batches){.step = s->trained.state->step, .shards = s->how.shards};
    s->sum = ag_shards_new(s->trained.params, s->how.shards, s->ranks, why);
    ag_shards_part(&s->batches.first, &s->batches.end, s->sum);
    if (s->ranks && s->sum)
        s->loss = harness_alloc((size_t)(s->batches.end - s->batches.first) * sizeof *s->loss);
    return why->status ? why->status : open_feed(s, why);
}

/* Ranks compare what they have before rank 0 changes the folder, and what they go on from. */
ag_status harness__trainer_open(harness_session *s, ag_failure *why)
{
    if (make_optimizer(s, why) || harness__trainer_compare(s, why) || begin_run(s, why) ||
        harness__trainer_compare(s, why) ||
        harness_ranks_log(s->ranks, s->model->program->name, s->folder, why) ||
        harness__trainer_link(s, why) ||
        ag_params_to(s->trained.params, ag_tape_device(s->tape), why))
        return why->status;
    return harness_session_batches(s, why);
}

/* ---- steps ---- */

ag_status harness__trainer_save(harness_session *s, const char *name, ag_failure *why)
{
    const int last = strcmp(name, HARNESS_LAST) == 0;
    if (!harness_leads(s->ranks) || harness_run_stays(s->run, why)) return why->status;
    if (last && harness_run_sync(s->run, why)) return why->status;
    char *path = harness_text("%s/%s", s->folder, name);
    harness_trained_save(path, &s->trained, last, why);
    harness_free(path);
    return why->status;
}

/* Scores all that is held out. After an interruption, the step and its row of metrics are finished
   before the run ends. */
static ag_status validate(harness_session *s, double *measure, ag_failure *why)
{
    const harness_model *m = s->model;
    const harness_scoring how = {
        .tape = s->tape, .settings = s->settings, .models = 1, .patient = true};
    const harness_runs mine = {.model = m, .run = &s->trained, .count = 1};
    void *results = harness_alloc(m->results_bytes);
    ((harness_rank *)results)->sample = true;
    harness_rank_open(results, &mine, s->data, s->settings);
    if (!m->add(results, &s->trained, &how, why) && !harness_rank_finite(results, why) &&
        !m->compute(results, why))
        harness_rank_values(measure, results);
    harness_rank_close(results);
    harness_free(results);
    return why->status;
}

static ag_status log_row(harness_session *s, const double *scores, ag_failure *why)
{
    harness_state *p = s->trained.state;
    double row[FIXED_COLUMNS + HARNESS_MOST_SCORES] = {p->loss_sum / (double)p->loss_count, s->rate,
                                                       s->norm};
    for (int i = 0; i < s->measures; i++) row[FIXED_COLUMNS + i] = scores ? scores[i] : (double)NAN;
    p->loss_sum = 0;
    p->loss_count = 0;
    return harness_run_metrics(s->run, p->step, row, why);
}

/* Reports the score and keeps the best checkpoint. */
static ag_status judge(harness_session *s, double score, double loss, ag_failure *why)
{
    harness_state *p = s->trained.state;
    const char *name = s->measure[0];
    const int worse = s->smaller ? score >= p->best : score <= p->best;
    const int better = !isnan(score) && !worse;
    if (better) {
        p->best = score;
        p->best_step = p->step;
    }
    harness_say("step %lld of %lld: loss %.5g, %s %.4f%s", (long long)p->step,
                (long long)s->how.steps, loss, name, score, better ? " (best so far)" : "");
    snprintf(s->note, sizeof s->note, "%s %.4f", name, score);
    return better ? harness__trainer_save(s, HARNESS_BEST, why) : AG_OK;
}

/* In a log, ten lines in a run at least, in the same steps whenever it was begun; and one after a
   long silence. A validation has a line of its own. */
static void log_step(const harness_session *s, double loss)
{
    const int64_t step = s->trained.state->step, steps = s->how.steps;
    char left[32];
    if (!s->bar.logged) return;
    if (harness_silence() >= HARNESS_LONG_SILENCE) {
        harness_time_left(left, step, steps, step - s->bar.first,
                          harness_seconds() - s->bar.started);
        harness_log("step %lld of %lld: loss %.5g, %s left", (long long)step, (long long)steps,
                    loss, left);
    } else if (step * 10 / steps > (step - 1) * 10 / steps) {
        harness_log("step %lld of %lld: loss %.5g", (long long)step, (long long)steps, loss);
    }
}

/* Writes the seconds of training since s->since, which is now; of ranks also those in sums. */
static ag_status time_training(harness_session *s, ag_failure *why)
{
    const double now = harness_seconds(), taken = now - s->since;
    const int64_t step = s->trained.state->step;
    s->since = now;
    if (!harness_run_timing(s->run, step, "training", taken, why) && s->ranks)
        harness_run_timing(s->run, step, "sum", s->summing, why);
    s->summing = 0;
    return why->status;
}

/* The time has a row of this step, since a run that goes on from it has lost all later rows. */
static ag_status save_last(harness_session *s, ag_failure *why)
{
    if (time_training(s, why)) return why->status;
    s->saved = s->since;
    return harness__trainer_save(s, HARNESS_LAST, why);
}

static bool save_is_due(const harness_session *s, int64_t step)
{
    const double minutes = s->how.save_minutes;
    return step % s->how.save_every == 0 ||
           (minutes > 0 && harness_seconds() - s->saved >= 60 * minutes);
}

/* Does the work that is due after a step: a validation, a row of metrics, a save. */
static ag_status after_step(harness_session *s, ag_failure *why)
{
    const harness_training *how = &s->how;
    harness_state *p = s->trained.state;
    const int64_t step = p->step;
    const int last = step == how->steps;
    const int due = s->validates && (last || step % how->eval_every == 0);
    const int validates = due && harness_leads(s->ranks);
    const double loss = p->loss_sum / (double)p->loss_count;
    double scores[HARNESS_MOST_SCORES];
    if (validates) {
        if (time_training(s, why)) return why->status;
        const double begin = s->since;
        if (validate(s, scores, why)) return why->status;
        s->since = harness_seconds();
        harness_run_timing(s->run, step, "validation", s->since - begin, why);
    }
    if (due || last || step % how->log_every == 0) log_row(s, validates ? scores : NULL, why);
    if (!validates) log_step(s, loss);
    if (!why->status && validates) judge(s, scores[0], loss, why);
    if (!why->status && due) /* all get the best score of rank 0; the rest of the state is equal */
        harness_ranks_tell(s->ranks, p, sizeof *p, "a validation", why);
    if (!why->status && (last || harness__trainer_stopped(s) || save_is_due(s, step)))
        save_last(s, why);
    return why->status;
}

ag_status harness__trainer_run(harness_session *s, ag_failure *why)
{
    const harness_state *p = s->trained.state;
    const int64_t steps = s->how.steps;
    char note[160];
    s->since = s->saved = harness_seconds();
    harness_peak_begin();
    harness_progress_start(&s->bar, "train", p->step, steps);
    while (p->step < steps && !harness__trainer_stopped(s) && harness__trainer_goes_on(s, why)) {
        if (harness_session_step(s, why) || after_step(s, why)) break;
        if (p->loss_count)
            snprintf(note, sizeof note, "loss %.4g %s", p->loss_sum / (double)p->loss_count,
                     s->note);
        if (s->bar.shown) harness_progress_update(&s->bar, p->step, note);
    }
    harness_progress_end(&s->bar);
    const double peak = p->step > s->bar.first ? harness_peak_mib() : (double)NAN;
    if (!why->status && !isnan(peak)) harness_run_timing(s->run, p->step, "peak MiB", peak, why);
    if (!why->status && harness__trainer_stopped(s)) say_stopped(s);
    ag_failure saving = {0};
    if (why->status != AG_ESTOPPED || !save_last(s, &saving)) return why->status;
    *why = saving;
    return why->status;
}
