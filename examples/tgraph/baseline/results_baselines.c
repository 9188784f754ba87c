/* SPDX-License-Identifier: MIT */
/* Scores the baselines on the configurations that the model was scored on. */
#include "examples/tgraph/baseline/baselines.h"
#include "examples/tgraph/results.h"

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
    for (int i = 0; i < r->rank.groups; i++) {
        const tgraph_entry *e = r->entry[i];
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

/* Adds a baseline with its scores of all files, and the note of the first one. */
static void take(harness_rank *rank, const tgraph_baseline_result *result, int k)
{
    const char *name = tgraph_baseline_name((tgraph_baseline_kind)k);
    double *score = harness_rank_method(rank, name, harness_copy(result[0].of[k].note));
    for (int i = 0; i < rank->groups; i++) {
        const harness_ranked *g = &rank->group[i];
        const double *its = result[i].of[k].score;
        if (its)
            memcpy(score + g->first, its, (size_t)g->items * sizeof *its);
        else
            harness_rank_absent(rank, rank->methods - 1, i);
    }
}

ag_status tgraph_results_baselines(tgraph_results *r, const tgraph_entry *const *learn, int count,
                                   ag_failure *why)
{
    const int files = r->rank.groups;
    if (!files) return AG_OK;
    tgraph_baseline_part *train = harness_alloc((size_t)(count + files) * sizeof *train);
    tgraph_baseline_part *part = harness_alloc((size_t)files * sizeof *part);
    tgraph_baseline_result *result = harness_alloc((size_t)files * sizeof *result);
    tgraph_baseline_options options = tgraph_baseline_defaults();
    harness_progress bar;
    harness_progress_start(&bar, "baselines", 0, 100);
    options.own = list_own(train, r, learn, count);
    options.progress = watch;
    options.context = &bar;
    for (int i = 0; i < files; i++) part[i] = part_of(r->entry[i]);
    if (!tgraph_baselines_run(result, train, count + options.own, part, files, &options, why)) {
        for (int k = 0; k < TGRAPH_BASELINES; k++) take(&r->rank, result, k);
        tgraph_baselines_free(result, files);
    }
    harness_progress_end(&bar);
    harness_free(train);
    harness_free(part);
    harness_free(result);
    return why->status;
}
