/* SPDX-License-Identifier: MIT */
/* The command `ablate`: trains every variant of a study with every seed and prints one table. */
#include "examples/harness/run/model.h"
#include "examples/harness/run/run_internal.h"

#include <jansson.h>

static ag_status train_job(void *user, const harness_study_job *job, json_t *result,
                           ag_failure *why)
{
    const harness_call *call = user;
    harness_options *options = harness_options_copy(job->options);
    harness_session s = {.model = call->program->model,
                         .settings = harness_options_values(options),
                         .options = options,
                         .folder = job->folder,
                         .command_line = call->command_line,
                         .compares = true};
    harness_train(&s, job->started ? HARNESS_RESUME : HARNESS_NEW, result, why);
    harness_options_free(options);
    return why->status;
}

static void print(const harness_study_call *of, const harness_table *table)
{
    const harness_study *s = of->study;
    if (*s->title) {
        harness_show(stdout, s->title);
        putchar('\n');
    }
    harness_table_print(stdout, table);
    if (bag_count(s->variants) == 1 || bag_count(s->seeds) == 1) return;
    fputs("difference: to ", stdout);
    harness_show(stdout, s->variants[0].name);
    puts(", paired by seed and group; low, high: its 95 % interval; p: Student's t");
}

ag_status harness_ablate_command(harness_call *call, ag_failure *why)
{
    const harness_settings *s = call->values;
    harness_study plan = {0};
    harness_table *table = NULL;
    json_t *json = NULL;
    harness_study_call of = {.study = &plan,
                             .base = call->options,
                             .out = s->common.out,
                             .files = harness_model_files(call->program->model, s),
                             .command_line = call->command_line,
                             .train = train_job,
                             .user = call};
    if (!harness_study_load(&plan, s->common.study, call->options, why) &&
        !harness_study_act(&plan, call->options, of.files, why))
        table = harness_study_run(&of, &json, why);
    if (table && s->common.json)
        harness_json_print(json_incref(json), why);
    else if (table)
        print(&of, table);
    if (table) harness_say("the study is in %s; open %s/study.html", of.out, of.out);
    json_decref(json);
    harness_table_free(table);
    harness_study_free(&plan);
    return why->status;
}
