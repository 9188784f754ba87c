/* SPDX-License-Identifier: MIT */
/* The command `eval`: how well trained networks rank items with known run times. */
#include "examples/harness/rank/rank.h"

#include <jansson.h>

void harness_results_print(const void *results, const char *title)
{
    harness_table *table[HARNESS_TABLES] = {NULL};
    const char *name, *note;
    const int tables = harness_rank_tables(table, results, title);
    for (int i = 0; i < tables; i++) {
        if (i) putchar('\n');
        harness_table_print(stdout, table[i]);
        harness_table_free(table[i]);
    }
    for (int k = 0; harness_rank_other(&name, &note, results, k); k++) {
        printf("%s%s: ", k ? "" : "\n", name);
        harness_show(stdout, note);
        putchar('\n');
    }
}

static ag_status print(const harness_scored *x, ag_failure *why)
{
    const int models = x->runs.count;
    if (x->settings->common.json) {
        json_t *j = harness_rank_json(x->results);
        json_object_set_new(j, "runs", json_integer(models));
        return harness_json_print(j, why);
    }
    harness_results_print(x->results,
                          models > 1 ? harness_format("Mean of the scores of %d runs", models)
                                     : harness_format("Scores of %s", x->settings->common.run));
    return AG_OK;
}

static ag_status show(const harness_scored *x, ag_failure *why)
{
    const harness_model *m = x->model;
    if (x->settings->baselines && !m->read_fit(x->data, &x->runs, x->settings, why))
        m->compare(x->results, why);
    if (!why->status && m->repeat) m->repeat(x->results);
    if (!harness_go_on(why) || m->compute(x->results, why)) return why->status;
    return print(x, why);
}

ag_status harness_eval_command(harness_call *call, ag_failure *why)
{
    return harness_scored_show(call, true, show, why);
}
