/* SPDX-License-Identifier: MIT */
/* The command `eval`: how well trained networks rank items with known run times. */
#include "examples/harness/run/model.h"

#include <jansson.h>

void harness_results_print(const harness_model *m, const void *results, const char *title)
{
    harness_table *table[HARNESS_TABLES] = {NULL};
    const char *name, *note;
    const int tables = m->tables(table, results, title);
    for (int i = 0; i < tables; i++) {
        if (i) putchar('\n');
        harness_table_print(stdout, table[i]);
        harness_table_free(table[i]);
    }
    for (int k = 0; m->method(&name, &note, results, k); k++) {
        char *safe = harness_printable(note);
        printf("%s%s: %s\n", k ? "" : "\n", name, safe);
        harness_free(safe);
    }
}

static ag_status show(const harness_model *m, const void *results, const harness_settings *s,
                      int models, ag_failure *why)
{
    if (s->common.json) {
        json_t *j = m->json(results);
        json_object_set_new(j, "runs", json_integer(models));
        return harness_json_print(j, why);
    }
    char *title = models > 1 ? harness_text("Mean of the scores of %d runs", models)
                             : harness_text("Scores of %s", s->common.run);
    harness_results_print(m, results, title);
    harness_free(title);
    return AG_OK;
}

static ag_status compare(const harness_model *m, void *results, void *data,
                         const harness_runs *runs, const harness_settings *s, ag_failure *why)
{
    if (!s->baselines || m->read_fit(data, runs, s, why) || harness_interrupted())
        return why->status;
    return m->compare(results, why);
}

ag_status harness_eval_command(harness_call *call, ag_failure *why)
{
    const harness_model *m = call->program->model;
    const harness_settings *s = call->values;
    harness_runs runs = {0};
    void *data = harness_alloc(m->data_bytes), *results = harness_alloc(m->results_bytes);
    if (!harness_runs_open(&runs, m, s, why) && !m->read_scored(data, &runs, s, true, why) &&
        !harness_interrupted()) {
        m->open(results, data, s);
        if (!harness_runs_score(&runs, results, s, why) && !harness_interrupted() &&
            !compare(m, results, data, &runs, s, why) && !harness_interrupted() &&
            !m->compute(results, why))
            show(m, results, s, runs.count, why);
        m->close_results(results);
    }
    m->close(data);
    harness_free(data);
    harness_free(results);
    harness_runs_close(&runs);
    return why->status;
}
