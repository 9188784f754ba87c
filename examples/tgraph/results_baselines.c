/* SPDX-License-Identifier: MIT */
/* What other ways to rank reach on the same configurations. */
#include "examples/tgraph/baselines.h"
#include "examples/tgraph/results.h"

#include <math.h>
#include <string.h>

static tgraph_baseline_part part_of(const tgraph_entry *e)
{
    return (tgraph_baseline_part){
        .file = e->file, .tile = e->tile, .config = e->item, .count = e->items};
}

/* tgraph eval does not open the files that were trained on, but a file of which a part was held out
   has its training part with it. */
static int fitted(const tgraph_entry *e) { return e->train || (e->file && e->file->train); }

/* The files to fit on; how many. */
static int list_training(tgraph_baseline_part *train, const tgraph_set *set)
{
    int n = 0;
    for (int i = 0; i < set->count; i++)
        if (fitted(&set->entry[i]))
            train[n++] = set->entry[i].tile ? tgraph_baseline_tile(set->entry[i].tile)
                                            : tgraph_baseline_train(set->entry[i].file);
    return n;
}

static int watch(void *context, const char *label, double done)
{
    harness_progress *bar = context;
    harness_progress_update(bar, (int64_t)(done * 100), label);
    return harness_interrupted();
}

static ag_status take(tgraph_results *r, const int *index, const tgraph_baseline_result *result,
                      int count, ag_failure *why)
{
    for (int i = 0; i < count && !why->status; i++)
        for (int k = 0; k < TGRAPH_BASELINES && !why->status; k++) {
            const tgraph_baseline *b = &result[i].of[k];
            tgraph_file_result *f = &r->file[index[i]];
            if (!r->baseline_note[k]) r->baseline_note[k] = harness_copy(b->note);
            if (!b->score) continue;
            tgraph_grade(&f->baseline[k], f->entry, f->entry->item, f->entry->items, b->score,
                         r->tau_a, why);
        }
    return why->status;
}

/* No way to rank: every score is NaN. */
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

/* training: the set holds all files that the model was trained on. */
ag_status tgraph_results_baselines(tgraph_results *r, const tgraph_set *set, int training,
                                   ag_failure *why)
{
    tgraph_baseline_part *train = harness_alloc((size_t)set->count * sizeof *train);
    tgraph_baseline_part *part = harness_alloc((size_t)r->count * sizeof *part);
    tgraph_baseline_result *result = harness_alloc((size_t)r->count * sizeof *result);
    int *index = harness_alloc((size_t)r->count * sizeof *index), parts = 0;
    const int trains = list_training(train, set);
    tgraph_baseline_options options = tgraph_baseline_defaults();
    harness_progress bar;
    harness_progress_start(&bar, "baselines", 0, 100);
    options.progress = watch;
    options.context = &bar;
    r->baselines = TGRAPH_BASELINES;
    for (int k = 0; k < TGRAPH_BASELINES; k++)
        r->baseline_name[k] = tgraph_baseline_name((tgraph_baseline_kind)k);
    for (int i = 0; i < r->count; i++) {
        for (int k = 0; k < TGRAPH_BASELINES; k++) r->file[i].baseline[k] = nothing(&r->file[i]);
        if (!training && !fitted(r->file[i].entry)) continue;
        index[parts] = i;
        part[parts++] = part_of(r->file[i].entry);
    }
    if (trains && parts &&
        !tgraph_baselines_run(result, train, trains, part, parts, &options, why)) {
        take(r, index, result, parts, why);
        tgraph_baselines_free(result, parts);
    }
    for (int k = 0; k < TGRAPH_BASELINES; k++) r->baseline_mean[k] = mean_of(r, k);
    harness_progress_end(&bar);
    harness_free(train);
    harness_free(part);
    harness_free(result);
    harness_free(index);
    return why->status;
}
