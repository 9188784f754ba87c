/* SPDX-License-Identifier: MIT */
/* The command `ablate`: trains every variant of a study with every seed and prints one table. */
#include "examples/harness/run/model.h"
#include "examples/harness/run/run_internal.h"

#include <math.h>

typedef struct study {
    const harness_model *model;
    const char *command_line;
    int columns;
} study;

/* Without anything held out there are no scores to compare. */
static ag_status check_held_out(const harness_model *m, const harness_settings *s, ag_failure *why)
{
    if (m->holds_out) return m->holds_out(s, why);
    if (s->common.valid.count) return AG_OK;
    return ag_fail(why, AG_EUSE, "a study compares scores, but nothing is held out; give --valid");
}

static ag_status train_job(void *user, const harness_study_job *job, double *column,
                           ag_failure *why)
{
    const study *of = user;
    harness_options *options = harness_options_copy(job->options, NULL);
    harness_session s = {.model = of->model,
                         .settings = harness_options_values(options),
                         .options = options,
                         .folder = job->folder,
                         .command_line = of->command_line};
    for (int i = 0; i < of->columns; i++) column[i] = (double)NAN;
    if (!check_held_out(of->model, s.settings, why))
        harness_train(&s, job->started ? HARNESS_RESUME : HARNESS_NEW, column, why);
    harness_options_free(options);
    return why->status;
}

ag_status harness_ablate_command(harness_call *call, ag_failure *why)
{
    const harness_settings *s = call->values;
    const char *name[HARNESS_MOST_SCORES];
    study of = {.model = call->program->model, .command_line = call->command_line};
    harness_study plan = {0};
    harness_table *table = NULL;
    if (!harness_study_load(&plan, s->common.study, call->options, why) &&
        !harness_study_act(&plan, call->options, harness_model_files(of.model, s), why) &&
        !harness__check_folder(s->common.out, why))
        of.columns = of.model->columns(name, s, why);
    if (harness_go_on(why))
        table = harness_study_run(&plan, call->options, s->common.out, name, of.columns, train_job,
                                  &of, why);
    if (table && s->common.json)
        harness_json_print(harness_table_json(table), why);
    else if (table)
        harness_table_print(stdout, table);
    harness_table_free(table);
    harness_study_free(&plan);
    return why->status;
}
