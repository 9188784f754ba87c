/* SPDX-License-Identifier: MIT */
/* A study: every variant with every seed, one table. */
#include "examples/tpu/train.h"

/* The kind of the first file decides which scores the table has. */
static ag_status first_task(tpu_task *task, const tpu_settings *s, ag_failure *why)
{
    tpugraphs_paths paths = {0};
    tpu_data data = {.budget.limit = (size_t)s->common.ram_limit};
    if (!tpugraphs_paths_add(&paths, s->common.data.list[0], why)) {
        const tpugraphs_paths one = {paths.path, 1};
        if (!tpu_data_add(&data, &one, why)) *task = data.task;
    }
    tpu_data_free(&data);
    tpugraphs_paths_free(&paths);
    return why->status;
}

/* Of the table, over the programs: mean and median of the error, as in the paper's Table 3, and the
   mean of tau. */
enum { SCORES = 3 };
static const char *const score_name[2][SCORES] = {
    [TPU_TILE] = {"APE %", "APE % median", "tau"},
    [TPU_FUSION] = {"MAPE %", "MAPE % median", "tau"}};

static ag_status train_job(void *user, const harness_study_job *job, double *scores,
                           ag_failure *why)
{
    const harness_run_mode mode = job->started ? HARNESS_RESUME : HARNESS_NEW;
    const tpu_settings *settings = harness_options_values(job->options);
    tpu_grades mean;
    if (!settings->common.valid.count)
        return ag_fail(why, AG_EUSE,
                       "a study compares scores, but nothing is held out; give --valid");
    if (job->started && harness_study_check(&tpu_program_table, job, why)) return why->status;
    if (tpu_train(settings, job->options, job->folder, mode, user, 0, &mean, why))
        return why->status;
    scores[0] = mean.of[TPU_ERROR];
    scores[1] = mean.median[TPU_ERROR];
    scores[2] = mean.of[TPU_TAU];
    return AG_OK;
}

ag_status tpu_ablate_command(harness_call *call, ag_failure *why)
{
    const tpu_settings *s = call->values;
    tpu_task task = TPU_TILE;
    harness_study plan = {0};
    harness_table *table = NULL;
    if (!harness_study_load(&plan, s->common.study, call->options, why) &&
        !first_task(&task, s, why) && !harness_interrupted())
        table = harness_study_run(&plan, call->options, s->common.out, score_name[task], SCORES,
                                  train_job, (void *)call->command_line, why);
    if (table && s->common.json)
        harness_json_print(harness_table_json(table), why);
    else if (table)
        harness_table_print(stdout, table);
    harness_table_free(table);
    harness_study_free(&plan);
    return why->status;
}
