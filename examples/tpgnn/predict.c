/* SPDX-License-Identifier: MIT */
/* A score per schedule, in the order of the files. */
#include "examples/tpgnn/runs.h"

#include <jansson.h>
#include <math.h>

static ag_status write_all(FILE *to, void *context)
{
    const tpgnn_results *r = context;
    fprintf(to, "task,schedule,score,measured_ns%s\n", r->cost[0] ? ",predicted_ns" : "");
    for (int i = 0; i < r->data->schedules; i++) {
        const tpgnn_schedule *s = &r->data->schedule[i];
        harness_csv_quoted(to, r->task_name[s->task]);
        fprintf(to, ",%d,%.9g,%lld", s->number, r->score[0][i], (long long)s->runtime);
        if (r->cost[0]) fprintf(to, ",%.9g", exp(r->cost[0][i]));
        fputc('\n', to);
    }
    return AG_OK;
}

static json_t *task_json(const tpgnn_results *r, const tpgnn_task *task)
{
    json_t *j = json_object(), *score = json_array(), *measured = json_array(),
           *predicted = json_array();
    for (int i = task->first; i < task->first + task->schedules; i++) {
        json_array_append_new(score, json_real(r->score[0][i]));
        json_array_append_new(measured, json_integer(r->runtime[i]));
        if (r->cost[0]) json_array_append_new(predicted, json_real(exp(r->cost[0][i])));
    }
    json_object_set_new(j, "task", harness_json_name(task->name));
    json_object_set_new(j, "scores", score);
    json_object_set_new(j, "measured_ns", measured);
    if (r->cost[0]) json_object_set(j, "predicted_ns", predicted);
    json_decref(predicted);
    return j;
}

static ag_status print_json(const tpgnn_results *r, ag_failure *why)
{
    json_t *list = json_array();
    for (int t = 0; t < r->data->tasks; t++)
        json_array_append_new(list, task_json(r, &r->data->task[t]));
    return harness_json_print(list, why);
}

ag_status tpgnn_predict_command(harness_call *call, ag_failure *why)
{
    const tpgnn_settings *s = call->values;
    tpgnn_runs runs = {0};
    tpgnn_data data = {0};
    tpgnn_results results = {0};
    if (!tpgnn_runs_open(&runs, s, why) &&
        !tpugraphs_check_output(s->csv, &s->common.data, s->common.run, &s->ensemble, why) &&
        !tpgnn_runs_read(&runs, &data, s, why) && !harness_interrupted()) {
        tpgnn_results_open(&results, &data);
        if (!tpgnn_runs_score(&runs, &results, &data, s, why) && !harness_interrupted()) {
            if (s->csv) harness_write(s->csv, write_all, &results, why);
            if (!why->status && s->common.json)
                print_json(&results, why);
            else if (!why->status && !s->csv)
                write_all(stdout, &results);
        }
    }
    tpgnn_results_close(&results);
    tpgnn_data_free(&data);
    tpgnn_runs_close(&runs);
    return why->status;
}
