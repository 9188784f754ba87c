/* SPDX-License-Identifier: MIT */
/* The end of a run: the best checkpoint on all that is held out, tables, pictures, page. */
#include "examples/harness/run/trained.h"

#include <jansson.h>
#include <math.h>

/* Scores the network of best.safetensors or, without a validation, the last one. */
static ag_status score_best(harness_session *s, void *results, ag_failure *why)
{
    const harness_model *m = s->model;
    if (isnan(s->trained.state->best) && harness_trainer_save(&s->trainer, HARNESS_BEST, why))
        return why->status;
    if (!m->groups(results)) return m->compute(results, why);
    harness_trained best = {0};
    const harness_scoring how = {.tape = s->tape, .settings = s->settings, .models = 1};
    if (!harness_trained_load(&best, m, harness_run_path(s->trainer.run, HARNESS_BEST), why) &&
        !ag_params_to(best.params, ag_tape_device(s->tape), why))
        m->add(results, &best, &how, why);
    if (!why->status && s->settings->baselines && s->show) m->compare(results, why);
    if (!why->status && m->repeat) m->repeat(results);
    if (harness_go_on(why)) m->compute(results, why);
    harness_trained_drop(&best);
    return why->status;
}

/* ---- the page ---- */

char *harness_fact(const char *format, double value)
{
    char text[40] = "-";
    if (!isnan(value)) snprintf(text, sizeof text, format, value);
    return harness_copy(text);
}

static ag_status write_page(const harness_session *s, const void *results,
                            harness_table *const *table, int tables, ag_failure *why)
{
    const int some = s->model->groups(results) > 0;
    harness_page p = {0};
    s->model->describe(&p, s, results);
    char *summary = harness_text("Nothing was held out, so there are no scores; %s.", p.nothing);
    const harness_report report = {.title = p.title,
                                   .summary = some ? NULL : summary,
                                   .fact_names = p.fact_name,
                                   .facts = (const char *const *)p.fact,
                                   .fact_count = p.facts,
                                   .plots = p.plot,
                                   .plot_captions = p.caption,
                                   .plot_count = some ? p.plots : 1,
                                   .tables = (const harness_table *const *)table,
                                   .table_count = some ? tables : 0,
                                   .notes = (const char *const *)p.note,
                                   .note_count = some ? p.notes : 0,
                                   .command_line = s->command_line,
                                   .options = s->options};
    harness_report_write(s->folder, &report, why);
    for (int i = 0; i < p.facts; i++) harness_free(p.fact[i]);
    for (int i = 0; i < p.notes; i++) harness_free(p.note[i]);
    harness_free(p.title);
    harness_free(summary);
    return why->status;
}

/* ---- stdout ---- */

static json_t *summary(const harness_session *s, const void *results)
{
    const harness_state *state = s->trained.state;
    json_t *j = s->model->json(results), *best = json_null();
    if (!isnan(state->best)) best = json_integer(state->best_step);
    json_object_set_new(j, "run", json_string(s->folder));
    json_object_set_new(j, "parameters", json_integer(ag_params_count(s->trained.params)));
    json_object_set_new(j, "steps", json_integer(state->step));
    json_object_set_new(j, "best-step", best);
    return j;
}

static ag_status show(const harness_session *s, const void *results, ag_failure *why)
{
    if (s->settings->common.json) return harness_json_print(summary(s, results), why);
    if (s->model->groups(results))
        harness_results_print(s->model, results, s->model->held_out);
    else
        printf("%lld steps done; nothing was held out, so there are no scores\n",
               (long long)s->trained.state->step);
    return AG_OK;
}

/* ---- the whole ---- */

static ag_status present(harness_session *s, const void *results, ag_failure *why)
{
    const harness_model *m = s->model;
    harness_table *table[HARNESS_TABLES] = {NULL};
    const int tables = m->tables(table, results, m->held_out);
    if (!harness_trainer_plot(&s->trainer, why) && m->groups(results)) m->plot(s, results, why);
    if (harness_go_on(why) && !write_page(s, results, table, tables, why) &&
        (!s->show || !show(s, results, why)))
        harness_trainer_done(&s->trainer);
    for (int i = 0; i < tables; i++) harness_table_free(table[i]);
    return why->status;
}

ag_status harness_session_end(harness_session *s, double *column, ag_failure *why)
{
    const harness_model *m = s->model;
    void *results = harness_alloc(m->results_bytes);
    m->open(results, s->data, s->settings);
    if (!score_best(s, results, why)) {
        if (column && m->groups(results)) m->column_values(column, results);
        present(s, results, why);
    }
    m->close_results(results);
    harness_free(results);
    return why->status;
}
