/* SPDX-License-Identifier: MIT */
/* Words, groups, methods and scores of a ranking model. */
#include "examples/harness/rank/rank_internal.h"

#include "autograd/autograd.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/files/files.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/base/draws.h"

#include <math.h>
#include <string.h>

static const harness_measure plain[] = {HARNESS_TAU_B,      HARNESS_OPA,         HARNESS_SLOWDOWN_1,
                                        HARNESS_SLOWDOWN_5, HARNESS_SLOWDOWN_10, HARNESS_MEASURES};
static const harness_rank_form plain_form = {
    .row = "group", .rows = "groups", .items = "items", .measure = plain, .main = 3};

int harness__count(const harness_rank *r, int wanted)
{
    int n = 0;
    while (r->form.measure[n] < HARNESS_MEASURES && (!wanted || n < wanted)) n++;
    return n;
}

int harness_rank_measures(const char **name, bool *smaller, const harness_rank *r)
{
    const int n = harness__count(r, r->form.validated);
    for (int k = 0; k < n; k++) name[k] = harness_measures[r->form.measure[k]].name;
    *smaller = harness_measures[r->form.measure[0]].smaller;
    return n;
}

void harness_rank_values(double *measure, const harness_rank *r)
{
    for (int k = 0; k < harness__count(r, r->form.validated); k++)
        measure[k] = harness_rank_mean(r, 0, r->form.measure[k]);
}

/* That of their networks, or "several models" where these differ. */
static const char *name_of_runs(const harness_runs *runs)
{
    const char *(*name)(const void *net) = runs->model->name;
    const char *one = name && runs->count ? name(runs->run[0].net) : NULL;
    for (int i = 1; one && i < runs->count; i++)
        if (strcmp(name(runs->run[i].net), one) != 0) return "several models";
    return one;
}

void harness_rank_open(void *results, const harness_runs *runs, void *data,
                       const harness_settings *settings)
{
    ((harness_rank *)results)->name = name_of_runs(runs);
    runs->model->open(results, data, settings);
}

void *harness_rank_alloc(harness_rank *r, size_t bytes) { return harness_take(&r->memory, bytes); }

char **harness_rank_names(harness_rank *r, const harness_files *files, int groups, const char *end)
{
    const int count = files->count, more = r->all ? r->all->count : 0;
    if (count != groups) return NULL;
    char **both = HARNESS_NEW(both, count + more);
    for (int i = 0; i < count + more; i++)
        both[i] = i < count ? files->path[i] : r->all->path[i - count];
    char **name = harness_files_names(&r->memory, both, count + more, end);
    harness_free(both);
    return name;
}

void harness_rank_group(harness_rank *r, harness_ranked group)
{
    group.first = r->items;
    if (!r->row_name) group.row = r->groups;
    bag_add(r->group, group);
    r->groups++;
    r->items += group.items;
}

double *harness_rank_method(harness_rank *r, const char *name, char *note)
{
    const int m = r->methods++;
    if (!r->form.row) r->form = plain_form;
    r->method[m] = name;
    r->note[m] = note;
    r->score[m] = harness_rank_alloc(r, (size_t)r->items * sizeof *r->score[m]);
    return r->score[m];
}

ag_status harness_rank_leave_out(const char *name, const ag_failure *mine, ag_failure *why)
{
    if (mine->status == AG_EMEMORY || mine->status == AG_ESTOPPED)
        return ag_fail(why, mine->status, "%s", mine->sentence);
    harness_warn("no %s to compare with: %s", name, mine->sentence);
    return AG_OK;
}

void harness_rank_absent(harness_rank *r, int method, int group)
{
    bool **absent = &r->absent[method];
    if (!*absent) *absent = harness_rank_alloc(r, (size_t)r->groups * sizeof **absent);
    (*absent)[group] = true;
}

void harness_rank_close(void *rank)
{
    harness_rank *r = rank;
    for (int m = 0; m < r->methods; m++) harness_free(r->note[m]);
    ag_arena_free(r->memory);
    harness_free(r->title);
    bag_free(r->group);
    *r = (harness_rank){0};
}

int harness_rank_groups(const harness_rank *r) { return r->groups; }

const char *harness_rank_hold_out(const harness_rank *r)
{
    return r->form.hold_out ? r->form.hold_out : "give --valid";
}

harness_ranked harness_rank_group_at(const harness_rank *r, int index)
{
    harness_ranked g = r->group[index];
    g.score = r->score[0] + g.first;
    g.ns = r->times ? g.score : r->ns ? r->ns + g.first : NULL;
    return g;
}

ag_status harness_rank_finite(const harness_rank *r, ag_failure *why)
{
    for (int k = 0; k < r->groups; k++) {
        const harness_ranked *g = &r->group[k];
        const double *score = r->score[0] + g->first;
        for (int i = 0; i < g->items; i++)
            if (!isfinite(score[i]))
                return ag_fail(why, AG_EFINITE,
                               "%.200s: the score of item %d is %g; the run is of no use, choose "
                               "another checkpoint",
                               g->name, g->number ? g->number[i] : i, score[i]);
    }
    return AG_OK;
}

/* ---- how far noise lets any order agree with measured run times ---- */

#define ONCE_MORE "all items, measured once more within the same call; another call agrees less"
static const char on_second[] = ONCE_MORE;
static const char on_drawn[] =
    ONCE_MORE ". Drawn with the noise of each group, which is known from "
              "what that call measured twice";
static const char on_perfect[] =
    "knows the exact run times of the call, from which those that it is compared with differ by "
    "noise; a model that looks better has had luck";

static void add_noisy(harness_rank *r, const char *name, const char *note, const double *ns)
{
    double *cost = harness_rank_alloc(r, (size_t)r->items * sizeof *cost);
    r->cost[r->methods] = cost;
    double *score = harness_rank_method(r, name, harness_copy(note));
    for (int64_t i = 0; i < r->items; i++) {
        score[i] = ns[i];
        cost[i] = log(ns[i]);
    }
}

/* first, second [items]: two measurements. Their logarithms differ by the noise of both; exact run
   times differ from one of them by the root of a half of that. Writes over the second. */
static void add_methods(harness_rank *r, const double *first, double *second, const char *note)
{
    r->ceiling = r->methods;
    add_noisy(r, "second measurement, within the call", note, second);
    for (int64_t i = 0; i < r->items; i++)
        second[i] = first[i] * pow(second[i] / first[i], sqrt(0.5));
    add_noisy(r, "perfect ranker", on_perfect, second);
}

void harness_rank_repeats(harness_rank *r, const int64_t *first, const int64_t *second)
{
    double *x = HARNESS_NEW(x, 2 * r->items), *y = x + r->items;
    int differ = 0;
    for (int64_t i = 0; i < r->items; i++) {
        x[i] = (double)first[i];
        y[i] = (double)second[i];
        differ |= first[i] != second[i];
    }
    if (differ) add_methods(r, x, y, on_second);
    if (differ) r->first = first;
    harness_free(x);
}

/* Every group with run times has to have noise: means over some of them would be of other groups
   than the model's. */
static int all_known(const harness_rank *r, const double *noise)
{
    int any = 0;
    for (int i = 0; i < r->groups; i++) {
        if (r->group[i].actual && !(noise[i] > 0)) return 0;
        any |= r->group[i].actual != NULL;
    }
    return any;
}

void harness_rank_noise(harness_rank *r, const double *noise)
{
    if (!all_known(r, noise)) return;
    double *x = HARNESS_NEW(x, 2 * r->items), *y = x + r->items;
    for (int i = 0; i < r->groups; i++) {
        const harness_ranked *g = &r->group[i];
        ag_random random = harness_stream(HARNESS_STREAM_NOISE, 0, (uint64_t)i);
        for (int64_t k = 0, at = g->first; k < g->items; k++, at++) {
            const double ns = g->actual ? (double)g->actual[k] : 0;
            x[at] = ns > 0 ? ns : 1; /* not known */
            y[at] = x[at] * exp(sqrt(2) * noise[i] * ag_random_normal(&random));
        }
    }
    add_methods(r, x, y, on_drawn);
    harness_free(x);
}

ag_status harness_rank_add(harness_rank *r, const harness_trained *t, const harness_scoring *how,
                           harness_rank_record *record, ag_failure *why)
{
    for (int i = 0; i < r->groups && (how->patient || harness_go_on(why)); i++) {
        const harness_ranked *g = &r->group[i];
        double *score = r->score[0] + g->first;
        ag_tape_begin(how->tape, 0);
        ag_tensor *y = record(t->net, r->data, i, how->tape);
        const ag_real *value = harness_outputs_of(how->outputs, how->tape, y, g->items);
        if (!value) return harness_scoring_failed(how->tape, g->name, NULL, why);
        for (int k = 0; k < g->items; k++) score[k] += 1.0 / how->models * (double)value[k];
    }
    return why->status;
}
