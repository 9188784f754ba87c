/* SPDX-License-Identifier: MIT */
#include "examples/tpu/runs.h"

#include "examples/harness/checkpoint.h"

ag_status tpu_runs_open(tpu_runs *runs, const tpu_settings *s, ag_failure *why)
{
    runs->tape = harness_tape_new(&s->common, why);
    if (!runs->tape) return why->status;
    runs->run = harness_alloc((1 + (size_t)s->ensemble.count) * sizeof *runs->run);
    for (int i = -1; i < s->ensemble.count && !why->status; i++) {
        tpu_trained *run = &runs->run[runs->count++];
        run->path =
            harness_checkpoint_choose(i < 0 ? s->common.run : s->ensemble.list[i], s->checkpoint);
        if (!tpu_checkpoint_load(run->path, &run->model, &run->checkpoint, why))
            ag_params_to(run->model.params, ag_tape_device(runs->tape), why);
    }
    return why->status;
}

void tpu_runs_close(tpu_runs *runs)
{
    for (int i = 0; i < runs->count; i++) {
        tpu_model_free(&runs->run[i].model);
        tpu_checkpoint_free(&runs->run[i].checkpoint);
        harness_free(runs->run[i].path);
    }
    harness_free(runs->run);
    ag_tape_free(runs->tape);
    *runs = (tpu_runs){0};
}

ag_status tpu_runs_read(const tpu_runs *runs, tpu_data *data, const tpu_settings *s,
                        ag_failure *why)
{
    static const char *const name[] = {"tile", "fusion"};
    data->budget.limit = (size_t)s->common.ram_limit;
    if (tpu_data_read(data, &s->common.data, "data", why) || harness_interrupted())
        return why->status;
    for (int i = 0; i < runs->count; i++)
        if (runs->run[i].model.options.task != data->task)
            return ag_fail(why, AG_EUSE,
                           "%.200s holds a model for %s files, but the data are %s files; choose a "
                           "run that was trained on such files",
                           runs->run[i].path, name[runs->run[i].model.options.task],
                           name[data->task]);
    return AG_OK;
}

ag_status tpu_runs_score(const tpu_runs *runs, tpu_results *r, const tpu_settings *s,
                         ag_failure *why)
{
    for (int i = 0; i < runs->count && !why->status && !harness_interrupted(); i++) {
        const tpu_scorer scorer = {.model = &runs->run[i].model,
                                   .scaler = &runs->run[i].checkpoint.scaler,
                                   .tape = runs->tape,
                                   .samples = s->eval_samples,
                                   .nodes = s->eval_nodes};
        tpu_results_add(r, &scorer, runs->count, why);
    }
    return why->status;
}
