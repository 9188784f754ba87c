/* SPDX-License-Identifier: MIT */
/* A study: every variant with every seed, one table. */
#include "examples/tpgnn/train.h"

/* Of the table, means over the validation tasks. */
enum { SCORES = 4 };
static const tpgnn_measure measure[SCORES] = {TPGNN_PAIRWISE, TPGNN_TOP1, TPGNN_TOP5, TPGNN_TAU};

static ag_status train_job(void *user, const harness_study_job *job, double *scores,
                           ag_failure *why)
{
    const harness_run_mode mode = job->started ? HARNESS_RESUME : HARNESS_NEW;
    const tpgnn_settings *settings = harness_options_values(job->options);
    double mean[TPGNN_MEASURES];
    if (!settings->common.valid.count)
        return ag_fail(why, AG_EUSE,
                       "a study compares scores, but nothing is held out; give --valid");
    if (job->started && harness_study_check(&tpgnn_program_table, job, why)) return why->status;
    if (tpgnn_train(settings, job->options, job->folder, mode, user, 0, mean, why))
        return why->status;
    for (int i = 0; i < SCORES; i++) scores[i] = mean[measure[i]];
    return AG_OK;
}

ag_status tpgnn_ablate_command(harness_call *call, ag_failure *why)
{
    const tpgnn_settings *s = call->values;
    harness_study plan = {0};
    harness_table *table = NULL;
    const char *name[SCORES];
    for (int i = 0; i < SCORES; i++) name[i] = tpgnn_measure_name(measure[i]);
    if (!harness_study_load(&plan, s->common.study, call->options, why))
        table = harness_study_run(&plan, call->options, s->common.out, name, SCORES, train_job,
                                  (void *)call->command_line, why);
    if (table && s->common.json)
        harness_json_print(harness_table_json(table), why);
    else if (table)
        harness_table_print(stdout, table);
    harness_table_free(table);
    harness_study_free(&plan);
    return why->status;
}
