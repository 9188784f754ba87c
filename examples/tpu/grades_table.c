/* SPDX-License-Identifier: MIT */
/* Grades of several methods as a table and as JSON. */
#include "examples/tpu/grades.h"
#include "examples/harness/harness.h"

#include <jansson.h>
#include <math.h>

enum { SUMMARIES = 3 };
static const char *const summary_name[SUMMARIES] = {"median", "geometric mean", "mean"};

const char *tpu_measure_name(tpu_task task, tpu_measure measure)
{
    static const char *const name[2][TPU_MEASURES] = {
        [TPU_TILE] = {"APE %", "tau"},
        [TPU_FUSION] = {"MAPE %", "tau", "MAPE % of all", "tau of all"}};
    return name[task][measure];
}

static const char *json_name(tpu_task task, tpu_measure measure)
{
    static const char *const name[2][TPU_MEASURES] = {
        [TPU_TILE] = {"ape", "tau"}, [TPU_FUSION] = {"mape", "tau", "mape-all", "tau-all"}};
    return name[task][measure];
}

static double summary_at(const tpu_summary *s, int which)
{
    return which == 0 ? s->median : which == 1 ? s->geometric : s->mean;
}

static const tpu_grade *grades_of(const tpu_comparison *c, int method)
{
    return c->grade + (size_t)method * (size_t)c->programs;
}

static tpu_summary summary_of(const tpu_comparison *c, int method, tpu_measure measure)
{
    return tpu_summarise(grades_of(c, method), c->programs, measure);
}

/* ---- a table of programs ---- */

enum { SIDES = 2 /* the model and the method next to it */, SHOWN = 2 /* error and tau */ };

static int sides(int side[SIDES], const tpu_comparison *c)
{
    side[0] = 0;
    side[1] = c->beside ? c->beside : 1;
    return c->methods < SIDES ? c->methods : SIDES;
}

static harness_table *new_table(const char *title, const tpu_comparison *c)
{
    enum { NAME = 96, MOST = 3 + SHOWN * SIDES };
    const char *column[MOST] = {"program", "kernels", "long"};
    char text[MOST][NAME];
    int side[SIDES], count = sides(side, c), n = c->task == TPU_FUSION ? 3 : 2;
    for (int k = 0; k < SHOWN; k++)
        for (int i = 0; i < count; i++, n++) {
            snprintf(text[n], NAME, "%.60s %s", c->method[side[i]],
                     tpu_measure_name(c->task, (tpu_measure)k));
            column[n] = text[n];
        }
    return harness_table_new(title, column, n);
}

static int digits(int measure) { return measure == TPU_TAU || measure == TPU_TAU_ALL ? 3 : 1; }

static void begin_row(harness_table *t, const tpu_comparison *c, const char *name, int64_t kernels,
                      int64_t counted)
{
    harness_table_text(t, name);
    harness_table_count(t, kernels);
    if (c->task == TPU_FUSION) harness_table_count(t, counted);
}

static void program_row(harness_table *t, const tpu_comparison *c, int p)
{
    int side[SIDES], count = sides(side, c);
    begin_row(t, c, c->program[p], c->grade[p].kernels, c->grade[p].long_kernels);
    for (int k = 0; k < SHOWN; k++)
        for (int i = 0; i < count; i++)
            harness_table_number(t, grades_of(c, side[i])[p].of[k], digits(k));
}

static void summary_row(harness_table *t, const tpu_comparison *c, int which)
{
    int side[SIDES], count = sides(side, c);
    int64_t kernels = 0, counted = 0;
    for (int p = 0; p < c->programs; p++) {
        kernels += c->grade[p].kernels;
        counted += c->grade[p].long_kernels;
    }
    begin_row(t, c, summary_name[which], kernels, counted);
    for (int k = 0; k < SHOWN; k++)
        for (int i = 0; i < count; i++) {
            const tpu_summary s = summary_of(c, side[i], (tpu_measure)k);
            harness_table_number(t, summary_at(&s, which), digits(k));
        }
}

harness_table *tpu_comparison_table(const char *title, const tpu_comparison *c)
{
    harness_table *t = new_table(title, c);
    for (int p = 0; c->methods && p < c->programs; p++)
        if (c->grade[p].kernels) program_row(t, c, p);
    for (int which = 0; c->methods && which < SUMMARIES; which++) summary_row(t, c, which);
    return t;
}

/* ---- a table of methods ---- */

harness_table *tpu_methods_table(const char *title, const tpu_comparison *c, int all)
{
    const char *column[] = {
        "method",         c->task == TPU_TILE ? "median APE %" : "median MAPE %",
        "geometric mean", "mean",
        "median tau",     "mean tau"};
    harness_table *t = harness_table_new(title, column, 6);
    for (int m = 0; m < c->methods; m++) {
        const tpu_summary error = summary_of(c, m, all ? TPU_ERROR_ALL : TPU_ERROR);
        const tpu_summary tau = summary_of(c, m, all ? TPU_TAU_ALL : TPU_TAU);
        harness_table_text(t, c->method[m]);
        for (int which = 0; which < SUMMARIES; which++)
            harness_table_number(t, summary_at(&error, which), digits(TPU_ERROR));
        harness_table_number(t, tau.median, digits(TPU_TAU));
        harness_table_number(t, tau.mean, digits(TPU_TAU));
    }
    return t;
}

/* ---- JSON ---- */

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *program_json(const tpu_comparison *c, int p)
{
    json_t *row = json_object();
    json_object_set_new(row, "program", harness_json_name(c->program[p]));
    json_object_set_new(row, "kernels", json_integer(c->grade[p].kernels));
    for (int m = 0; m < c->methods; m++) {
        json_t *of = json_object();
        for (int k = 0; k < TPU_MEASURES; k++)
            if (json_name(c->task, (tpu_measure)k))
                json_object_set_new(of, json_name(c->task, (tpu_measure)k),
                                    number(grades_of(c, m)[p].of[k]));
        json_object_set_new(row, c->method[m], of);
    }
    return row;
}

static json_t *summary_json(const tpu_comparison *c, int which)
{
    json_t *row = json_object();
    for (int m = 0; m < c->methods; m++) {
        json_t *of = json_object();
        for (int k = 0; k < TPU_MEASURES; k++) {
            if (!json_name(c->task, (tpu_measure)k)) continue;
            const tpu_summary s = summary_of(c, m, (tpu_measure)k);
            json_object_set_new(of, json_name(c->task, (tpu_measure)k),
                                number(summary_at(&s, which)));
        }
        json_object_set_new(row, c->method[m], of);
    }
    return row;
}

struct json_t *tpu_comparison_json(const tpu_comparison *c)
{
    json_t *all = json_object(), *programs = json_array();
    for (int p = 0; c->methods && p < c->programs; p++)
        if (c->grade[p].kernels) json_array_append_new(programs, program_json(c, p));
    json_object_set_new(all, "programs", programs);
    for (int which = 0; which < SUMMARIES; which++)
        json_object_set_new(all, summary_name[which], summary_json(c, which));
    return all;
}
