/* SPDX-License-Identifier: MIT */
/* A training run: what the trainer asks of TGraph, and the command. */
#include "examples/tgraph/train.h"

static ag_tensor *loss_of(const tgraph_settings *s, ag_tensor *score, ag_tensor *rank)
{
    const ag_reduction reduction = s->reduction ? AG_SUM : AG_MEAN;
    switch (s->loss) {
    case TGRAPH_LOSS_LOGISTIC: return ag_pairwise_logistic(score, rank, reduction);
    case TGRAPH_LOSS_LISTMLE: return ag_listmle(score, rank);
    default: return ag_pairwise_hinge(score, rank, (ag_real)s->margin, reduction);
    }
}

/* The loss of the first n configurations of the step's work. */
static ag_tensor *record_first(void *user, ag_tape *tape, int n, ag_failure *why)
{
    const tgraph_training *t = user;
    const tgraph_entry *e = t->work.entry;
    const tgraph_batch *b = t->work.batch;
    (void)why;
    ag_tensor *score = e->tile
                           ? tgraph_tile_forward(&t->model, tape, &e->program, e->tile->feature, n)
                           : tgraph_forward(&t->model, tape, &e->program, b->digit, n);
    const int32_t *rank = e->tile ? e->tile->rank : b->rank;
    return loss_of(t->settings, ag_name(score, "scores"), ag_input_i32(tape, rank, AG_SHAPE(n)));
}

static int configs_of(const tgraph_work *w)
{
    return w->entry->tile ? w->entry->configs : w->batch->configs;
}

/* One graph, some of its configurations, their order as the target. */
ag_tensor *tgraph_train_record(void *user, ag_tape *tape, int64_t step, const char **what,
                               ag_failure *why)
{
    tgraph_training *t = user;
    if (tgraph_feed_next(&t->feed, step, &t->work, why)) return NULL;
    *what = t->work.entry->name;
    return record_first(t, tape, configs_of(&t->work), why);
}

/* A step takes all configurations of a tile file. */
harness_portion tgraph_train_portion(void *user)
{
    tgraph_training *t = user;
    return (harness_portion){.what = "configurations",
                             .options =
                                 t->work.entry->tile ? "their number in the file" : "--configs",
                             .count = configs_of(&t->work),
                             .training = 1,
                             .user = t,
                             .record = record_first};
}

ag_status tgraph_train_validate(void *user, double *scores, ag_failure *why)
{
    tgraph_training *t = user;
    const int tile = t->set.tile;
    tgraph_grades *grades = harness_alloc((size_t)t->scored_count * sizeof *grades);
    t->scorer.patient = 1; /* a step is finished, its row written, before an interrupted run ends */
    for (int i = 0; i < t->scored_count && !why->status; i++)
        if (!tgraph_score(&t->scorer, t->scored[i], t->sample[i], t->samples[i], t->score, why))
            tgraph_grade(&grades[i], t->scored[i], t->sample[i], t->samples[i], t->score,
                         t->settings->tau, why);
    const tgraph_grades mean = tgraph_grades_mean(grades, t->scored_count);
    for (int i = 0; i < tgraph_grade_count(tile); i++)
        scores[i] = tgraph_grade_value(&mean, tile, i);
    harness_free(grades);
    return why->status;
}

ag_status tgraph_train_save(void *user, const char *path, int resume, ag_failure *why)
{
    const tgraph_training *t = user;
    return tgraph_checkpoint_save(path, &t->model, &t->state, resume, why);
}

ag_status tgraph_train_load(void *user, const char *path, ag_failure *why)
{
    tgraph_training *t = user;
    return tgraph_checkpoint_resume(path, &t->model, &t->state, why);
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
    if (!tgraph_train_begin(&t, mode, why) && !harness_interrupted())
        harness_trainer_run(&t.trainer, why);
    if (!why->status && !harness_interrupted()) tgraph_train_end(&t, mean, why);
    harness_trainer_close(&t.trainer, why);
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
