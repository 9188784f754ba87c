/* SPDX-License-Identifier: MIT */
/* Scores the baselines on the configurations that the model was scored on. */
#include "examples/tgraph/baseline/baselines.h"
#include "examples/tgraph/results.h"

#include <string.h>

static int watch(void *context, const char *label, double done)
{
    harness_progress *bar = context;
    harness_progress_update(bar, (int64_t)(done * 100), label);
    return harness_interrupted();
}

/* Adds a baseline with its scores of all files, and the note of the first one. */
static void take(harness_rank *rank, const tgraph_baseline_result *result, int k)
{
    static const char *const name[TGRAPH_BASELINES] = {"random", "ridge", "boosting",
                                                       "boosting, 3 digits"};
    double *score = harness_rank_method(rank, name[k], harness_copy(result[0].of[k].note));
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
    tgraph_baseline_part *train = harness_alloc((size_t)count * sizeof *train);
    tgraph_baseline_part *part = harness_alloc((size_t)files * sizeof *part);
    tgraph_baseline_result *result = harness_alloc((size_t)files * sizeof *result);
    tgraph_baseline_options options = tgraph_baseline_defaults();
    harness_progress bar;
    harness_progress_start(&bar, "baselines", 0, 100);
    options.progress = watch;
    options.context = &bar;
    for (int i = 0; i < count; i++) train[i] = tgraph_baseline_train(learn[i]->file);
    for (int i = 0; i < files; i++) {
        const tgraph_entry *e = r->entry[i];
        part[i] = (tgraph_baseline_part){.file = e->file, .config = e->item, .count = e->items};
    }
    if (!tgraph_baselines_run(result, train, count, part, files, &options, why)) {
        for (int k = 0; k < TGRAPH_BASELINES; k++) take(&r->rank, result, k);
        tgraph_baselines_free(result, files);
    }
    harness_progress_end(&bar);
    harness_free(train);
    harness_free(part);
    harness_free(result);
    return why->status;
}
