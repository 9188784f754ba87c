/* SPDX-License-Identifier: MIT */
/* The command `ablate`: trains every variant of a study with every seed and prints one table. */
#include "examples/harness/run/model.h"
#include "examples/harness/run/run_internal.h"

#include <jansson.h>

/* Without anything held out there are no scores to compare. */
static ag_status check_held_out(const harness_model *m, const harness_settings *s, ag_failure *why)
{
    if (m->holds_out) return m->holds_out(s, why);
    if (s->common.valid.count) return AG_OK;
    return ag_fail(why, AG_EUSE, "a study compares scores, but nothing is held out; give --valid");
}

static ag_status train_job(void *user, const harness_study_job *job, json_t *result,
                           ag_failure *why)
{
    const harness_call *call = user;
    const harness_model *m = call->program->model;
    harness_options *options = harness_options_copy(job->options, NULL);
    harness_session s = {.model = m,
                         .settings = harness_options_values(options),
                         .options = options,
                         .folder = job->folder,
                         .command_line = call->command_line};
    if (!check_held_out(m, s.settings, why))
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
    const harness_model *m = call->program->model;
    const char *name[HARNESS_MOST_SCORES];
    harness_study plan = {0};
    harness_table *table = NULL;
    json_t *json = NULL;
    harness_study_call of = {.study = &plan,
                             .base = call->options,
                             .out = s->common.out,
                             .files = harness_model_files(m, s),
                             .command_line = call->command_line,
                             .measure = name,
                             .train = train_job,
                             .user = call};
    if (!harness_study_load(&plan, s->common.study, call->options, why) &&
        !harness_study_act(&plan, call->options, of.files, why) &&
        !harness__check_folder(of.out, why))
        of.measures = m->columns(name, s, why);
    if (harness_go_on(why)) table = harness_study_run(&of, &json, why);
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
