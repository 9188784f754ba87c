/* SPDX-License-Identifier: MIT */
/* A score per configuration of every kernel, in file order. */
#include "core/save.h"
#include "examples/tpu/runs.h"

#include <jansson.h>

static ag_status write_all(FILE *to, void *context)
{
    const tpu_results *r = context;
    const int tile = r->data->task == TPU_TILE;
    const double *score = r->score[0];
    fputs(tile ? "kernel,config,score\n" : "program,kernel,ns\n", to);
    for (int i = 0; i < r->data->kernels; i++) {
        const tpu_kernel *k = &r->data->kernel[i];
        for (int c = 0; c < k->configs; c++) {
            harness_csv_quoted(to, k->name);
            fprintf(to, ",%d,%.9g\n", tile ? c : k->number, *score++);
        }
    }
    return AG_OK;
}

static ag_status print_json(const tpu_results *r, ag_failure *why)
{
    const int tile = r->data->task == TPU_TILE;
    const double *score = r->score[0];
    json_t *list = json_array();
    for (int i = 0; i < r->data->kernels; i++) {
        const tpu_kernel *k = &r->data->kernel[i];
        json_t *j = json_object(), *scores = json_array();
        for (int c = 0; c < k->configs; c++) json_array_append_new(scores, json_real(*score++));
        json_object_set_new(j, tile ? "kernel" : "program", harness_json_name(k->name));
        if (!tile) json_object_set_new(j, "kernel", json_integer(k->number));
        json_object_set_new(j, tile ? "scores" : "ns", scores);
        json_array_append_new(list, j);
    }
    return harness_json_print(list, why);
}

ag_status tpu_predict_command(harness_call *call, ag_failure *why)
{
    const tpu_settings *s = call->values;
    tpu_runs runs = {0};
    tpu_data data = {0};
    tpu_results results = {0};
    if (!tpu_runs_open(&runs, s, why) &&
        !tpugraphs_check_output(s->csv, &s->common.data, s->common.run, &s->ensemble, why) &&
        !tpu_runs_read(&runs, &data, s, why) && !harness_interrupted()) {
        tpu_results_open(&results, &data);
        if (!tpu_runs_score(&runs, &results, s, why) && !harness_interrupted()) {
            if (s->csv) harness_write(s->csv, write_all, &results, why);
            if (!why->status && s->common.json)
                print_json(&results, why);
            else if (!why->status && !s->csv)
                write_all(stdout, &results);
        }
    }
    tpu_results_close(&results);
    tpu_data_free(&data);
    tpu_runs_close(&runs);
    return why->status;
}
