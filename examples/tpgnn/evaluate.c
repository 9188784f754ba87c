/* SPDX-License-Identifier: MIT */
/* How well trained models rank schedules with known run times. */
#include "examples/tpgnn/runs.h"

#include <jansson.h>
#include <string.h>

/* What the baselines learn from: --fit, or the --data of the run, when they are still there. */
static ag_status read_fit(tpgnn_data *fit, const tpgnn_data *beside, const tpgnn_runs *runs,
                          const tpgnn_settings *s, ag_failure *why)
{
    fit->budget.limit = tpugraphs_rest(&beside->budget);
    if (s->fit.count) return tpgnn_data_read(fit, &s->fit, "fit", why);
    tpgnn_settings trained;
    harness_options *o = harness_options_new(&tpgnn_program_table, HARNESS_TRAIN, &trained);
    ag_failure mine = {0};
    if (!harness_run_read_config(s->common.run, o, 1, &mine))
        tpgnn_data_read(fit, &trained.common.data, NULL, &mine);
    harness_options_free(o);
    if (harness_interrupted()) return AG_OK;
    char *now = tpgnn_data_json(fit);
    if (mine.status == AG_EMEMORY)
        ag_fail(why, mine.status, "%s", mine.sentence);
    else if (mine.status || strcmp(now, runs->run[0].checkpoint.data) != 0) {
        harness_warn("there are no baselines, since the files that %s was trained on are not there "
                     "as they were: name them with --fit, or take --no-baselines",
                     s->common.run);
        tpgnn_data_free(fit);
    }
    harness_free(now);
    return why->status;
}

static ag_status warn_trained(const tpgnn_runs *runs, const tpgnn_data *data, ag_failure *why)
{
    tpugraphs_paths trained = {0};
    for (int i = 0; i < runs->count && !why->status; i++)
        tpugraphs_paths_recall(&trained, runs->run[i].checkpoint.configuration, why);
    if (!why->status)
        tpugraphs_warn_trained("data", data->paths.path, data->paths.count, trained.path,
                               trained.count);
    tpugraphs_paths_free(&trained);
    return why->status;
}

static ag_status compare(tpgnn_results *r, const tpgnn_runs *runs, const tpgnn_settings *s,
                         ag_failure *why)
{
    tpgnn_data fit = {0};
    if (!s->baselines) return AG_OK;
    if (!read_fit(&fit, r->data, runs, s, why) && fit.schedules && !harness_interrupted())
        tpgnn_results_baselines(r, &fit, why);
    tpgnn_data_free(&fit);
    return why->status;
}

static ag_status show(const tpgnn_results *r, const tpgnn_settings *s, int models, ag_failure *why)
{
    if (s->common.json) {
        json_t *j = tpgnn_results_json(r);
        json_object_set_new(j, "runs", json_integer(models));
        return harness_json_print(j, why);
    }
    char *title = models > 1 ? harness_text("Mean of the scores of %d runs", models)
                             : harness_text("Scores of %s", s->common.run);
    harness_table *table[TPGNN_TABLES];
    tpgnn_results_tables(table, r, title);
    tpgnn_results_print(r, table);
    tpgnn_tables_free(table);
    harness_free(title);
    return AG_OK;
}

ag_status tpgnn_eval_command(harness_call *call, ag_failure *why)
{
    const tpgnn_settings *s = call->values;
    tpgnn_runs runs = {0};
    tpgnn_data data = {0};
    tpgnn_results results = {0};
    if (!tpgnn_runs_open(&runs, s, why) && !tpgnn_runs_read(&runs, &data, s, why) &&
        !warn_trained(&runs, &data, why) && !harness_interrupted()) {
        tpgnn_results_open(&results, &data);
        if (!tpgnn_runs_score(&runs, &results, &data, s, why) && !harness_interrupted() &&
            !compare(&results, &runs, s, why) && !harness_interrupted() &&
            !tpgnn_results_grade(&results, why))
            show(&results, s, runs.count, why);
    }
    tpgnn_results_close(&results);
    tpgnn_data_free(&data);
    tpgnn_runs_close(&runs);
    return why->status;
}
