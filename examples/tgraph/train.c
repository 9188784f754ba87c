/* SPDX-License-Identifier: MIT */
/* The training loop. */
#include "examples/tgraph/train.h"

#include <math.h>
#include <string.h>

ag_status tgraph_train_save(tgraph_training *t, const char *name, ag_failure *why)
{
    const int resume = strcmp(name, HARNESS_LAST) == 0;
    if (resume && harness_run_sync(t->run, why)) return why->status;
    return tgraph_checkpoint_save(harness_run_path(t->run, name), &t->model, &t->state, resume,
                                  why);
}

ag_status tgraph_train_validate(tgraph_training *t, tgraph_grades *mean, ag_failure *why)
{
    tgraph_grades *grades = harness_alloc((size_t)t->scored_count * sizeof *grades);
    t->scorer.patient = 1; /* a step is finished, its row written, before an interrupted run ends */
    for (int i = 0; i < t->scored_count && !why->status; i++)
        if (!tgraph_score(&t->scorer, t->scored[i], t->sample[i], t->samples[i], t->score, why))
            tgraph_grade(&grades[i], t->scored[i], t->sample[i], t->samples[i], t->score,
                         t->settings->tau, why);
    *mean = tgraph_grades_mean(grades, t->scored_count);
    harness_free(grades);
    return why->status;
}

static ag_status log_row(tgraph_training *t, const tgraph_grades *mean, ag_failure *why)
{
    tgraph_progress *p = &t->state.progress;
    const int tile = t->set.tile, n = tgraph_grade_count(tile);
    double row[16] = {p->loss_sum / (double)p->loss_count, t->rate, t->norm};
    for (int i = 0; i < n; i++) row[3 + i] = mean ? tgraph_grade_value(mean, tile, i) : (double)NAN;
    p->loss_sum = 0;
    p->loss_count = 0;
    return harness_run_metrics(t->run, p->step, row, why);
}

/* Says how the run stands, keeps the best checkpoint. */
static ag_status judge(tgraph_training *t, const tgraph_grades *mean, double loss, ag_failure *why)
{
    tgraph_progress *p = &t->state.progress;
    const double score = tgraph_grades_main(mean, t->set.tile);
    const char *name = tgraph_main_name(t->set.tile, t->settings->tau);
    const int better = !isnan(score) && !(score <= p->best);
    if (better) {
        p->best = score;
        p->best_step = p->step;
    }
    harness_say("step %lld of %lld: loss %.5g, %s %.4f%s", (long long)p->step, (long long)t->steps,
                loss, name, score, better ? " (best so far)" : "");
    snprintf(t->note, sizeof t->note, "%s %.4f", name, score);
    return better ? tgraph_train_save(t, HARNESS_BEST, why) : AG_OK;
}

/* What is due after a step: a validation, a row of metrics, a save. */
static ag_status after_step(tgraph_training *t, double *since, ag_failure *why)
{
    const tgraph_settings *s = t->settings;
    const int64_t step = t->state.progress.step;
    const int end = step == t->steps;
    const int validates = t->scored_count && (end || step % s->eval_every == 0);
    const double loss = t->state.progress.loss_sum / (double)t->state.progress.loss_count;
    tgraph_grades mean;
    if (validates) {
        const double begin = harness_seconds();
        if (harness_run_timing(t->run, step, "training", begin - *since, why) ||
            tgraph_train_validate(t, &mean, why))
            return why->status;
        *since = harness_seconds();
        harness_run_timing(t->run, step, "validation", *since - begin, why);
    }
    if (validates || end || step % s->log_every == 0) log_row(t, validates ? &mean : NULL, why);
    if (!why->status && validates) judge(t, &mean, loss, why);
    if (!why->status && (end || step % s->save_every == 0)) tgraph_train_save(t, HARNESS_LAST, why);
    return why->status;
}

static ag_status run_steps(tgraph_training *t, ag_failure *why)
{
    char note[160];
    double since = harness_seconds();
    harness_progress_start(&t->bar, "train", t->state.progress.step, t->steps);
    while (t->state.progress.step < t->steps && !harness_interrupted() && !why->status) {
        if (tgraph_train_step(t, why) || after_step(t, &since, why)) break;
        const tgraph_progress *p = &t->state.progress;
        if (p->loss_count)
            snprintf(note, sizeof note, "loss %.4g %s", p->loss_sum / (double)p->loss_count,
                     t->note);
        harness_progress_update(&t->bar, p->step, note);
    }
    harness_progress_end(&t->bar);
    if (why->status || t->state.progress.step == t->steps) return why->status;
    if (tgraph_train_save(t, HARNESS_LAST, why)) return why->status;
    harness_say("interrupted after step %lld of %lld; go on with --resume",
                (long long)t->state.progress.step, (long long)t->steps);
    return AG_OK;
}

void tgraph_train_close(tgraph_training *t)
{
    tgraph_feed_close(&t->feed);
    tgraph_scorer_close(&t->scorer);
    for (int i = 0; i < t->scored_count; i++) harness_free(t->sample[i]);
    harness_free(t->scored);
    harness_free(t->sample);
    harness_free(t->samples);
    harness_free(t->score);
    tgraph_checkpoint_free(&t->state);
    tgraph_model_free(&t->model);
    tgraph_set_close(&t->set);
    ag_tape_free(t->tape);
}

ag_status tgraph_train(const tgraph_settings *settings, const harness_options *options,
                       const char *folder, harness_run_mode mode, const char *command_line,
                       int show, tgraph_grades *mean, ag_failure *why)
{
    tgraph_training t = {.settings = settings,
                         .options = options,
                         .folder = folder,
                         .command_line = command_line,
                         .show = show};
    *mean = tgraph_grades_mean(NULL, 0);
    if (!tgraph_train_begin(&t, mode, why) && !harness_interrupted()) run_steps(&t, why);
    if (!why->status && !harness_interrupted()) tgraph_train_end(&t, mean, why);
    ag_failure closing = {0};
    harness_run_close(t.run, &closing);
    if (!why->status && closing.status) ag_fail(why, closing.status, "%s", closing.sentence);
    tgraph_train_close(&t);
    return why->status;
}

ag_status tgraph_train_command(harness_call *call, ag_failure *why)
{
    const tgraph_settings *s = call->values;
    tgraph_grades mean;
    return tgraph_train(s, call->options, s->common.out, harness_mode(&s->common),
                        call->command_line, 1, &mean, why);
}
