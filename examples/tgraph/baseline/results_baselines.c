/* SPDX-License-Identifier: MIT */
/* Scores the baselines on the configurations that the model was scored on. */
#include "examples/tgraph/baseline/baselines.h"
#include "examples/tgraph/results.h"

#include <math.h>
#include <string.h>

static tgraph_baseline_part part_of(const tgraph_entry *e)
{
    return (tgraph_baseline_part){
        .file = e->file, .tile = e->tile, .config = e->item, .count = e->items};
}

static tgraph_baseline_part training_part(const tgraph_entry *e)
{
    return e->tile ? tgraph_baseline_tile(e->tile) : tgraph_baseline_train(e->file);
}

static int among(const tgraph_entry *const *learn, int count, const tgraph_entry *e)
{
    for (int i = 0; i < count; i++)
        if (learn[i] == e) return 1;
    return 0;
}

/* Lists, after the training parts, the parts of scored files that are not among them. Each serves
   its own file alone. Returns their number. */
static int list_own(tgraph_baseline_part *train, const tgraph_results *r,
                    const tgraph_entry *const *learn, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++) train[i] = training_part(learn[i]);
    for (int i = 0; i < r->count; i++) {
        const tgraph_entry *e = r->file[i].entry;
        if (tgraph_entry_split(e) && !among(learn, count, e)) train[count + n++] = training_part(e);
    }
    return n;
}

static int watch(void *context, const char *label, double done)
{
    harness_progress *bar = context;
    harness_progress_update(bar, (int64_t)(done * 100), label);
    return harness_interrupted();
}

static ag_status take(tgraph_results *r, const tgraph_baseline_result *result, ag_failure *why)
{
    for (int i = 0; i < r->count && !why->status; i++)
        for (int k = 0; k < TGRAPH_BASELINES && !why->status; k++) {
            const tgraph_baseline *b = &result[i].of[k];
            tgraph_file_result *f = &r->file[i];
            if (!r->baseline_note[k]) r->baseline_note[k] = harness_copy(b->note);
            if (!b->score) continue;
            tgraph_grade(&f->baseline[k], f->entry, f->entry->item, f->entry->items, b->score,
                         r->tau_a, why);
        }
    return why->status;
}

/* A ranking without scores: every grade is NaN. */
static tgraph_grades nothing(const tgraph_file_result *f)
{
    tgraph_grades none = tgraph_grades_mean(NULL, 0);
    none.configs = f->entry->items;
    return none;
}

static tgraph_grades mean_of(const tgraph_results *r, int k)
{
    tgraph_grades mean, *all = harness_alloc((size_t)r->count * sizeof *all);
    for (int i = 0; i < r->count; i++) all[i] = r->file[i].baseline[k];
    mean = tgraph_grades_mean(all, r->count);
    harness_free(all);
    return mean;
}

ag_status tgraph_results_baselines(tgraph_results *r, const tgraph_entry *const *learn, int count,
                                   ag_failure *why)
{
    const size_t files = (size_t)r->count;
    tgraph_baseline_part *train = harness_alloc(((size_t)count + files) * sizeof *train);
    tgraph_baseline_part *part = harness_alloc(files * sizeof *part);
    tgraph_baseline_result *result = harness_alloc(files * sizeof *result);
    tgraph_baseline_options options = tgraph_baseline_defaults();
    harness_progress bar;
    harness_progress_start(&bar, "baselines", 0, 100);
    options.own = list_own(train, r, learn, count);
    options.progress = watch;
    options.context = &bar;
    r->baselines = TGRAPH_BASELINES;
    for (int k = 0; k < TGRAPH_BASELINES; k++)
        r->baseline_name[k] = tgraph_baseline_name((tgraph_baseline_kind)k);
    for (int i = 0; i < r->count; i++) {
        for (int k = 0; k < TGRAPH_BASELINES; k++) r->file[i].baseline[k] = nothing(&r->file[i]);
        part[i] = part_of(r->file[i].entry);
    }
    if (r->count &&
        !tgraph_baselines_run(result, train, count + options.own, part, r->count, &options, why)) {
        take(r, result, why);
        tgraph_baselines_free(result, r->count);
    }
    for (int k = 0; k < TGRAPH_BASELINES; k++) r->baseline_mean[k] = mean_of(r, k);
    harness_progress_end(&bar);
    harness_free(train);
    harness_free(part);
    harness_free(result);
    return why->status;
}
