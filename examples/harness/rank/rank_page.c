/* SPDX-License-Identifier: MIT */
/* Pictures and page of a ranking model. */
#include "examples/harness/rank/rank_internal.h"
#include "examples/harness/model/trained.h"
#include "metrics/metrics.h"

#include <math.h>

/* A place is 0 for the first item of a group and 1 for the last. */
static ag_status plot_order(const char *folder, const harness_rank *r, ag_failure *why)
{
    double *x = HARNESS_NEW(x, 3 * r->items), *y = x + r->items, *ns = y + r->items;
    int64_t n = 0;
    for (int i = 0; i < r->groups; i++) {
        const harness_ranked *g = &r->group[i];
        if (!g->actual) continue;
        for (int k = 0; k < g->items; k++) ns[k] = (double)g->actual[k];
        if (ag_places(x + n, ns, g->items, why) ||
            ag_places(y + n, r->score[0] + g->first, g->items, why))
            break;
        const int last = g->items > 1 ? g->items - 1 : 1;
        for (const int64_t end = n + g->items; n < end; n++) x[n] /= last, y[n] /= last;
    }
    if (!why->status)
        harness_plot_scatter(folder, "order", "Order within the held-out groups",
                             "place by run time", "place by score", x, y, n, why);
    harness_free(x);
    return why->status;
}

static ag_status plot_times(const char *folder, const harness_rank *r, ag_failure *why)
{
    double *x = HARNESS_NEW(x, 2 * r->items), *y = x + r->items;
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

static harness_measure first_of(const harness_rank *r) { return r->form.measure[0]; }

static const char *direction(const harness_rank *r)
{
    return harness_measures[first_of(r)].smaller ? "smaller is better" : "larger is better";
}

static ag_status plot_methods(const char *folder, const harness_rank *r, ag_failure *why)
{
    harness_bar bar[HARNESS_RANK_METHODS];
    for (int m = 0; m < r->methods; m++)
        bar[m] = (harness_bar){r->method[m], harness_rank_mean(r, m, first_of(r)),
                               harness__is_own(r, m)};
    return harness_plot_bars(
        folder, "methods",
        harness_format("Mean over the held-out %s: %s", r->form.rows, direction(r)),
        harness_measures[first_of(r)].name, bar, r->methods, why);
}

/* Draws bars of the model, and of the method that it is compared with, for each family or else for
   the first rows. */
static ag_status plot_parts(const char *folder, const harness_rank *r, ag_failure *why)
{
    enum { MOST = 24 };
    const int all = r->families ? r->families : r->rows, parts = all < MOST ? all : MOST;
    const harness_mean mean = r->families ? HARNESS_FAMILY : HARNESS_ROW;
    harness_bar bar[2 * MOST];
    int n = 0, side[2], sides = harness__sides(side, r);
    for (int i = 0; i < parts; i++)
        for (int k = 0; k < sides; k++) {
            const char *name = r->families ? r->family_name[i] : r->row[i].name;
            bar[n++] = (harness_bar){harness_format("%.40s: %s", name, r->method[side[k]]),
                                     harness__number(r, side[k], first_of(r), mean, i), k == 0};
        }
    return harness_plot_bars(
        folder, "parts",
        harness_format("Each held-out %s: %s", r->families ? "family" : r->form.row, direction(r)),
        harness_measures[first_of(r)].name, bar, n, why);
}

ag_status harness_rank_plot(const harness_session *session, const harness_rank *r, ag_failure *why)
{
    if (!(r->times ? plot_times : plot_order)(session->folder, r, why) &&
        !plot_methods(session->folder, r, why))
        plot_parts(session->folder, r, why);
    return why->status;
}

enum { FACTS = 4 + 1, NOTES = HARNESS_RANK_METHODS + 4 };

/* The first two measures, the steps and the parameters. */
static void list_facts(harness_named fact[FACTS], const harness_session *session,
                       const harness_rank *r)
{
    const harness_measure *list = r->form.measure;
    const int n = harness__count(r, 2);
    for (int k = 0; k < n; k++) {
        const harness_measure_kind *kind = &harness_measures[list[k]];
        const double mean = harness_rank_mean(r, 0, list[k]);
        fact[k] = (harness_named){kind->name, harness_number_text(mean, kind->digits)};
    }
    const long long steps = session->trained.state->step,
                    parameters = ag_params_count(session->trained.params);
    fact[n] = (harness_named){"steps", harness_format("%lld", steps)};
    fact[n + 1] = (harness_named){"parameters", harness_format("%lld", parameters)};
}

/* The notes that explain the measures, the other methods and the end of the curves. */
static void list_notes(const char *note[NOTES], const harness_session *session,
                       const harness_rank *r)
{
    const harness_state *state = session->trained.state;
    int n = 0;
    note[n++] = harness_measures_explain(r->form.measure, harness__count(r, r->form.shown));
    note[n++] = harness_format(
        "The best checkpoint is chosen by the items that are scored here, or a sample of them, so "
        "the numbers are slightly too good; files given to \"%s eval\" later are not touched by "
        "that.",
        session->model->program->name);
    for (int m = 1; m < r->methods; m++)
        note[n++] = harness_format("%s: %s.", r->method[m], r->note[m]);
    if (state->begun)
        note[n++] = harness_format("The run had ended after step %lld and was continued; the "
                                   "schedule started again there, "
                                   "from the learning rate %.3g.",
                                   (long long)state->begun, state->begun_rate);
    if (harness__trainer_stopped(session))
        note[n++] = harness_format(
            "Training stopped after step %lld of %lld, since --patience %lld validations had not "
            "improved %s.",
            (long long)state->step, (long long)session->how.steps, (long long)session->how.patience,
            session->measure[0]);
}

ag_status harness_rank_report(const harness_session *session, const harness_rank *r,
                              ag_failure *why)
{
    const bool some = r->groups > 0;
    harness_table *table[HARNESS_TABLES + 1] = {NULL};
    harness_named fact[FACTS] = {{NULL, NULL}};
    const char *note[NOTES] = {NULL};
    list_facts(fact, session, r);
    list_notes(note, session, r);
    if (some) harness_rank_tables(table, r, session->model->held_out);
    const char *title =
        harness_format("%s: %lld steps", r->title ? r->title : session->model->program->name,
                       (long long)session->trained.state->step);
    const char *summary = some ? harness__winner(r)
                               : harness_format("Nothing was held out, so there are no scores; %s.",
                                                harness_rank_hold_out(r));
    harness_named plot[] = {
        {"curves", "Loss of the training steps, and the measure that chooses the best checkpoint."},
        {r->times ? "times" : "order",
         r->times ? "A point per item: measured and predicted run time."
                  : "A point per item: its place in its group by run time and by score, from 0 for "
                    "the fastest to 1 for the slowest."},
        {"methods", "The model compared with other ways to predict, the mean."},
        {"parts", "What that is the mean of."},
        {NULL, NULL}};
    if (!some) plot[1].name = NULL;
    const harness_report report = {.folder = session->folder,
                                   .title = title,
                                   .summary = summary,
                                   .facts = fact,
                                   .plots = plot,
                                   .tables = some ? table : NULL,
                                   .notes = some ? note : NULL,
                                   .command_line = session->command_line,
                                   .options = session->options,
                                   .files = harness_model_files(session->model, session->settings)};
    harness_report_write(&report, why);
    for (int i = 0; table[i]; i++) harness_table_free(table[i]);
    return why->status;
}
