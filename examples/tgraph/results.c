/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/results.h"

#include <jansson.h>
#include <math.h>

void tgraph_results_open(tgraph_results *r, const tgraph_set *set, int tau_a)
{
    *r = (tgraph_results){.tile = set->tile, .tau_a = tau_a};
    r->file = harness_alloc((size_t)set->count * sizeof *r->file);
    for (int i = 0; i < set->count; i++) {
        if (!set->entry[i].score) continue;
        tgraph_file_result *f = &r->file[r->count++];
        f->entry = &set->entry[i];
        f->score = harness_alloc((size_t)f->entry->items * sizeof *f->score);
    }
}

void tgraph_results_close(tgraph_results *r)
{
    for (int i = 0; i < r->count; i++) harness_free(r->file[i].score);
    for (int k = 0; k < r->baselines; k++) harness_free(r->baseline_note[k]);
    harness_free(r->file);
    *r = (tgraph_results){0};
}

typedef struct watch {
    harness_progress bar;
    int64_t before;
} watch;

static void note(void *user, int done)
{
    watch *w = user;
    harness_progress_update(&w->bar, w->before + done, "");
}

ag_status tgraph_results_add(tgraph_results *r, tgraph_scorer *scorer, int models, ag_failure *why)
{
    watch w = {.before = 0};
    const int passes = scorer->tta > 0 ? scorer->tta : 1;
    int64_t total = 0;
    int most = 1;
    for (int i = 0; i < r->count; i++) {
        total += (int64_t)r->file[i].entry->items * passes;
        if (r->file[i].entry->items > most) most = r->file[i].entry->items;
    }
    double *score = harness_alloc((size_t)most * sizeof *score);
    harness_progress_start(&w.bar, "score", 0, total);
    scorer->note = note;
    scorer->user = &w;
    for (int i = 0; i < r->count && !why->status && !harness_interrupted(); i++) {
        tgraph_file_result *f = &r->file[i];
        tgraph_score(scorer, f->entry, f->entry->item, f->entry->items, score, why);
        for (int c = 0; c < f->entry->items; c++) f->score[c] += score[c] / models;
        w.before += (int64_t)f->entry->items * passes;
    }
    scorer->note = NULL;
    harness_progress_end(&w.bar);
    harness_free(score);
    return why->status;
}

ag_status tgraph_results_grade(tgraph_results *r, ag_failure *why)
{
    tgraph_grades *all = harness_alloc((size_t)r->count * sizeof *all);
    for (int i = 0; i < r->count && !why->status; i++) {
        tgraph_file_result *f = &r->file[i];
        tgraph_grade(&f->grades, f->entry, f->entry->item, f->entry->items, f->score, r->tau_a,
                     why);
        all[i] = f->grades;
    }
    r->mean = tgraph_grades_mean(all, r->count);
    harness_free(all);
    return why->status;
}

static void add_row(harness_table *t, const tgraph_results *r, const char *name,
                    const tgraph_grades *g, const double *baseline)
{
    harness_table_text(t, name);
    harness_table_count(t, g->configs);
    for (int k = 0; k < tgraph_grade_count(r->tile); k++)
        harness_table_number(t, tgraph_grade_value(g, r->tile, k), 4);
    for (int k = 0; k < r->baselines; k++) harness_table_number(t, baseline[k], 4);
}

harness_table *tgraph_results_table(const tgraph_results *r, const char *title)
{
    const char *columns[24] = {"file", "configurations"};
    char *names[TGRAPH_MOST_BASELINES];
    int n = 2;
    for (int k = 0; k < tgraph_grade_count(r->tile); k++)
        columns[n++] = tgraph_grade_name(r->tile, r->tau_a, k);
    for (int k = 0; k < r->baselines; k++)
        columns[n++] = names[k] =
            harness_text("%s: %s", r->baseline_name[k], tgraph_main_name(r->tile, r->tau_a));
    harness_table *t = harness_table_new(title, columns, n);
    for (int i = 0; i < r->count; i++)
        add_row(t, r, r->file[i].entry->name, &r->file[i].grades, r->file[i].baseline);
    if (r->count > 1) add_row(t, r, "mean", &r->mean, r->baseline_mean);
    for (int k = 0; k < r->baselines; k++) harness_free(names[k]);
    return t;
}

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *grades_json(const tgraph_results *r, const tgraph_grades *g, const double *baseline)
{
    json_t *j = json_object();
    json_object_set_new(j, "configurations", json_integer(g->configs));
    for (int k = 0; k < tgraph_grade_count(r->tile); k++)
        json_object_set_new(j, tgraph_grade_name(r->tile, r->tau_a, k),
                            number(tgraph_grade_value(g, r->tile, k)));
    json_t *others = json_object();
    for (int k = 0; k < r->baselines; k++)
        json_object_set_new(others, r->baseline_name[k], number(baseline[k]));
    json_object_set_new(j, "baselines", others);
    return j;
}

json_t *tgraph_results_json(const tgraph_results *r)
{
    json_t *j = json_object(), *files = json_array();
    json_object_set_new(j, "kind", json_string(r->tile ? "tile" : "layout"));
    for (int i = 0; i < r->count; i++) {
        const tgraph_file_result *f = &r->file[i];
        json_t *file = grades_json(r, &f->grades, f->baseline);
        json_object_set_new(file, "file", json_string(f->entry->path));
        json_array_append_new(files, file);
    }
    json_object_set_new(j, "files", files);
    json_object_set_new(j, "mean", grades_json(r, &r->mean, r->baseline_mean));
    return j;
}
