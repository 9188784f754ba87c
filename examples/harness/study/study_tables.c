/* SPDX-License-Identifier: MIT */
/* The results of a study as tables, and its files without the page. */
#include "examples/harness/rank/measures.h"
#include "core/error.h"
#include "examples/harness/study/study_internal.h"

#include "core/io/io.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* ---- what a run gave ---- */

const char *harness__study_path(const study_outcome *x, int variant, int seed, const char *end)
{
    const harness_study *s = x->study;
    return harness_format("%s/%s/seed-%" PRId64 "%s", x->out, s->variants[variant].folder,
                          s->seeds[seed], end);
}

static double number_in(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const json_t *in_run(const study_outcome *x, int variant, int seed, const char *key)
{
    return json_object_get(x->result[variant * x->seeds + seed], key);
}

double harness__study_score(const study_outcome *x, int variant, int seed, int measure)
{
    return number_in(in_run(x, variant, seed, "scores"), x->measure[measure]);
}

static const char *group_name(const json_t *groups, int group)
{
    const json_t *name = json_object_get(json_array_get(groups, (size_t)group), "group");
    return json_is_string(name) ? json_string_value(name) : "";
}

/* The groups of the first run that has scores, by which the others are compared. */
static const json_t *all_groups(const study_outcome *x)
{
    for (int i = 0; i < x->variants * x->seeds; i++) {
        const json_t *groups = json_object_get(x->result[i], "groups");
        if (json_array_size(groups)) return groups;
    }
    return NULL;
}

/* ---- the tables ---- */

/* A measure of a run within a group, NaN where the run has none or another group; groups NULL: its
   score over all of them. */
static double value_in(const study_outcome *x, int variant, int seed, int measure,
                       const json_t *groups, int group)
{
    const json_t *mine = in_run(x, variant, seed, "groups");
    if (!groups) return harness__study_score(x, variant, seed, measure);
    return strcmp(group_name(mine, group), group_name(groups, group)) == 0
               ? number_in(json_array_get(mine, (size_t)group), x->measure[measure])
               : (double)NAN;
}

static harness_paired pair(const study_outcome *x, int variant, int measure, const json_t *groups)
{
    const int count = groups ? (int)json_array_size(groups) : 1, n = x->seeds * count;
    double *of = HARNESS_NEW(of, 2 * n), *base = of + n;
    for (int i = 0; i < n; i++) {
        of[i] = value_in(x, variant, i / count, measure, groups, i % count);
        base[i] = value_in(x, 0, i / count, measure, groups, i % count);
    }
    const harness_paired d = harness_pair(of, base, x->seeds, count);
    harness_free(of);
    return d;
}

/* Over seeds and groups; only over seeds where the measure has no values in groups. */
static harness_paired difference(const study_outcome *x, int variant, int measure)
{
    const harness_paired d = pair(x, variant, measure, all_groups(x));
    return d.seeds ? d : pair(x, variant, measure, NULL);
}

static harness_averages over_seeds(const study_outcome *x, int variant, int measure)
{
    double *score = harness_lasting((size_t)x->seeds * sizeof *score);
    for (int k = 0; k < x->seeds; k++) score[k] = harness__study_score(x, variant, k, measure);
    return harness_average(score, x->seeds);
}

static harness_table *measure_table(const study_outcome *x, int measure)
{
    const char *name = x->measure[measure], *title = name;
    const harness_measure known = harness_measure_of(name);
    const int digits = known < HARNESS_MEASURES && harness_measures[known].digits < 4 ? 2 : 4;
    if (known < HARNESS_MEASURES)
        title = harness_format("%s: %s is better", name,
                               harness_measures[known].smaller ? "smaller" : "larger");
    harness_table *t = harness_table_new(title);
    harness_table_narrow(t);
    for (int v = 0; v < x->variants; v++) {
        const harness_averages a = over_seeds(x, v, measure);
        harness_paired d = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, 0, 0};
        if (v) d = difference(x, v, measure);
        harness_table_text(t, "variant", x->name[v]);
        harness_table_number(t, "mean", a.mean, digits);
        harness_table_number(t, "spread", a.spread, digits);
        harness_table_number(t, "difference", d.mean, digits);
        harness_table_number(t, "low", d.low, digits);
        harness_table_number(t, "high", d.high, digits);
        harness_table_number(t, "p", d.p, HARNESS_TWO_FIGURES);
    }
    return t;
}

/* ---- variants with the same scores ---- */

/* A score that is missing in both is no sign of anything. */
static bool same_scores(const study_outcome *x, int v, int w)
{
    bool same = true, any = false;
    for (int i = 0; same && i < x->seeds * x->measures; i++) {
        const int seed = i % x->seeds, measure = i / x->seeds;
        const double a = harness__study_score(x, v, seed, measure),
                     b = harness__study_score(x, w, seed, measure);
        same = a == b || (isnan(a) && isnan(b));
        any = any || !isnan(a);
    }
    return same && any;
}

static void note_alike(harness_table *t, const study_outcome *x)
{
    for (int v = 1; v < x->variants; v++) {
        int w = 0;
        while (w < v && !same_scores(x, v, w)) w++;
        if (w < v)
            harness_table_note(t, harness_format("%s: has all scores of %s, so the study does not "
                                                 "tell them apart",
                                                 x->name[v], x->name[w]));
    }
}

/* Takes the list, which is left out if it is empty. */
static void set_list(json_t *row, const char *key, json_t *list)
{
    if (json_array_size(list)) json_object_set(row, key, list);
    json_decref(list);
}

/* In JSON a variant names the others with its scores, and its seeds without a result. */
static void list_special(json_t *row, const study_outcome *x, int variant)
{
    json_t *equal = json_array(), *missing = json_array();
    for (int w = 0; w < x->variants; w++)
        if (w != variant && same_scores(x, variant, w))
            json_array_append_new(equal, json_string(x->name[w]));
    for (int k = 0; k < x->seeds; k++)
        if (harness__study_lacks(x, variant, k))
            json_array_append_new(missing, json_integer(x->study->seeds[k]));
    set_list(row, "equal", equal);
    set_list(row, "missing", missing);
}

/* ---- notes and costs ---- */

/* The seeds of a variant without a result, "1, 4". */
static const char *seeds_lacking(int *count, const study_outcome *x, int variant)
{
    const char *list = "";
    *count = 0;
    for (int k = 0; k < x->seeds; k++)
        if (harness__study_lacks(x, variant, k))
            list = harness_format("%s%s%" PRId64, list, (*count)++ ? ", " : "", x->study->seeds[k]);
    return list;
}

/* A mean over fewer seeds than asked for is no result of the variant as such. */
static void note_runs(harness_table *t, const study_outcome *x)
{
    for (int v = 0; v < x->variants; v++) {
        int lacking;
        const char *seeds = seeds_lacking(&lacking, x, v);
        const int missing = x->seeds - over_seeds(x, v, 0).count - lacking;
        if (lacking)
            harness_table_note(
                t, harness_format("%s: has no result yet with the seeds %s", x->name[v], seeds));
        if (missing)
            harness_table_note(t, harness_format("%s: %d of %d seeds left out of its means, since "
                                                 "they have no score",
                                                 x->name[v], missing, x->seeds));
    }
    if (x->seeds == 1)
        harness_table_note(t, "One seed says nothing of others, so there is neither spread nor "
                              "interval; write seeds = 0..2 in [study]");
    note_alike(t, x);
}

/* All rows that timing.jsonl has of it in a run, added; the mean over the runs. A run has one row
   of its peak. */
static double mean_taken(const study_outcome *x, int variant, const char *what)
{
    double sum = 0;
    int runs = 0;
    for (int k = 0; k < x->seeds; k++) {
        harness_curve c;
        ag_failure none = {0};
        if (harness__study_lacks(x, variant, k)) continue;
        harness_run_column(&c, harness__study_path(x, variant, k, "/timing.jsonl"), what, &none);
        for (int64_t i = 0; i < c.n; i++) sum += c.y[i];
        runs += c.n > 0;
        harness_free(c.x);
    }
    return runs ? sum / runs : (double)NAN;
}

/* "edges = false, steps = 6" */
static const char *overrides(const harness_variant *v)
{
    const char *all = bag_count(v->overrides) ? "" : "none";
    for (int i = 0; i < bag_count(v->overrides); i++)
        all = harness_format("%s%s%s = %s", all, i ? ", " : "", v->overrides[i].name,
                             v->overrides[i].value);
    return all;
}

static harness_table *costs_table(const study_outcome *x)
{
    harness_table *t = harness_table_new("What the variants are and take");
    for (int v = 0; v < x->variants; v++) {
        double parameters = (double)NAN;
        for (int k = 0; isnan(parameters) && k < x->seeds; k++)
            parameters = number_in(x->result[v * x->seeds + k], "parameters");
        harness_table_text(t, "variant", x->name[v]);
        harness_table_count(t, "runs", over_seeds(x, v, 0).count);
        harness_table_number(t, "parameters", parameters, 0);
        harness_table_number(t, "seconds", mean_taken(x, v, "training"), 1);
        harness_table_number(t, "MiB", mean_taken(x, v, "peak MiB"), 0);
        harness_table_text(t, "options of its own", overrides(&x->study->variants[v]));
    }
    return t;
}

static harness_table *values_table(const study_outcome *x)
{
    harness_table *t = harness_table_new("");
    for (int i = 0; i < x->variants * x->seeds; i++) {
        const json_t *groups = json_object_get(x->result[i], "groups");
        for (int g = -1; g < (int)json_array_size(groups); g++) {
            const json_t *from =
                g < 0 ? json_object_get(x->result[i], "scores") : json_array_get(groups, (size_t)g);
            harness_table_text(t, "variant", x->name[i / x->seeds]);
            harness_table_count(t, "seed", x->study->seeds[i % x->seeds]);
            harness_table_text(t, "group", g < 0 ? "" : group_name(groups, g));
            for (int m = 0; m < x->measures; m++)
                harness_table_number(t, x->measure[m], number_in(from, x->measure[m]), 4);
        }
    }
    return t;
}

/* ---- the files ---- */

/* Without times, so that the same study has the same bytes. */
static json_t *as_json(const study_outcome *x, const harness_table *values)
{
    const harness_call *call = x->call;
    json_t *seeds = json_array(), *measures = json_array();
    for (int k = 0; k < x->seeds; k++)
        json_array_append_new(seeds, json_integer(x->study->seeds[k]));
    for (int m = 0; m < x->measures; m++) {
        json_t *rows = harness_table_json(x->table[m]);
        for (int v = 0; !m && v < x->variants; v++)
            list_special(json_array_get(rows, (size_t)v), x, v);
        json_array_append_new(measures,
                              json_pack("{s:s, s:o}", "measure", x->measure[m], "variants", rows));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o}", "title", x->study->title,
                     "program", call->program->name, "version", call->program->version, "command",
                     harness_json_name(call->command_line), "base", x->name[0], "seeds", seeds,
                     "measures", measures, "runs", harness_table_json(values));
}

static ag_status print_csv(FILE *to, void *values)
{
    harness_table_csv(to, values);
    return AG_OK;
}

static ag_status print_tex(FILE *to, void *outcome)
{
    const study_outcome *x = outcome;
    harness_tables_tex(to, x->table, x->measures);
    return AG_OK;
}

static void add_measure(study_outcome *x, const char *name)
{
    for (int m = 0; m < x->measures; m++)
        if (strcmp(x->measure[m], name) == 0) return;
    if (x->measures < HARNESS_MOST_SCORES) x->measure[x->measures++] = name;
}

/* A variant may have one that others lack. */
static int list_measures(study_outcome *x)
{
    const char *name;
    json_t *value;
    for (int i = 0; i < x->variants * x->seeds; i++) {
        json_object_foreach(json_object_get(x->result[i], "scores"), name, value)
        {
            add_measure(x, name);
        }
    }
    return x->measures;
}

harness_table *harness__study_write(study_outcome *x, json_t **json, ag_failure *why)
{
    if (!list_measures(x)) {
        ag_fail(why, AG_EFINITE,
                "no run of the study has a score, since no loss stayed finite; lower "
                "--learning-rate");
        return NULL;
    }
    const char *out = x->out;
    harness_table *values = values_table(x);
    for (int m = 0; m < x->measures; m++) x->table[m] = measure_table(x, m);
    x->table[x->measures] = costs_table(x);
    note_runs(x->table[0], x);
    *json = as_json(x, values);
    if (!ag_save_file(harness_format("%s/study.csv", out), print_csv, values, why) &&
        !ag_save_file(harness_format("%s/study.tex", out), print_tex, x, why) &&
        !harness__save_json(harness_format("%s/study.json", out), json_incref(*json), why))
        harness__study_page(x, why);
    harness_table_free(values);
    for (int i = why->status ? 0 : 1; x->table[i]; i++) harness_table_free(x->table[i]);
    return why->status ? NULL : x->table[0];
}
