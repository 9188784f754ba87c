/* SPDX-License-Identifier: MIT */
/* The commands `predict`, a score per item in the order of the files, and `eval`. */
#include "examples/harness/rank/rank.h"
#include "core/error.h"
#include "examples/harness/files/files.h"
#include "examples/harness/model/outputs.h"
#include "examples/harness/rank/unseen.h"

#include <inttypes.h>
#include <jansson.h>

/* A call in which all is scored. */
typedef struct scored {
    const harness_model *model;
    const harness_settings *settings;
    harness_runs runs;
    void *data, *results;
    harness_files all; /* of --data, where --part or --scores is given */
    harness_outputs outputs;
} scored;

static ag_status check_output(const harness_settings *s, ag_failure *why)
{
    const bool keeps = s->common.part && s->scores.count;
    if (keeps && s->scores.count > 1)
        return ag_fail(why, AG_EUSE,
                       "--scores: with --part it is the file to write, but %d are named; name one",
                       s->scores.count);
    if (keeps && s->common.json)
        return ag_fail(why, AG_EUSE,
                       "--json: a share of eval prints no results; omit it, or give it to the call "
                       "that takes the scores of all shares");
    return harness_files_check_output(keeps ? "scores" : "csv", keeps ? s->scores.list[0] : s->csv,
                                      &s->common.data, s->common.run, &s->ensemble, why);
}

/* Keeps the values of the share, or takes those of all. */
static ag_status open_outputs(scored *x, const harness_call *call, harness_part part,
                              ag_failure *why)
{
    const harness_settings *s = x->settings;
    harness_outputs *o = x->runs.outputs = &x->outputs;
    if (x->runs.count > HARNESS_OUTPUTS_RUNS)
        return ag_fail(why, AG_EUSE, "--scores: there are %d runs, but a file holds at most %d",
                       x->runs.count, HARNESS_OUTPUTS_RUNS);
    if (harness_outputs_open(o, &x->runs, call->program, call->options, &x->all, why))
        return why->status;
    return s->common.part ? harness_outputs_keep(o, s->scores.list[0], part, why)
                          : harness_outputs_take(o, &s->scores, x->runs.count, why);
}

/* Leaves the files of the share in --data. */
static ag_status choose(scored *x, harness_call *call, ag_failure *why)
{
    harness_settings *s = call->values;
    harness_part part;
    if ((!s->common.part && !s->scores.count) || harness_part_read(&part, s->common.part, why) ||
        harness_files_read(&x->all, &s->common.data, "data", why) ||
        (s->scores.count && open_outputs(x, call, part, why)))
        return why->status;
    if (part.count > 1) ((harness_rank *)x->results)->all = &x->all;
    return harness_part_cut(&s->common.data, &x->all, part, why);
}

/* Loads the runs, reads and scores --data, then calls `show`. known: the run times must be. */
static ag_status score(harness_call *call, bool known,
                       ag_status (*show)(scored *x, ag_failure *why), ag_failure *why)
{
    const harness_model *m = call->program->model;
    const harness_settings *s = call->values;
    scored x = {.model = m, .settings = s};
    x.data = harness_alloc(m->data_bytes);
    x.results = harness_alloc(m->results_bytes);
    if (!harness_options_act(call->options, harness_model_files(m, s), why) &&
        !check_output(s, why) && !harness_runs_open(&x.runs, m, s, why) && !choose(&x, call, why) &&
        !m->read_scored(x.data, &x.runs, s, known, why)) {
        harness_rank_open(x.results, &x.runs, x.data, s);
        if (!harness_runs_score(&x.runs, x.results, s, why) &&
            !harness_outputs_check(&x.outputs, why) && !harness_rank_finite(x.results, why)) {
            harness_warn_alike(m, x.results);
            show(&x, why);
        }
        harness_rank_close(x.results);
    }
    m->close(x.data);
    harness_free(x.data);
    harness_free(x.results);
    harness_runs_close(&x.runs);
    harness_outputs_free(&x.outputs);
    harness_files_free(&x.all);
    return why->status;
}

/* ---- predict: CSV ---- */

static void write_group(FILE *to, const harness_ranked *g, bool ns, bool actual)
{
    for (int i = 0; i < g->items; i++) {
        harness_csv_quoted(to, g->name);
        fprintf(to, ",%d,%.9g", g->number ? g->number[i] : i, g->score[i]);
        if (ns) fprintf(to, g->ns ? ",%.9g" : ",", g->ns ? g->ns[i] : 0);
        if (actual && g->actual) fprintf(to, ",%" PRId64, g->actual[i]);
        fputs(actual && !g->actual ? ",\n" : "\n", to);
    }
}

/* The columns are those that any group has. */
static ag_status write_all(FILE *to, void *context)
{
    const scored *o = context;
    bool ns = false, actual = false;
    for (int i = 0; i < harness_rank_groups(o->results); i++) {
        const harness_ranked g = harness_rank_group_at(o->results, i);
        ns |= g.ns != NULL;
        actual |= g.actual != NULL;
    }
    fprintf(to, "group,item,score%s%s\n", ns ? ",predicted_ns" : "", actual ? ",measured_ns" : "");
    for (int i = 0; i < harness_rank_groups(o->results); i++) {
        const harness_ranked g = harness_rank_group_at(o->results, i);
        write_group(to, &g, ns, actual);
    }
    return AG_OK;
}

/* ---- predict: JSON ---- */

static json_t *group_json(const harness_ranked *g)
{
    json_t *item = json_array(), *score = json_array(), *ns = g->ns ? json_array() : NULL,
           *actual = g->actual ? json_array() : NULL;
    for (int i = 0; i < g->items; i++) {
        json_array_append_new(item, json_integer(g->number ? g->number[i] : i));
        json_array_append_new(score, json_real(g->score[i]));
        if (g->ns) json_array_append_new(ns, json_real(g->ns[i]));
        if (g->actual) json_array_append_new(actual, json_integer(g->actual[i]));
    }
    return json_pack("{s:o, s:o, s:o, s:o*, s:o*}", "group", harness_json_name(g->name), "items",
                     item, "scores", score, "predicted_ns", ns, "measured_ns", actual);
}

static ag_status print_json(const scored *o, ag_failure *why)
{
    json_t *list = json_array();
    for (int i = 0; i < harness_rank_groups(o->results); i++) {
        const harness_ranked g = harness_rank_group_at(o->results, i);
        json_array_append_new(list, group_json(&g));
    }
    return harness_json_print(list, why);
}

static ag_status show(scored *x, ag_failure *why)
{
    const char *csv = x->settings->csv;
    if (csv && harness_write(csv, write_all, x, why)) return why->status;
    if (x->settings->common.json) return print_json(x, why);
    return csv ? AG_OK : write_all(stdout, x);
}

ag_status harness_predict_command(harness_call *call, ag_failure *why)
{
    return score(call, false, show, why);
}

/* ---- eval: how well trained networks rank items with known run times ---- */

static ag_status print(scored *x, ag_failure *why)
{
    const int models = x->runs.count;
    if (x->settings->common.json) {
        json_t *j = harness_rank_json(x->results);
        json_object_set_new(j, "runs", json_integer(models));
        return harness_json_print(j, why);
    }
    harness_rank_print(x->results, models > 1
                                       ? harness_format("Mean of the scores of %d runs", models)
                                       : harness_format("Scores of %s", x->settings->common.run));
    return AG_OK;
}

static ag_status save_part(scored *x, ag_failure *why)
{
    const harness_settings *s = x->settings;
    if (harness_outputs_save(&x->outputs, why)) return why->status;
    harness_say("%s has the scores of %d of %d files", s->scores.list[0], s->common.data.count,
                x->all.count);
    return AG_OK;
}

static ag_status show_eval(scored *x, ag_failure *why)
{
    const harness_model *m = x->model;
    if (x->settings->common.part) return save_part(x, why);
    if (x->settings->baselines &&
        (!m->read_fit || !m->read_fit(x->data, &x->runs, x->settings, why)))
        m->compare(x->results, why);
    if (!why->status && m->repeat) m->repeat(x->results);
    if (!harness_go_on(why) || m->compute(x->results, why)) return why->status;
    return print(x, why);
}

ag_status harness_eval_command(harness_call *call, ag_failure *why)
{
    return score(call, true, show_eval, why);
}
