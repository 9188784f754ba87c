/* SPDX-License-Identifier: MIT */
/* Tables, JSON, pictures and page of a ranking model. */
#include "examples/harness/rank/rank.h"

#include <jansson.h>
#include <math.h>

static const double *grade_of(const harness_rank *r, int method, int group)
{
    return r->grade[(size_t)method * (size_t)r->groups + (size_t)group];
}

static void means_of(double *mean, const harness_rank *r, int method)
{
    for (int k = 0; k < HARNESS_RANK_MEASURES; k++) mean[k] = harness_rank_mean(r, method, k);
}

/* ---- tables ---- */

static void add_numbers(harness_table *t, const double *measure)
{
    for (int k = 0; k < HARNESS_RANK_MEASURES; k++) harness_table_number(t, measure[k], 4);
}

static harness_table *groups_table(const harness_rank *r, const char *title)
{
    const char *column[2 + HARNESS_RANK_MEASURES] = {"group", "items"};
    double mean[HARNESS_RANK_MEASURES];
    harness_rank_measures(column + 2, NULL, NULL);
    harness_table *t = harness_table_new(title, column, 2 + HARNESS_RANK_MEASURES);
    for (int i = 0; i < r->groups; i++) {
        harness_table_text(t, r->group[i].name);
        harness_table_count(t, r->group[i].items);
        add_numbers(t, grade_of(r, 0, i));
    }
    means_of(mean, r, 0);
    harness_table_text(t, "mean");
    harness_table_count(t, r->items);
    add_numbers(t, mean);
    return t;
}

static harness_table *methods_table(const harness_rank *r)
{
    const char *column[1 + HARNESS_RANK_MEASURES] = {"method"};
    double mean[HARNESS_RANK_MEASURES];
    harness_rank_measures(column + 1, NULL, NULL);
    harness_table *t = harness_table_new("Mean over the groups", column, 1 + HARNESS_RANK_MEASURES);
    for (int m = 0; m < r->methods; m++) {
        means_of(mean, r, m);
        harness_table_text(t, r->method[m]);
        add_numbers(t, mean);
    }
    return t;
}

int harness_rank_tables(harness_table *table[HARNESS_TABLES], const void *rank, const char *title)
{
    const harness_rank *r = rank;
    int n = 0;
    table[n++] = groups_table(r, title);
    if (r->methods > 1) table[n++] = methods_table(r);
    return n;
}

/* ---- JSON ---- */

static json_t *measures_json(const double *measure)
{
    const char *name[HARNESS_RANK_MEASURES];
    json_t *j = json_object();
    harness_rank_measures(name, NULL, NULL);
    for (int k = 0; k < HARNESS_RANK_MEASURES; k++)
        json_object_set_new(j, name[k], isnan(measure[k]) ? json_null() : json_real(measure[k]));
    return j;
}

static json_t *group_json(const harness_rank *r, int group)
{
    json_t *j = json_object();
    json_object_set_new(j, "group", harness_json_name(r->group[group].name));
    json_object_set_new(j, "items", json_integer(r->group[group].items));
    for (int m = 0; m < r->methods; m++)
        json_object_set_new(j, r->method[m], measures_json(grade_of(r, m, group)));
    return j;
}

struct json_t *harness_rank_json(const void *rank)
{
    const harness_rank *r = rank;
    json_t *j = json_object(), *groups = json_array(), *means = json_object();
    double mean[HARNESS_RANK_MEASURES];
    for (int i = 0; i < r->groups; i++) json_array_append_new(groups, group_json(r, i));
    for (int m = 0; m < r->methods; m++) {
        means_of(mean, r, m);
        json_object_set_new(means, r->method[m], measures_json(mean));
    }
    json_object_set_new(j, "groups", groups);
    json_object_set_new(j, "mean", means);
    return j;
}

/* ---- pictures ---- */

/* Fills the places of a group's items, from 0 for the first to 1 for the last. */
static ag_status places(double *place, const double *value, int items, ag_failure *why)
{
    if (harness_places(place, value, items, why)) return why->status;
    for (int i = 0; i < items; i++) place[i] /= items > 1 ? items - 1 : 1;
    return AG_OK;
}

static ag_status plot_order(const char *folder, const harness_rank *r, ag_failure *why)
{
    const size_t room = (size_t)r->items;
    double *x = harness_alloc(3 * room * sizeof *x + 1), *y = x + room, *actual = y + room;
    int64_t n = 0;
    for (int i = 0; i < r->groups && !why->status; i++) {
        const harness_ranked *g = &r->group[i];
        if (!g->actual) continue;
        for (int k = 0; k < g->items; k++) actual[k] = (double)g->actual[k];
        if (!places(x + n, actual, g->items, why))
            places(y + n, r->score[0] + g->first, g->items, why);
        n += g->items;
    }
    if (!why->status)
        harness_plot_scatter(folder, "order", "Order within the validation groups",
                             "place by run time", "place by score", x, y, n, why);
    harness_free(x);
    return why->status;
}

static ag_status plot_methods(const char *folder, const harness_rank *r, ag_failure *why)
{
    double value[HARNESS_RANK_METHODS];
    const char *name[HARNESS_RANK_METHODS];
    int n = 0;
    for (int m = 0; m < r->methods; m++) {
        value[n] = harness_rank_mean(r, m, HARNESS_RANK_TAU);
        name[n] = r->method[m];
        n += !isnan(value[n]);
    }
    if (!n) return AG_OK;
    return harness_plot_bars(folder, "methods", "Validation groups, mean: larger is better", "tau",
                             name, value, NULL, n, why);
}

ag_status harness_rank_plot(const harness_session *session, const void *rank, ag_failure *why)
{
    if (!plot_order(session->folder, rank, why)) plot_methods(session->folder, rank, why);
    return why->status;
}

/* ---- the page ---- */

static const char on_measures[] =
    "tau is Kendall's rank correlation (tau-b) of scores and measured run times within a group, "
    "opa the share of the pairs with different run times whose scores have the same order. "
    "slowdown@k is how much longer the fastest of the k items that are predicted best takes than "
    "the fastest of all: 0 is best. All are means over the groups.";
static const char on_best[] =
    "The best checkpoint is chosen by the same validation groups that are scored here; files given "
    "to \"eval\" later are not touched by that.";

void harness_rank_describe(harness_page *page, const harness_session *session, const void *rank)
{
    const harness_rank *r = rank;
    const long long steps = session->trained.state->step;
    *page = (harness_page){
        .title = harness_text("%s: %lld steps", session->model->program->name, steps),
        .nothing = "give --valid",
        .fact_name = {"tau", "slowdown@1", "steps", "parameters"},
        .fact = {harness_fact("%.4f", harness_rank_mean(r, 0, HARNESS_RANK_TAU)),
                 harness_fact("%.4f", harness_rank_mean(r, 0, HARNESS_RANK_SLOWDOWN_1)),
                 harness_text("%lld", steps),
                 harness_text("%lld", (long long)ag_params_count(session->trained.params))},
        .facts = 4,
        .plot = {"curves", "order", "methods"},
        .caption = {"Loss of the training steps, and the tau that chooses the best checkpoint.",
                    "A point per item: its place in its group by run time and by score, from 0 for "
                    "the fastest to 1 for the slowest.",
                    "The model compared with other ways to predict, mean over the groups."},
        .plots = 3,
        .note = {harness_copy(on_measures), harness_copy(on_best)},
        .notes = 2};
    for (int m = 1; m < r->methods; m++)
        page->note[page->notes++] = harness_text("%s: %s", r->method[m], r->note[m]);
}
