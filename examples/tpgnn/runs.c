/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/runs.h"

#include "examples/harness/checkpoint.h"

ag_status tpgnn_runs_open(tpgnn_runs *runs, const tpgnn_settings *s, ag_failure *why)
{
    runs->tape = harness_tape_new(&s->common, why);
    if (!runs->tape) return why->status;
    runs->run = harness_alloc((1 + (size_t)s->ensemble.count) * sizeof *runs->run);
    for (int i = -1; i < s->ensemble.count && !why->status; i++) {
        tpgnn_trained *run = &runs->run[runs->count++];
        run->path =
            harness_checkpoint_choose(i < 0 ? s->common.run : s->ensemble.list[i], s->checkpoint);
        if (!tpgnn_checkpoint_load(run->path, &run->model, &run->checkpoint, why))
            ag_params_to(run->model.params, ag_tape_device(runs->tape), why);
    }
    return why->status;
}

void tpgnn_runs_close(tpgnn_runs *runs)
{
    for (int i = 0; i < runs->count; i++) {
        tpgnn_model_free(&runs->run[i].model);
        tpgnn_checkpoint_free(&runs->run[i].checkpoint);
        harness_free(runs->run[i].path);
    }
    harness_free(runs->run);
    ag_tape_free(runs->tape);
    *runs = (tpgnn_runs){0};
}

ag_status tpgnn_runs_read(const tpgnn_runs *runs, tpgnn_data *data, const tpgnn_settings *s,
                          ag_failure *why)
{
    data->budget.limit = (size_t)s->common.ram_limit;
    data->given = &runs->run[0].checkpoint.vocabulary;
    if (tpgnn_data_read(data, &s->common.data, "data", why) || harness_interrupted())
        return why->status;
    const int64_t unknown = tpgnn_data_unknown(data, TPGNN_TYPE);
    if (unknown)
        harness_warn("%lld of %lld nodes have a type that no training file of %.200s has",
                     (long long)unknown, (long long)data->nodes, runs->run[0].path);
    return AG_OK;
}

ag_status tpgnn_runs_score(const tpgnn_runs *runs, tpgnn_results *r, tpgnn_data *data,
                           const tpgnn_settings *s, ag_failure *why)
{
    for (int i = 0; i < runs->count && !why->status && !harness_interrupted(); i++) {
        const tpgnn_trained *run = &runs->run[i];
        const tpgnn_scorer scorer = {.model = &run->model,
                                     .tape = runs->tape,
                                     .graphs = s->eval_graphs,
                                     .nodes = s->eval_nodes};
        if (i) tpgnn_data_translate(data, &run->checkpoint.vocabulary);
        tpgnn_results_add(r, &scorer, &run->checkpoint, runs->count, why);
    }
    return why->status;
}
