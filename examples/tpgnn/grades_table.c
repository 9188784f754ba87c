/* SPDX-License-Identifier: MIT */
/* Means, tables and JSON of the grades of several methods. */
#include "examples/tpgnn/grades.h"
#include "examples/harness/harness.h"

#include <jansson.h>
#include <math.h>

static const struct {
    const char *table, *json;
    int listed; /* in the table of methods */
} measures[TPGNN_MEASURES] = {
    [TPGNN_PAIRWISE] = {"pairwise", "pairwise", 1},
    [TPGNN_TAU] = {"tau", "tau", 1},
    [TPGNN_TOP1] = {"top-1", "top-1", 1},
    [TPGNN_TOP5] = {"top-5", "top-5", 1},
    [TPGNN_TOP10] = {"top-10", "top-10", 1},
    [TPGNN_RECALL1] = {"recall@1", "recall-1", 0},
    [TPGNN_RECALL5] = {"recall@5", "recall-5", 1},
    [TPGNN_RECALL10] = {"recall@10", "recall-10", 1},
    [TPGNN_SLOWDOWN1] = {"slowdown@1", "slowdown-1", 1},
    [TPGNN_SLOWDOWN5] = {"slowdown@5", "slowdown-5", 0},
    [TPGNN_SLOWDOWN10] = {"slowdown@10", "slowdown-10", 0},
    [TPGNN_R2] = {"R2", "r2", 1},
    [TPGNN_MAE] = {"MAE", "mae", 1},
};

const char *tpgnn_measure_name(tpgnn_measure measure) { return measures[measure].table; }
const char *tpgnn_measure_json(tpgnn_measure measure) { return measures[measure].json; }

/* ---- means ---- */

enum { ALL = -1 /* families */, DIGITS = 3 };

static const tpgnn_grade *grades_of(const tpgnn_comparison *c, int method)
{
    return c->grade + (size_t)method * (size_t)c->tasks;
}

static int within(const tpgnn_comparison *c, int task, int family)
{
    return family == ALL || c->family_of[task] == family;
}

static double mean_of(const tpgnn_comparison *c, int method, tpgnn_measure measure, int family)
{
    const tpgnn_grade *grade = grades_of(c, method);
    double sum = 0;
    int count = 0;
    for (int t = 0; t < c->tasks; t++) {
        if (!within(c, t, family) || isnan(grade[t].of[measure])) continue;
        sum += grade[t].of[measure];
        count++;
    }
    return count ? sum / count : (double)NAN;
}

double tpgnn_mean(const tpgnn_comparison *c, int method, tpgnn_measure measure)
{
    return mean_of(c, method, measure, ALL);
}

double tpgnn_mean_of_family(const tpgnn_comparison *c, int method, tpgnn_measure measure,
                            int family)
{
    return mean_of(c, method, measure, family);
}

double tpgnn_mean_over_families(const tpgnn_comparison *c, int method, tpgnn_measure measure)
{
    double sum = 0;
    int count = 0;
    for (int f = 0; f < c->families; f++) {
        const double mean = mean_of(c, method, measure, f);
        if (isnan(mean)) continue;
        sum += mean;
        count++;
    }
    return count ? sum / count : (double)NAN;
}

static double mean_over(const tpgnn_comparison *c, int method, tpgnn_measure measure,
                        tpgnn_over over)
{
    return (over == TPGNN_OVER_TASKS ? tpgnn_mean : tpgnn_mean_over_families)(c, method, measure);
}

/* Sums over the tasks of a family: tasks with schedules, schedules, and those without a score. */
typedef struct counts {
    int64_t tasks, schedules, unscored;
} counts;

static counts count(const tpgnn_comparison *c, int method, int family)
{
    counts n = {0};
    for (int t = 0; t < c->tasks; t++) {
        const tpgnn_grade *g = grades_of(c, method) + t;
        if (!within(c, t, family)) continue;
        n.tasks += g->schedules > 0;
        n.schedules += g->schedules;
        n.unscored += g->unscored;
    }
    return n;
}

/* ---- a table of methods ---- */

harness_table *tpgnn_methods_table(const char *title, const tpgnn_comparison *c, tpgnn_over over)
{
    const char *column[TPGNN_MEASURES + 2] = {"method"};
    int n = 1;
    for (int k = 0; k < TPGNN_MEASURES; k++)
        if (measures[k].listed) column[n++] = measures[k].table;
    column[n++] = "unscored";
    harness_table *t = harness_table_new(title, column, n);
    for (int m = 0; m < c->methods; m++) {
        harness_table_text(t, c->method[m]);
        for (int k = 0; k < TPGNN_MEASURES; k++)
            if (measures[k].listed)
                harness_table_number(t, mean_over(c, m, (tpgnn_measure)k, over), DIGITS);
        harness_table_count(t, count(c, m, ALL).unscored);
    }
    return t;
}

/* ---- tables of families and of tasks ---- */

enum { SIDES = 2 /* the model and the method next to it */, SHOWN = 3 };
static const tpgnn_measure shown[SHOWN] = {TPGNN_PAIRWISE, TPGNN_TOP1, TPGNN_TOP5};

static int sides(int side[SIDES], const tpgnn_comparison *c)
{
    side[0] = 0;
    side[1] = c->beside ? c->beside : 1;
    return c->methods < SIDES ? c->methods : SIDES;
}

static harness_table *new_table(const char *title, const char *const *first, int n,
                                const tpgnn_comparison *c)
{
    enum { NAME = 96, FIRST = 3, MOST = FIRST + SHOWN * SIDES };
    const char *column[MOST];
    char text[MOST][NAME];
    int side[SIDES], count = sides(side, c);
    for (int i = 0; i < n; i++) column[i] = first[i];
    for (int k = 0; k < SHOWN; k++)
        for (int i = 0; i < count; i++, n++) {
            snprintf(text[n], NAME, "%.60s %s", c->method[side[i]], measures[shown[k]].table);
            column[n] = text[n];
        }
    return harness_table_new(title, column, n);
}

static void means_row(harness_table *t, const tpgnn_comparison *c, tpgnn_over over)
{
    int side[SIDES], n = sides(side, c);
    for (int k = 0; k < SHOWN; k++)
        for (int i = 0; i < n; i++)
            harness_table_number(t, mean_over(c, side[i], shown[k], over), DIGITS);
}

static void family_row(harness_table *t, const tpgnn_comparison *c, int family)
{
    int side[SIDES], n = sides(side, c);
    for (int k = 0; k < SHOWN; k++)
        for (int i = 0; i < n; i++)
            harness_table_number(t, mean_of(c, side[i], shown[k], family), DIGITS);
}

static void task_row(harness_table *t, const tpgnn_comparison *c, int task)
{
    int side[SIDES], n = sides(side, c);
    for (int k = 0; k < SHOWN; k++)
        for (int i = 0; i < n; i++)
            harness_table_number(t, grades_of(c, side[i])[task].of[shown[k]], DIGITS);
}

harness_table *tpgnn_families_table(const char *title, const tpgnn_comparison *c)
{
    static const char *const first[] = {"family", "tasks", "schedules"};
    harness_table *t = new_table(title, first, 3, c);
    for (int f = 0; c->methods && f <= c->families + 1; f++) {
        const int family = f < c->families ? f : ALL;
        const counts n = count(c, 0, family);
        if (family != ALL && !n.tasks) continue;
        harness_table_text(t, f < c->families    ? c->family[f]
                              : f == c->families ? "mean over families"
                                                 : "mean over tasks");
        harness_table_count(t, n.tasks);
        harness_table_count(t, n.schedules);
        if (family != ALL)
            family_row(t, c, family);
        else
            means_row(t, c, f == c->families ? TPGNN_OVER_FAMILIES : TPGNN_OVER_TASKS);
    }
    return t;
}

harness_table *tpgnn_tasks_table(const char *title, const tpgnn_comparison *c)
{
    static const char *const first[] = {"task", "schedules"};
    harness_table *t = new_table(title, first, 2, c);
    for (int i = 0; c->methods && i < c->tasks; i++) {
        if (!c->grade[i].schedules) continue;
        harness_table_text(t, c->name[i]);
        harness_table_count(t, c->grade[i].schedules);
        task_row(t, c, i);
    }
    for (int over = TPGNN_OVER_FAMILIES; c->methods && over >= TPGNN_OVER_TASKS; over--) {
        harness_table_text(t, over == TPGNN_OVER_TASKS ? "mean over tasks" : "mean over families");
        harness_table_count(t, count(c, 0, ALL).schedules);
        means_row(t, c, (tpgnn_over)over);
    }
    return t;
}

/* ---- JSON ---- */

static void put(json_t *object, int measure, double value)
{
    json_object_set_new(object, measures[measure].json,
                        isfinite(value) ? json_real(value) : json_null());
}

static json_t *task_json(const tpgnn_comparison *c, int task)
{
    json_t *row = json_object();
    json_object_set_new(row, "task", harness_json_name(c->name[task]));
    json_object_set_new(row, "family", harness_json_name(c->family[c->family_of[task]]));
    json_object_set_new(row, "schedules", json_integer(c->grade[task].schedules));
    for (int m = 0; m < c->methods; m++) {
        const tpgnn_grade *g = grades_of(c, m) + task;
        json_t *of = json_object();
        for (int k = 0; k < TPGNN_MEASURES; k++) put(of, k, g->of[k]);
        json_object_set_new(of, "unscored", json_integer(g->unscored));
        json_object_set_new(row, c->method[m], of);
    }
    return row;
}

static json_t *family_json(const tpgnn_comparison *c, int family)
{
    const counts n = count(c, 0, family);
    json_t *row = json_object();
    json_object_set_new(row, "family", harness_json_name(c->family[family]));
    json_object_set_new(row, "tasks", json_integer(n.tasks));
    json_object_set_new(row, "schedules", json_integer(n.schedules));
    for (int m = 0; m < c->methods; m++) {
        json_t *of = json_object();
        for (int k = 0; k < TPGNN_MEASURES; k++)
            put(of, k, mean_of(c, m, (tpgnn_measure)k, family));
        json_object_set_new(row, c->method[m], of);
    }
    return row;
}

static json_t *means_json(const tpgnn_comparison *c, tpgnn_over over)
{
    json_t *row = json_object();
    for (int m = 0; m < c->methods; m++) {
        json_t *of = json_object();
        for (int k = 0; k < TPGNN_MEASURES; k++)
            put(of, k, mean_over(c, m, (tpgnn_measure)k, over));
        json_object_set_new(row, c->method[m], of);
    }
    return row;
}

struct json_t *tpgnn_comparison_json(const tpgnn_comparison *c)
{
    json_t *all = json_object(), *tasks = json_array(), *families = json_array();
    for (int t = 0; c->methods && t < c->tasks; t++)
        if (c->grade[t].schedules) json_array_append_new(tasks, task_json(c, t));
    for (int f = 0; c->methods && f < c->families; f++)
        if (count(c, 0, f).tasks) json_array_append_new(families, family_json(c, f));
    json_object_set_new(all, "tasks", tasks);
    json_object_set_new(all, "families", families);
    json_object_set_new(all, "mean over tasks", means_json(c, TPGNN_OVER_TASKS));
    json_object_set_new(all, "mean over families", means_json(c, TPGNN_OVER_FAMILIES));
    return all;
}
