/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/results.h"

#include <jansson.h>
#include <math.h>

void tgraph_results_open(tgraph_results *r, const tgraph_set *set, int tau_a)
{
    *r = (tgraph_results){.tile = set->tile, .tau_a = tau_a, .mean = tgraph_grades_mean(NULL, 0)};
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

/* Multiples of R standard deviations (of the scores themselves, so of no unit). Scores that are not
   finite stay: who reads them complains. */
void tgraph_results_round(tgraph_results *r, double resolution)
{
    for (int i = 0; i < r->count; i++) {
        tgraph_file_result *f = &r->file[i];
        double mean, spread;
        int64_t n;
        harness_mean_spread(&mean, &spread, &n, f->score, f->entry->items);
        const double step = resolution * spread;
        if (!(step > 0) || !isfinite(step)) continue;
        for (int c = 0; c < f->entry->items; c++)
            f->score[c] = step * round(f->score[c] / step) + 0.0; /* + 0.0: no -0 */
    }
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

static void add_row(harness_table *t, const tgraph_results *r, const char *name, const char *by,
                    const tgraph_grades *g)
{
    harness_table_text(t, name);
    if (by) harness_table_text(t, by);
    harness_table_count(t, g->configs);
    for (int k = 0; k < tgraph_grade_count(r->tile); k++)
        harness_table_number(t, tgraph_grade_value(g, r->tile, k), 4);
}

static void add_rows(harness_table *t, const tgraph_results *r, const char *name,
                     const tgraph_grades *own, const tgraph_grades *baseline)
{
    add_row(t, r, name, r->baselines ? "TGraph" : NULL, own);
    for (int k = 0; k < r->baselines; k++) add_row(t, r, name, r->baseline_name[k], &baseline[k]);
}

harness_table *tgraph_results_table(const tgraph_results *r, const char *title)
{
    const char *columns[16];
    int n = 0;
    columns[n++] = "file";
    if (r->baselines) columns[n++] = "ranked by";
    columns[n++] = "configurations";
    for (int k = 0; k < tgraph_grade_count(r->tile); k++)
        columns[n++] = tgraph_grade_name(r->tile, r->tau_a, k);
    harness_table *t = harness_table_new(title, columns, n);
    for (int i = 0; i < r->count; i++)
        add_rows(t, r, r->file[i].entry->name, &r->file[i].grades, r->file[i].baseline);
    if (r->count > 1) add_rows(t, r, "mean", &r->mean, r->baseline_mean);
    return t;
}

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static void add_grades(json_t *j, const tgraph_results *r, const tgraph_grades *g)
{
    for (int k = 0; k < tgraph_grade_count(r->tile); k++)
        json_object_set_new(j, tgraph_grade_name(r->tile, r->tau_a, k),
                            number(tgraph_grade_value(g, r->tile, k)));
}

static json_t *grades_json(const tgraph_results *r, const tgraph_grades *g,
                           const tgraph_grades *baseline)
{
    json_t *j = json_object(), *others = json_object();
    json_object_set_new(j, "configurations", json_integer(g->configs));
    add_grades(j, r, g);
    for (int k = 0; k < r->baselines; k++) {
        json_t *other = json_object();
        add_grades(other, r, &baseline[k]);
        json_object_set_new(others, r->baseline_name[k], other);
    }
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
        json_object_set_new(file, "file", harness_json_name(f->entry->path));
        json_array_append_new(files, file);
    }
    json_object_set_new(j, "files", files);
    json_object_set_new(j, "mean", grades_json(r, &r->mean, r->baseline_mean));
    return j;
}
