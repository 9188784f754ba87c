/* SPDX-License-Identifier: MIT */
/* Makes results of a call's groups, with the scores of runs, of parts of the model, and noise. */
#include "examples/nests/hooks.h"

#include "examples/harness/harness.h"
#include "examples/harness/base/draws.h"

#include <string.h>

static const harness_measure of_layouts[] = {
    HARNESS_TAU_B,      HARNESS_OPA,        HARNESS_PAIRWISE,    HARNESS_TOP_1,   HARNESS_TOP_5,
    HARNESS_SLOWDOWN_1, HARNESS_SLOWDOWN_5, HARNESS_SLOWDOWN_10, HARNESS_MEASURES};
static const harness_measure of_tiles[] = {HARNESS_APE,   HARNESS_TAU_B, HARNESS_PAIRWISE,
                                           HARNESS_TOP_1, HARNESS_TOP_5, HARNESS_MEASURES};
static const harness_measure of_kernels[] = {HARNESS_MAPE, HARNESS_TAU_B, HARNESS_MAPE_ALL,
                                             HARNESS_TAU_B_ALL, HARNESS_MEASURES};
static const harness_measure of_schedules[] = {
    HARNESS_PAIRWISE,   HARNESS_TAU_B,      HARNESS_TOP_1,       HARNESS_TOP_5,   HARNESS_TOP_10,
    HARNESS_SLOWDOWN_1, HARNESS_SLOWDOWN_5, HARNESS_SLOWDOWN_10, HARNESS_MEASURES};

static const char against[] = "work alone";

/* The last is that of all other kinds. */
static const harness_rank_form forms[] = {
    {.kind = "layout", .row = "program", .rows = "programs", .measure = of_layouts, .main = 2},
    {.kind = "tile",
     .row = "program",
     .rows = "programs",
     .groups = "kernels",
     .measure = of_tiles,
     .main = 2,
     .median = "APE % median"},
    {.kind = "fusion",
     .row = "program",
     .rows = "programs",
     .measure = of_kernels,
     .main = 2,
     .studied = 2,
     .median = "MAPE % median"},
    {.kind = "schedule",
     .row = "task",
     .rows = "tasks",
     .measure = of_schedules,
     .main = 4,
     .studied = 4},
    {.kind = "rows", .row = "group", .rows = "groups", .measure = of_layouts, .main = 3}};

static harness_rank_form form_of(const nests_maker *kind)
{
    int i = 0;
    const int last = (int)(sizeof forms / sizeof *forms) - 1;
    while (i < last && strcmp(forms[i].kind, kind->name) != 0) i++;
    harness_rank_form form = forms[i];
    form.items = kind->items;
    form.hold_out = "--split or --valid holds something out";
    form.against = against;
    return form;
}

void nests_results_form(harness_rank_form *form, const void *net, const harness_settings *settings)
{
    (void)settings;
    *form = form_of(((const nests_trained *)net)->kind);
}

static void add_group(harness_rank *rank, const nests_set *set, int g, const char *name)
{
    const nests_group *from = &set->data.group[g];
    const int *item = nests_list(&set->score, g), n = nests_count(&set->score, g);
    int *number = harness_rank_alloc(rank, (size_t)n * sizeof *number);
    int64_t *actual = harness_rank_alloc(rank, (size_t)n * sizeof *actual);
    bool known = false;
    for (int i = 0; i < n; i++) {
        number[i] = from->number ? from->number[item[i]] : item[i];
        actual[i] = from->runtime ? from->runtime[item[i]] : 0;
        known |= actual[i] > 0;
    }
    harness_rank_group(rank, (harness_ranked){.name = name,
                                              .items = n,
                                              .number = number,
                                              .actual = known ? actual : NULL,
                                              .row = from->program,
                                              .family = from->family});
}

static void add_groups(nests_results *r, const nests_set *set)
{
    harness_rank *rank = &r->rank;
    const nests_data *data = &set->data;
    char **name = harness_rank_names(rank, &data->paths, data->groups, ".npz");
    if (data->program) {
        rank->row_name = (const char *const *)data->program;
        rank->rows = data->programs;
    } else if (data->family) {
        rank->family_name = (const char *const *)data->family;
        rank->families = data->families;
    }
    for (int g = 0; g < data->groups; g++)
        add_group(rank, set, g, name ? name[g] : data->group[g].name);
}

void nests_results_open(void *results, void *files, const harness_settings *settings)
{
    nests_results *r = results;
    const nests_files *f = r->files = files;
    const nests_data *of = f->train.data.maker ? &f->train.data : &f->scored->data;
    harness_rank *rank = &r->rank;
    rank->form = form_of(of->maker);
    rank->title = harness_text("nests (%s), %d %s", of->maker->name, of->groups,
                               rank->form.groups ? rank->form.groups : rank->form.rows);
    rank->times = of->maker->absolute;
    rank->least = rank->times ? ((const nests_settings *)settings)->least : 0;
    if (f->scored) add_groups(r, f->scored);
    r->by[NESTS_BY_BOTH] = harness_rank_method(rank, "nests", NULL);
    for (int k = 1; k < NESTS_SCORES; k++)
        r->by[k] = harness_rank_alloc(rank, (size_t)rank->items * sizeof *r->by[k]);
}

ag_status nests_results_add(void *results, const harness_trained *t, const harness_scoring *how,
                            ag_failure *why)
{
    nests_results *r = results;
    const nests_model *m = &((const nests_trained *)t->net)->model;
    if (nests_score(r->by, m, r->files->scored, how, why)) return why->status;
    r->networks += m->members > 0;
    r->trees += m->trees.count > 0;
    if (++r->models == how->models && r->rank.times)
        for (int k = 0; k < NESTS_SCORES; k++)
            for (int64_t i = 0; i < r->rank.items; i++)
                r->by[k][i] = nests_nanoseconds(r->by[k][i]);
    return AG_OK;
}

static void add_method(nests_results *r, int by, const char *name, const char *text)
{
    double *score = harness_rank_method(&r->rank, name, harness_copy(text));
    memcpy(score, r->by[by], (size_t)r->rank.items * sizeof *score);
}

ag_status nests_results_compare(void *results, ag_failure *why)
{
    nests_results *r = results;
    harness_rank *rank = &r->rank;
    (void)why;
    if (r->networks == r->models && r->trees == r->models) {
        add_method(r, NESTS_BY_NETWORK, "nests (network)", "its networks alone");
        add_method(r, NESTS_BY_TREES, "nests (trees)", "its boosted trees alone");
    }
    add_method(r, NESTS_BY_WORK, against, "the sum of the rows' work, without a factor");
    if (rank->times) return AG_OK;
    double *score = harness_rank_method(rank, "random", harness_copy("a random order"));
    ag_random random = harness_stream(HARNESS_STREAM_NOISE, 1, 0);
    for (int64_t i = 0; i < rank->items; i++) score[i] = ag_random_normal(&random);
    return AG_OK;
}

static void repeat_measured(harness_rank *rank, const nests_set *set)
{
    int64_t *second = harness_rank_alloc(rank, 2 * (size_t)rank->items * sizeof *second);
    int64_t *first = second + rank->items;
    for (int g = 0, at = 0; g < set->data.groups; g++)
        for (int i = 0; i < nests_count(&set->score, g); i++, at++) {
            const int item = nests_list(&set->score, g)[i];
            second[at] = set->data.group[g].second[item];
            first[at] = set->data.group[g].first[item];
        }
    harness_rank_repeats(rank, first, second);
}

void nests_results_repeat(void *results)
{
    nests_results *r = results;
    const nests_set *set = r->files->scored;
    const harness_files *paths = &set->data.paths;
    if (set->data.groups && set->data.group->second)
        repeat_measured(&r->rank, set);
    else if (paths->count == r->rank.groups)
        tpugraphs_noise(&r->rank, (const char *const *)paths->path);
}
