/* SPDX-License-Identifier: MIT */
/* Pictures and page of a ranking model. */
#include "examples/harness/rank/rank_internal.h"

#include <math.h>

/* ---- a point per item ---- */

/* Fills the places of a group's items, from 0 for the first to 1 for the last. */
static ag_status places(double *place, const double *value, int items, ag_failure *why)
{
    if (harness_places(place, value, items, why)) return why->status;
    for (int i = 0; i < items; i++) place[i] /= items > 1 ? items - 1 : 1;
    return AG_OK;
}

/* The run times, or what the scores predict the order of. */
static const double *target_of(const harness_ranked *g, double *scratch)
{
    for (int i = 0; !g->target && i < g->items; i++) scratch[i] = (double)g->actual[i];
    return g->target ? g->target : scratch;
}

static ag_status plot_order(const char *folder, const harness_rank *r, ag_failure *why)
{
    const size_t room = (size_t)r->items;
    double *x = harness_alloc(3 * room * sizeof *x + 1), *y = x + room, *scratch = y + room;
    int64_t n = 0;
    for (int i = 0; i < r->groups && !why->status; i++) {
        const harness_ranked *g = &r->group[i];
        if (!g->actual) continue;
        if (!places(x + n, target_of(g, scratch), g->items, why))
            places(y + n, r->score[0] + g->first, g->items, why);
        n += g->items;
    }
    if (!why->status)
        harness_plot_scatter(folder, "order", "Order within the held-out groups",
                             "place by run time", "place by score", x, y, n, why);
    harness_free(x);
    return why->status;
}

static ag_status plot_times(const char *folder, const harness_rank *r, ag_failure *why)
{
    const size_t room = (size_t)r->items;
    double *x = harness_alloc(2 * room * sizeof *x + 1), *y = x + room;
    int64_t n = 0;
    for (int i = 0; i < r->groups; i++) {
        const harness_ranked *g = &r->group[i];
        for (int k = 0; g->actual && k < g->items; k++) {
            if (!g->actual[k]) continue;
            x[n] = log10((double)g->actual[k]);
            y[n++] = log10(r->score[0][g->first + k]);
        }
    }
    harness_plot_scatter(folder, "times", "Run times of the held-out items", "log10(measured ns)",
                         "log10(predicted ns)", x, y, n, why);
    harness_free(x);
    return why->status;
}

/* ---- bars ---- */

static harness_measure first_of(const harness_rank *r) { return harness__form(r)->measure[0]; }

static const char *direction(const harness_rank *r)
{
    return harness_measure_smaller(first_of(r)) ? "smaller is better" : "larger is better";
}

static ag_status plot_methods(const char *folder, const harness_rank *r, ag_failure *why)
{
    double value[HARNESS_RANK_METHODS];
    for (int m = 0; m < r->methods; m++) value[m] = harness_rank_mean(r, m, first_of(r));
    char *title =
        harness_text("Mean over the held-out %s: %s", harness__form(r)->rows, direction(r));
    harness_plot_bars(folder, "methods", title, harness_measure_name(first_of(r)), r->method, value,
                      NULL, r->methods, why);
    harness_free(title);
    return why->status;
}

/* Draws bars of the model, and of the method that it is compared with, for each family or else for
   the first rows. */
static ag_status plot_parts(const char *folder, const harness_rank *r, ag_failure *why)
{
    enum { MOST = 24 };
    const int all = r->families ? r->families : r->rows, parts = all < MOST ? all : MOST;
    char *name[2 * MOST];
    double value[2 * MOST];
    int n = 0, side[2], sides = harness__sides(side, r);
    for (int i = 0; i < parts; i++)
        for (int k = 0; k < sides; k++, n++) {
            const int m = side[k];
            value[n] =
                harness__number(r, m, first_of(r), r->families ? HARNESS_FAMILY : HARNESS_ROW, i);
            name[n] = harness_text("%.40s: %s", r->families ? r->family_name[i] : r->row[i].name,
                                   r->method[m]);
        }
    char *title = harness_text("Each held-out %s: %s",
                               r->families ? "family" : harness__form(r)->row, direction(r));
    harness_plot_bars(folder, "parts", title, harness_measure_name(first_of(r)),
                      (const char *const *)name, value, NULL, n, why);
    for (int i = 0; i < n; i++) harness_free(name[i]);
    harness_free(title);
    return why->status;
}

ag_status harness_rank_plot(const harness_session *session, const harness_rank *r, ag_failure *why)
{
    if (!(r->times ? plot_times : plot_order)(session->folder, r, why) &&
        !plot_methods(session->folder, r, why))
        plot_parts(session->folder, r, why);
    return why->status;
}

/* ---- the page ---- */

static const char on_order[] = "A point per item: its place in its group by run time and by score, "
                               "from 0 for the fastest to 1 for the slowest.";

/* A number of the table, in its digits. */
static char *fact_of(const harness_rank *r, harness_measure measure)
{
    char format[8];
    snprintf(format, sizeof format, "%%.%df", harness_measure_digits(measure));
    return harness_fact(format, harness_rank_mean(r, 0, measure));
}

static void add_facts(harness_page *page, const harness_session *session, const harness_rank *r)
{
    const harness_measure *list = harness__form(r)->measure;
    for (int k = 0; k < harness__count(harness__form(r), 2); k++) {
        page->fact_name[page->facts] = harness_measure_name(list[k]);
        page->fact[page->facts++] = fact_of(r, list[k]);
    }
    page->fact_name[page->facts] = "steps";
    page->fact[page->facts++] = harness_text("%lld", (long long)session->trained.state->step);
    page->fact_name[page->facts] = "parameters";
    page->fact[page->facts++] =
        harness_text("%lld", (long long)ag_params_count(session->trained.params));
}

void harness_rank_describe(harness_page *page, const harness_session *session,
                           const harness_rank *r)
{
    const harness_rank_form *form = harness__form(r);
    const char *program = session->model->program->name;
    *page = (harness_page){
        .title = harness_text("%s: %lld steps", r->title ? r->title : program,
                              (long long)session->trained.state->step),
        .nothing = form->hold_out ? form->hold_out : "give --valid",
        .plot = {"curves", r->times ? "times" : "order", "methods", "parts"},
        .caption = {"Loss of the training steps, and the measure that chooses the best checkpoint.",
                    r->times ? "A point per item: measured and predicted run time." : on_order,
                    "The model compared with other ways to predict, the mean.",
                    "What that is the mean of."},
        .plots = 4,
        .note = {harness_measures_explain(form->measure, harness__count(form, form->shown)),
                 harness_text("The best checkpoint is chosen by the items that are scored here, or "
                              "a sample of them, so the numbers are slightly too good; files given "
                              "to \"%s eval\" later are not touched by that.",
                              program)},
        .notes = 2};
    add_facts(page, session, r);
    for (int m = 1; m < r->methods; m++)
        page->note[page->notes++] = harness_text("%s: %s.", r->method[m], r->note[m]);
}
