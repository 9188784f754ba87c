/* SPDX-License-Identifier: MIT */
/* Everything before the first step: data, model, optimizer, run folder, and where a resumed run
   stands. */
#include "examples/tgraph/train.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { FIXED_COLUMNS = 3, MOST_COLUMNS = 16 };

static int list_columns(const char *columns[MOST_COLUMNS], int tile, int tau_a)
{
    static const char *const fixed[FIXED_COLUMNS] = {"loss", "rate", "norm"};
    int n = 0;
    for (int i = 0; i < FIXED_COLUMNS; i++) columns[n++] = fixed[i];
    for (int i = 0; i < tgraph_grade_count(tile); i++)
        columns[n++] = tgraph_grade_name(tile, tau_a, i);
    return n;
}

static ag_status make_tape(tgraph_training *t, ag_failure *why)
{
    t->tape = ag_tape_new((ag_device)t->settings->common.device);
    if (ag_failed(t->tape)) return ag_fail(why, ag_tape_status(t->tape), "%s", ag_error(t->tape));
    ag_check_finite(t->tape, t->settings->check_finite);
    return AG_OK;
}

static ag_status make_optimizer(tgraph_training *t, ag_failure *why)
{
    const tgraph_settings *s = t->settings;
    int64_t files = 0;
    for (int i = 0; i < t->set.count; i++) files += t->set.entry[i].train;
    if (s->epochs > INT64_MAX / files)
        return ag_fail(why, AG_EUSE, "--epochs is %lld, which is too many steps with %lld files",
                       (long long)s->epochs, (long long)files);
    t->steps = s->epochs > 0 ? s->epochs * files : s->steps;
    t->adamw = ag_adamw_default();
    t->adamw.decay = s->weight_decay;
    t->schedule = (ag_schedule){.kind = (ag_schedule_kind)s->schedule,
                                .lr = s->learning_rate,
                                .warmup = (int64_t)ceil(s->warmup * (double)t->steps),
                                .total = t->steps,
                                .rate = s->decay_rate,
                                .every = s->decay_every};
    return ag_schedule_check(&t->schedule, why);
}

/* The configurations that validations during training look at: the same ones each time. */
static void choose_samples(tgraph_training *t)
{
    const int limit = t->settings->eval_limit;
    int most = 1;
    t->scored = harness_alloc((size_t)t->set.count * sizeof *t->scored);
    t->sample = harness_alloc((size_t)t->set.count * sizeof *t->sample);
    t->samples = harness_alloc((size_t)t->set.count * sizeof *t->samples);
    for (int i = 0; i < t->set.count; i++) {
        const tgraph_entry *e = &t->set.entry[i];
        if (!e->score) continue;
        if (e->items > most) most = e->items;
        const int k = t->scored_count++, n = limit && limit < e->items ? limit : e->items;
        int32_t *order = harness_alloc((size_t)e->items * sizeof *order), *chosen, taken = 0;
        chosen = t->sample[k] = harness_alloc((size_t)n * sizeof *chosen);
        t->scored[k] = e;
        t->samples[k] = n;
        harness_permutation(order, e->items, (uint64_t)t->settings->split_seed, (uint64_t)k);
        for (int c = 0; c < e->items; c++) /* ascending, as in a whole evaluation */
            if (order[c] < n) chosen[taken++] = tgraph_entry_item(e, c);
        harness_free(order);
    }
    t->score = harness_alloc((size_t)most * sizeof *t->score);
    t->scorer =
        (tgraph_scorer){.model = &t->model, .tape = t->tape, .configs = t->settings->eval_configs};
}

static ag_status open_folder(tgraph_training *t, harness_run_mode mode, ag_failure *why)
{
    const char *columns[MOST_COLUMNS];
    const int n = list_columns(columns, t->set.tile, t->settings->tau);
    t->run = harness_run_open(t->folder, mode, columns, n, why);
    if (!t->run) return why->status;
    return mode == HARNESS_RESUME ? AG_OK : harness_run_config(t->run, t->options, why);
}

/* A run that was interrupted before its first save begins anew. */
static ag_status resume(tgraph_training *t, ag_failure *why)
{
    const char *last = harness_run_path(t->run, HARNESS_LAST);
    if (access(last, F_OK) == 0 && tgraph_checkpoint_resume(last, &t->model, &t->state, why))
        return why->status;
    if (t->state.progress.step > t->steps)
        return ag_fail(why, AG_EUSE,
                       "%.200s has done %lld steps already, more than the %lld asked for", last,
                       (long long)t->state.progress.step, (long long)t->steps);
    harness_say("going on after step %lld of %lld", (long long)t->state.progress.step,
                (long long)t->steps);
    return harness_run_rewind(t->run, t->state.progress.step, why);
}

static ag_status make_model(tgraph_training *t, ag_failure *why)
{
    const tgraph_settings *s = t->settings;
    const tgraph_options model = tgraph_settings_model(s, t->set.tile);
    tgraph_set_fit(&t->set, &t->state.scalers);
    if (tgraph_set_scale(&t->set, &t->state.scalers, why) ||
        tgraph_set_programs(&t->set, &model, why) ||
        tgraph_model_new(&t->model, &model, (uint64_t)s->common.seed, why))
        return why->status;
    t->state.model = model;
    t->state.features = tgraph_settings_features(s, t->set.tile);
    t->state.progress.best = (double)NAN;
    t->state.configuration = tgraph_configuration_json(t->options);
    t->state.files = tgraph_files_json(&t->set);
    return AG_OK;
}

ag_status tgraph_train_begin(tgraph_training *t, harness_run_mode mode, ag_failure *why)
{
    if (t->settings->common.threads) ag_set_threads(t->settings->common.threads);
    if (make_tape(t, why) || tgraph_set_train(&t->set, t->settings, why) || harness_interrupted() ||
        make_model(t, why) || make_optimizer(t, why) || open_folder(t, mode, why))
        return why->status;
    choose_samples(t);
    if (mode == HARNESS_RESUME && resume(t, why)) return why->status;
    return tgraph_feed_open(&t->feed, &t->set, t->settings->configs,
                            (uint64_t)t->settings->common.seed, t->state.progress.step, why);
}
