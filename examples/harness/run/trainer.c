/* SPDX-License-Identifier: MIT */
/* The training loop. */
#include "examples/harness/run/trainer.h"

#include "examples/harness/cli/options_internal.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { FIXED_COLUMNS = 3 }; /* loss, rate, norm */

/* ---- before the first step ---- */

static ag_status make_optimizer(harness_trainer *t, ag_failure *why)
{
    const harness_training *how = t->how;
    t->adamw = ag_adamw_default();
    t->adamw.decay = how->weight_decay;
    t->schedule = (ag_schedule){.kind = (ag_schedule_kind)how->schedule,
                                .lr = how->learning_rate,
                                .warmup = (int64_t)ceil(how->warmup * (double)how->steps),
                                .total = how->steps,
                                .rate = how->decay_rate,
                                .every = how->decay_every};
    ag_check_finite(t->tape, how->check_finite);
    return ag_schedule_check(&t->schedule, why);
}

static ag_status open_folder(harness_trainer *t, harness_run_mode mode, ag_failure *why)
{
    const char *columns[FIXED_COLUMNS + HARNESS_MOST_SCORES] = {"loss", "rate", "norm"};
    for (int i = 0; i < t->of.score_count; i++) columns[FIXED_COLUMNS + i] = t->of.scores[i];
    t->run = harness_run_open(t->folder, mode, columns, FIXED_COLUMNS + t->of.score_count, why);
    if (!t->run) return why->status;
    return mode == HARNESS_RESUME ? AG_OK : harness_run_config(t->run, t->options, why);
}

/* An earlier version may have chosen the best checkpoint by another measure. Its score becomes its
   value of the present one, which metrics.jsonl has with nine digits. */
static ag_status restate_best(harness_trainer *t, ag_failure *why)
{
    harness_state *p = t->state;
    double *steps = NULL, *values = NULL;
    int64_t n = 0;
    if (isnan(p->best) || !t->of.score_count) return AG_OK;
    harness_run_column(t->run, t->of.scores[0], &steps, &values, &n, why);
    for (int64_t i = 0; i < n; i++)
        if ((int64_t)steps[i] == p->best_step && fabs(values[i] - p->best) > 1e-6 * fabs(p->best))
            p->best = values[i];
    harness_free(steps);
    harness_free(values);
    return why->status;
}

/* A run that was interrupted before its first save starts again. */
static ag_status resume(harness_trainer *t, ag_failure *why)
{
    const char *last = harness_run_path(t->run, HARNESS_LAST);
    if (access(last, F_OK) == 0 && t->of.load(t->of.user, last, why)) return why->status;
    if (t->state->step > t->how->steps)
        return ag_fail(why, AG_EUSE,
                       "%.200s has done %lld steps already, more than the %lld asked for", last,
                       (long long)t->state->step, (long long)t->how->steps);
    harness_say("going on after step %lld of %lld", (long long)t->state->step,
                (long long)t->how->steps);
    harness_device_changed(t->folder, t->options);
    return harness_run_rewind(t->run, t->state->step, why) ? why->status : restate_best(t, why);
}

ag_status harness_trainer_open(harness_trainer *t, harness_run_mode mode, ag_failure *why)
{
    if (make_optimizer(t, why) || open_folder(t, mode, why) ||
        (mode == HARNESS_RESUME && resume(t, why)))
        return why->status;
    return ag_params_to(t->of.params, ag_tape_device(t->tape), why);
}

/* ---- steps ---- */

ag_status harness_trainer_save(harness_trainer *t, const char *name, ag_failure *why)
{
    const int resume = strcmp(name, HARNESS_LAST) == 0;
    if (resume && harness_run_sync(t->run, why)) return why->status;
    return t->of.save(t->of.user, harness_run_path(t->run, name), resume, why);
}

static ag_status log_row(harness_trainer *t, const double *scores, ag_failure *why)
{
    harness_state *p = t->state;
    double row[FIXED_COLUMNS + HARNESS_MOST_SCORES] = {p->loss_sum / (double)p->loss_count, t->rate,
                                                       t->norm};
    for (int i = 0; i < t->of.score_count; i++)
        row[FIXED_COLUMNS + i] = scores ? scores[i] : (double)NAN;
    p->loss_sum = 0;
    p->loss_count = 0;
    return harness_run_metrics(t->run, p->step, row, why);
}

/* Reports the score and keeps the best checkpoint. */
static ag_status judge(harness_trainer *t, double score, double loss, ag_failure *why)
{
    harness_state *p = t->state;
    const char *name = t->of.scores[0];
    const int worse = t->of.smaller ? score >= p->best : score <= p->best;
    const int better = !isnan(score) && !worse;
    if (better) {
        p->best = score;
        p->best_step = p->step;
    }
    harness_say("step %lld of %lld: loss %.5g, %s %.4f%s", (long long)p->step,
                (long long)t->how->steps, loss, name, score, better ? " (best so far)" : "");
    snprintf(t->note, sizeof t->note, "%s %.4f", name, score);
    return better ? harness_trainer_save(t, HARNESS_BEST, why) : AG_OK;
}

/* Does the work that is due after a step: a validation, a row of metrics, a save. */
static ag_status after_step(harness_trainer *t, double *since, ag_failure *why)
{
    const harness_training *how = t->how;
    const int64_t step = t->state->step;
    const int end = step == how->steps;
    const int validates = t->of.validates && (end || step % how->eval_every == 0);
    const double loss = t->state->loss_sum / (double)t->state->loss_count;
    double scores[HARNESS_MOST_SCORES];
    if (validates) {
        const double begin = harness_seconds();
        if (harness_run_timing(t->run, step, "training", begin - *since, why) ||
            t->of.validate(t->of.user, scores, why))
            return why->status;
        *since = harness_seconds();
        harness_run_timing(t->run, step, "validation", *since - begin, why);
    }
    if (validates || end || step % how->log_every == 0) log_row(t, validates ? scores : NULL, why);
    if (!why->status && validates) judge(t, scores[0], loss, why);
    if (!why->status && (end || step % how->save_every == 0))
        harness_trainer_save(t, HARNESS_LAST, why);
    return why->status;
}

ag_status harness_trainer_run(harness_trainer *t, ag_failure *why)
{
    const harness_state *p = t->state;
    const int64_t steps = t->how->steps;
    char note[160];
    double since = harness_seconds();
    harness_progress_start(&t->bar, "train", p->step, steps);
    while (p->step < steps && harness_go_on(why)) {
        if (harness_trainer_step(t, why) || after_step(t, &since, why)) break;
        if (p->loss_count)
            snprintf(note, sizeof note, "loss %.4g %s", p->loss_sum / (double)p->loss_count,
                     t->note);
        harness_progress_update(&t->bar, p->step, note);
    }
    harness_progress_end(&t->bar);
    ag_failure saving = {0};
    if (why->status != AG_ESTOPPED || !harness_trainer_save(t, HARNESS_LAST, &saving))
        return why->status;
    *why = saving;
    return why->status;
}

/* ---- the end ---- */

ag_status harness_trainer_plot(const harness_trainer *t, ag_failure *why)
{
    const char *score = t->of.scores[0];
    harness_curve loss = {.name = "loss"}, valid = {.name = score};
    double *x[2] = {0}, *y[2] = {0};
    if (!harness_run_column(t->run, "loss", &x[0], &y[0], &loss.n, why) &&
        !harness_run_column(t->run, score, &x[1], &y[1], &valid.n, why)) {
        loss.x = x[0];
        loss.y = y[0];
        valid.x = x[1];
        valid.y = y[1];
        harness_plot_curves(t->folder, "curves", "Training loss and validation score", loss, valid,
                            why);
    }
    for (int i = 0; i < 2; i++) {
        harness_free(x[i]);
        harness_free(y[i]);
    }
    return why->status;
}

void harness_trainer_done(harness_trainer *t)
{
    t->done = true;
    harness_say("the run is in %s; open %s/" HARNESS_REPORT, t->folder, t->folder);
}

/* Says what an interrupted run lacks, and how to complete it: a study has no --resume. */
static void say_interrupted(const harness_trainer *t)
{
    const long long step = t->state->step, steps = t->how->steps;
    const int alone = t->options->command == HARNESS_TRAIN;
    if (step < steps)
        harness_say("interrupted after step %lld of %lld; %s", step, steps,
                    alone ? "go on with --resume" : "the same command goes on");
    else
        harness_say("interrupted after all %lld steps, before the scores and the report were "
                    "ready; %s",
                    steps, alone ? "make them with --resume" : "the same command makes them");
}

ag_status harness_trainer_close(harness_trainer *t, ag_failure *why)
{
    ag_failure closing = {0};
    const bool stopped = why->status == AG_ESTOPPED;
    if (t->run && !t->done && stopped) say_interrupted(t);
    harness_run_close(t->run, &closing);
    t->run = NULL;
    if ((!why->status || stopped) && closing.status) *why = closing;
    return why->status;
}
