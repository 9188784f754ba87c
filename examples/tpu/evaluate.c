/* SPDX-License-Identifier: MIT */
/* How well trained models predict kernels with known run times. */
#include "examples/tpu/runs.h"

#include <jansson.h>
#include <string.h>

/* What the baselines learn from: --fit, or the --data of the run, when they are still there. */
static ag_status read_fit(tpu_data *fit, const tpu_data *beside, const tpu_runs *runs,
                          const tpu_settings *s, ag_failure *why)
{
    fit->budget.limit = tpugraphs_rest(&beside->budget);
    if (s->fit.count) return tpu_data_read(fit, &s->fit, "fit", why);
    tpu_settings trained;
    harness_options *o = harness_options_new(&tpu_program_table, HARNESS_TRAIN, &trained);
    ag_failure mine = {0};
    if (!harness_run_read_config(s->common.run, o, 1, &mine))
        tpu_data_read(fit, &trained.common.data, NULL, &mine);
    harness_options_free(o);
    if (harness_interrupted()) return AG_OK;
    char *now = tpu_data_json(fit);
    if (mine.status == AG_EMEMORY)
        ag_fail(why, mine.status, "%s", mine.sentence);
    else if (mine.status || strcmp(now, runs->run[0].checkpoint.data) != 0) {
        harness_warn("there are no baselines, since the files that %s was trained on are not there "
                     "as they were: name them with --fit, or take --no-baselines",
                     s->common.run);
        tpu_data_free(fit);
    }
    harness_free(now);
    return why->status;
}

static ag_status warn_trained(const tpu_runs *runs, const tpu_data *data, ag_failure *why)
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

static ag_status compare(tpu_results *r, const tpu_runs *runs, const tpu_settings *s,
                         ag_failure *why)
{
    tpu_data fit = {0};
    if (!s->baselines) return AG_OK;
    if (!read_fit(&fit, r->data, runs, s, why) && fit.kernels && !harness_interrupted()) {
        if (fit.task == r->data->task)
            tpu_results_baselines(r, &fit, why);
        else
            ag_fail(why, AG_EUSE,
                    "--fit names files of another kind than --data; name files of "
                    "one kind");
    }
    tpu_data_free(&fit);
    return why->status;
}

static ag_status show(const tpu_results *r, const tpu_settings *s, int models, ag_failure *why)
{
    if (s->common.json) {
        json_t *j = tpu_results_json(r);
        json_object_set_new(j, "runs", json_integer(models));
        return harness_json_print(j, why);
    }
    char *title = models > 1 ? harness_text("Mean of the scores of %d runs", models)
                             : harness_text("Scores of %s", s->common.run);
    harness_table *table[TPU_TABLES];
    const int tables = tpu_results_tables(table, r, title, s->least);
    tpu_results_print(r, table, tables);
    tpu_tables_free(table, tables);
    harness_free(title);
    return AG_OK;
}

ag_status tpu_eval_command(harness_call *call, ag_failure *why)
{
    const tpu_settings *s = call->values;
    tpu_runs runs = {0};
    tpu_data data = {0};
    tpu_results results = {0};
    if (!tpu_runs_open(&runs, s, why) && !tpu_runs_read(&runs, &data, s, why) &&
        !warn_trained(&runs, &data, why) && !harness_interrupted()) {
        if (!tpu_data_known(&data))
            ag_fail(why, AG_EDATA,
                    "none of the %d kernels can be scored: their run times are hidden; \"tpu "
                    "predict\" scores kernels without run times",
                    data.kernels);
        tpu_results_open(&results, &data);
        if (!why->status && !tpu_runs_score(&runs, &results, s, why) && !harness_interrupted() &&
            !compare(&results, &runs, s, why) && !harness_interrupted() &&
            !tpu_results_grade(&results, s->least, why))
            show(&results, s, runs.count, why);
    }
    tpu_results_close(&results);
    tpu_data_free(&data);
    tpu_runs_close(&runs);
    return why->status;
}
