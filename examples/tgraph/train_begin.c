/* SPDX-License-Identifier: MIT */
/* Everything before the first step: data, model, run folder. */
#include "examples/tgraph/train.h"

#include <math.h>

/* --epochs as steps. */
static ag_status count_steps(tgraph_training *t, ag_failure *why)
{
    const tgraph_settings *s = t->settings;
    int64_t files = 0;
    for (int i = 0; i < t->set.count; i++) files += t->set.entry[i].train;
    if (s->epochs > INT64_MAX / files)
        return ag_fail(why, AG_EUSE, "--epochs is %lld, which is too many steps with %lld files",
                       (long long)s->epochs, (long long)files);
    t->how = s->training;
    if (s->epochs > 0) t->how.steps = s->epochs * files;
    return AG_OK;
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
    t->state.configuration = harness_json_text(harness_options_json(t->options));
    t->state.files = tgraph_files_json(&t->set);
    return AG_OK;
}

static ag_status open_trainer(tgraph_training *t, harness_run_mode mode, ag_failure *why)
{
    const int tile = t->set.tile, tau_a = t->settings->tau;
    const harness_trainee of = {.user = t,
                                .params = t->model.params,
                                .seed = t->settings->common.seed,
                                .scores = t->score_names,
                                .score_count = tgraph_grade_count(tile),
                                .validates = t->scored_count > 0,
                                .record = tgraph_train_record,
                                .portion = tgraph_train_portion,
                                .validate = tgraph_train_validate,
                                .save = tgraph_train_save,
                                .load = tgraph_train_load};
    for (int i = 0; i < of.score_count; i++) t->score_names[i] = tgraph_grade_name(tile, tau_a, i);
    t->trainer = (harness_trainer){.how = &t->how,
                                   .options = t->options,
                                   .folder = t->folder,
                                   .of = of,
                                   .state = &t->state.progress,
                                   .tape = t->tape};
    return harness_trainer_open(&t->trainer, mode, why);
}

ag_status tgraph_train_begin(tgraph_training *t, harness_run_mode mode, ag_failure *why)
{
    t->tape = harness_tape_new(&t->settings->common, why);
    if (!t->tape || tgraph_set_train(&t->set, t->settings, why) || harness_interrupted() ||
        make_model(t, why) || count_steps(t, why))
        return why->status;
    choose_samples(t);
    if (open_trainer(t, mode, why)) return why->status;
    return tgraph_feed_open(&t->feed, &t->set, t->settings->configs,
                            (uint64_t)t->settings->common.seed, t->state.progress.step, why);
}
