/* SPDX-License-Identifier: MIT */
/* A study: every variant with every seed, one table. */
#include "examples/tgraph/train.h"

enum { MOST_METRICS = 16 };

/* The kind of the first file decides which scores the table has. */
static int first_kind(const tgraph_settings *s, ag_failure *why)
{
    tpugraphs_paths paths = {0};
    int tile = -1;
    if (!tpugraphs_paths_add(&paths, s->common.data.list[0], why))
        tile = tgraph_is_tile(paths.path[0], why);
    tpugraphs_paths_free(&paths);
    return tile;
}

/* Without something held out there is nothing to compare. */
static ag_status check_held_out(const tgraph_settings *s, ag_failure *why)
{
    if (s->split > 0 || s->folds > 0 || s->common.valid.count > 0) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "a study compares scores, but nothing is held out; give --split 0.8, --valid or "
                   "--folds");
}

typedef struct study {
    const char *command_line;
    int tile;
} study;

static ag_status train_job(void *user, const harness_study_job *job, double *scores,
                           ag_failure *why)
{
    const study *s = user;
    const harness_run_mode mode = job->started ? HARNESS_RESUME : HARNESS_NEW;
    tgraph_grades mean;
    const tgraph_settings *settings = harness_options_values(job->options);
    if (check_held_out(settings, why) ||
        (job->started && harness_study_check(&tgraph_program_table, job, why)))
        return why->status;
    if (tgraph_train(settings, job->options, job->folder, mode, s->command_line, 0, &mean, why))
        return why->status;
    for (int i = 0; i < tgraph_grade_count(s->tile); i++)
        scores[i] = tgraph_grade_value(&mean, s->tile, i);
    return AG_OK;
}

ag_status tgraph_ablate_command(harness_call *call, ag_failure *why)
{
    const tgraph_settings *s = call->values;
    const char *metrics[MOST_METRICS];
    harness_study plan = {0};
    harness_table *table = NULL;
    study context = {call->command_line, first_kind(s, why)};
    if (context.tile >= 0 && !harness_study_load(&plan, s->common.study, call->options, why)) {
        const int n = tgraph_grade_count(context.tile);
        for (int i = 0; i < n; i++) metrics[i] = tgraph_grade_name(context.tile, s->tau, i);
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
