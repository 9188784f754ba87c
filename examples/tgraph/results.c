/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/results.h"

#include <jansson.h>
#include <math.h>

void tgraph_results_open(tgraph_results *r, const tgraph_set *set, int tau_a)
{
    *r = (tgraph_results){.tile = set->tile, .tau_a = tau_a};
    r->mean = r->calibrated_mean = tgraph_grades_mean(NULL, 0);
    r->file = harness_alloc((size_t)set->count * sizeof *r->file);
    for (int i = 0; i < set->count; i++) {
        if (!set->entry[i].score) continue;
        tgraph_file_result *f = &r->file[r->count++];
        f->entry = &set->entry[i];
        f->score = harness_alloc((size_t)f->entry->items * sizeof *f->score);
        tgraph_calibration_open(&f->calibrated, f->entry);
        r->calibrated += f->calibrated.count > 0;
    }
}

void tgraph_results_close(tgraph_results *r)
{
    for (int i = 0; i < r->count; i++) {
        harness_free(r->file[i].score);
        tgraph_calibration_close(&r->file[i].calibrated);
    }
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

static ag_status add_scores(double *sum, tgraph_scorer *scorer, const tgraph_entry *e,
                            const int32_t *item, int count, int models, ag_failure *why)
{
    watch *w = scorer->user;
    double *score = harness_alloc((size_t)count * sizeof *score);
    tgraph_score(scorer, e, item, count, score, why);
    for (int c = 0; c < count; c++) sum[c] += score[c] / models;
    w->before += (int64_t)count * (scorer->tta > 0 ? scorer->tta : 1);
    harness_free(score);
    return why->status;
}

ag_status tgraph_results_add(tgraph_results *r, tgraph_scorer *scorer, int models, ag_failure *why)
{
    watch w = {.before = 0};
    int64_t total = 0;
    for (int i = 0; i < r->count; i++)
        total += r->file[i].entry->items + r->file[i].calibrated.count;
    harness_progress_start(&w.bar, "score", 0, total * (scorer->tta > 0 ? scorer->tta : 1));
    scorer->note = note;
    scorer->user = &w;
    for (int i = 0; i < r->count && !why->status && !harness_interrupted(); i++) {
        tgraph_file_result *f = &r->file[i];
        const tgraph_entry *e = f->entry;
        tgraph_calibration *c = &f->calibrated;
        if (!add_scores(f->score, scorer, e, e->item, e->items, models, why) && c->count)
            add_scores(c->score, scorer, e, c->item, c->count, models, why);
    }
    scorer->note = NULL;
    harness_progress_end(&w.bar);
    return why->status;
}

ag_status tgraph_results_grade(tgraph_results *r, ag_failure *why)
{
    tgraph_grades *all = harness_alloc(2 * (size_t)r->count * sizeof *all);
    tgraph_grades *calibrated = all + r->count;
    for (int i = 0; i < r->count && !why->status; i++) {
        tgraph_file_result *f = &r->file[i];
        if (!tgraph_grade(&f->grades, f->entry, f->entry->item, f->entry->items, f->score, r->tau_a,
                          why))
            tgraph_calibration_grade(&f->calibrated, f->entry, f->score, r->tau_a, why);
        all[i] = f->grades;
        calibrated[i] = f->calibrated.grades;
    }
    r->mean = tgraph_grades_mean(all, r->count);
    if (r->calibrated == r->count) r->calibrated_mean = tgraph_grades_mean(calibrated, r->count);
    harness_free(all);
    return why->status;
}

const tgraph_grades *tgraph_results_ranking(const char **name, const tgraph_results *r,
                                            const tgraph_file_result *f, int k)
{
    const tgraph_grades *calibrated = f ? &f->calibrated.grades : &r->calibrated_mean;
    const int own = calibrated->configs ? 2 : 1;
    if (k < own) {
        *name = k ? "TGraph, calibrated" : "TGraph";
        return k ? calibrated : f ? &f->grades : &r->mean;
    }
    if (k - own >= r->baselines) return NULL;
    *name = r->baseline_name[k - own];
    return f ? &f->baseline[k - own] : &r->baseline_mean[k - own];
}

static int compares(const tgraph_results *r) { return r->baselines || r->calibrated; }

static void add_rows(harness_table *t, const tgraph_results *r, const char *name,
                     const tgraph_file_result *f)
{
    const tgraph_grades *g;
    const char *by;
    for (int k = 0; (g = tgraph_results_ranking(&by, r, f, k)); k++) {
        harness_table_text(t, name);
        if (compares(r)) harness_table_text(t, by);
        harness_table_count(t, g->configs);
        for (int i = 0; i < tgraph_grade_count(r->tile); i++)
            harness_table_number(t, tgraph_grade_value(g, r->tile, i), 4);
    }
}

harness_table *tgraph_results_table(const tgraph_results *r, const char *title)
{
    const char *columns[16];
    int n = 0;
    columns[n++] = "file";
    if (compares(r)) columns[n++] = "ranked by";
    columns[n++] = "configurations";
    for (int k = 0; k < tgraph_grade_count(r->tile); k++)
        columns[n++] = tgraph_grade_name(r->tile, r->tau_a, k);
    harness_table *t = harness_table_new(title, columns, n);
    for (int i = 0; i < r->count; i++) add_rows(t, r, r->file[i].entry->name, &r->file[i]);
    if (r->count > 1) add_rows(t, r, "mean", NULL);
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
                           const tgraph_grades *calibrated, const tgraph_grades *baseline)
{
    json_t *j = json_object(), *others = json_object();
    json_object_set_new(j, "configurations", json_integer(g->configs));
    add_grades(j, r, g);
    if (calibrated->configs) {
        json_t *other = json_object();
        json_object_set_new(other, "configurations", json_integer(calibrated->configs));
        add_grades(other, r, calibrated);
        json_object_set_new(j, "calibrated", other);
    }
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
        json_t *file = grades_json(r, &f->grades, &f->calibrated.grades, f->baseline);
        json_object_set_new(file, "file", harness_json_name(f->entry->path));
        json_array_append_new(files, file);
    }
    json_object_set_new(j, "files", files);
    json_object_set_new(j, "mean", grades_json(r, &r->mean, &r->calibrated_mean, r->baseline_mean));
    return j;
}
