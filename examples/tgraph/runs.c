/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/runs.h"

#include "examples/harness/checkpoint.h"

static ag_status open_run(tgraph_trained *run, const char *folder, int last, ag_device device,
                          ag_failure *why)
{
    run->folder = folder;
    run->path = harness_checkpoint_choose(folder, last);
    if (tgraph_checkpoint_load(run->path, &run->model, &run->checkpoint, why)) return why->status;
    return ag_params_to(run->model.params, device, why);
}

ag_status tgraph_runs_open(tgraph_runs *runs, const tgraph_settings *s, ag_failure *why)
{
    runs->tape = harness_tape_new(&s->common, why);
    if (!runs->tape) return why->status;
    runs->run = harness_alloc((1 + (size_t)s->ensemble.count) * sizeof *runs->run);
    for (int i = -1; i < s->ensemble.count && !why->status; i++)
        open_run(&runs->run[runs->count++], i < 0 ? s->common.run : s->ensemble.list[i],
                 s->checkpoint, ag_tape_device(runs->tape), why);
    return why->status;
}

void tgraph_runs_close(tgraph_runs *runs)
{
    for (int i = 0; i < runs->count; i++) {
        tgraph_model_free(&runs->run[i].model);
        tgraph_checkpoint_free(&runs->run[i].checkpoint);
        harness_free(runs->run[i].path);
    }
    harness_free(runs->run);
    ag_tape_free(runs->tape);
    *runs = (tgraph_runs){0};
}

ag_status tgraph_runs_check(const tgraph_runs *runs, const tgraph_settings *s, int tile,
                            ag_failure *why)
{
    const tgraph_features wanted = tgraph_settings_features(s, tile);
    for (int i = 0; i < runs->count; i++)
        if (tgraph_features_check(runs->run[i].path, &runs->run[i].checkpoint.features, &wanted,
                                  why))
            break;
    return why->status;
}

ag_status tgraph_runs_score(tgraph_runs *runs, const tgraph_settings *s, tgraph_set *set,
                            tgraph_results *results, ag_failure *why)
{
    for (int i = 0; i < runs->count && !why->status && !harness_interrupted(); i++) {
        const tgraph_trained *run = &runs->run[i];
        tgraph_scorer scorer = {
            .model = &run->model, .tape = runs->tape, .configs = s->eval_configs, .tta = s->tta};
        if (!tgraph_set_scale(set, &run->checkpoint.scalers, why) &&
            !tgraph_set_programs(set, &run->model.options, why))
            tgraph_results_add(results, &scorer, runs->count, why);
        tgraph_scorer_close(&scorer);
    }
    return why->status;
}
