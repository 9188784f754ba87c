/* SPDX-License-Identifier: MIT */
/* A study: every variant with every seed, one table. */
#include "examples/tpu/train.h"

/* The kind of the first file decides which scores the table has. */
static ag_status first_task(tpu_task *task, const tpu_settings *s, ag_failure *why)
{
    tpugraphs_paths paths = {0};
    tpu_data data = {0};
    if (!tpugraphs_paths_add(&paths, s->common.data.list[0], why)) {
        const tpugraphs_paths one = {paths.path, 1};
        if (!tpu_data_add(&data, &one, why)) *task = data.task;
    }
    tpu_data_free(&data);
    tpugraphs_paths_free(&paths);
    return why->status;
}

typedef struct study {
    const char *command_line;
    tpu_task task;
} study;

static ag_status train_job(void *user, const harness_study_job *job, double *scores,
                           ag_failure *why)
{
    const harness_run_mode mode = job->started ? HARNESS_RESUME : HARNESS_NEW;
    const tpu_settings *settings = harness_options_values(job->options);
    const study *t = user;
    tpu_grades mean;
    if (!settings->common.valid.count)
        return ag_fail(why, AG_EUSE,
                       "a study compares scores, but nothing is held out; give --valid");
    if (job->started && harness_study_check(&tpu_program_table, job, why)) return why->status;
    if (tpu_train(settings, job->options, job->folder, mode, t->command_line, 0, &mean, why))
        return why->status;
    for (int i = 0; i < tpu_measure_count(t->task); i++) scores[i] = mean.of[i];
    return AG_OK;
}

ag_status tpu_ablate_command(harness_call *call, ag_failure *why)
{
    const tpu_settings *s = call->values;
    const char *metrics[TPU_MEASURES];
    harness_study plan = {0};
    harness_table *table = NULL;
    study context = {.command_line = call->command_line};
    if (!first_task(&context.task, s, why) &&
        !harness_study_load(&plan, s->common.study, call->options, why)) {
        const int n = tpu_measure_count(context.task);
        for (int i = 0; i < n; i++) metrics[i] = tpu_measure_name(context.task, (tpu_measure)i);
        table = harness_study_run(&plan, call->options, s->common.out, metrics, n, train_job,
                                  &context, why);
    }
    if (table && s->common.json)
        harness_json_print(harness_table_json(table), why);
    else if (table)
        harness_table_print(stdout, table);
    harness_table_free(table);
    harness_study_free(&plan);
    return why->status;
}
