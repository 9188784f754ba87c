/* SPDX-License-Identifier: MIT */
/* Calibration of the scores of one file, learnt from its training configurations. */
#include "examples/harness/rank/monotone.h"
#include "examples/tgraph/results.h"
#include "metrics/metrics.h"

tgraph_calibration tgraph_calibration_open(harness_rank *rank, const tgraph_entry *e)
{
    tgraph_calibration c = {0};
    if (!tgraph_entry_split(e)) return c;
    const int all = e->file->train_count, apart = (all - 1) / TGRAPH_CALIBRATES + 1;
    c.count = (all - 1) / apart + 1;
    c.item = harness_rank_alloc(rank, (size_t)c.count * sizeof *c.item);
    c.score = harness_rank_alloc(rank, (size_t)c.count * sizeof *c.score);
    for (int i = 0; i < c.count; i++) c.item[i] = e->file->train[i * apart];
    return c;
}

/* The fit is to ranks instead of run times: tau depends on the order alone, and a few
   configurations that are much slower than all others would outweigh the rest. */
ag_status tgraph_calibrate(double *calibrated, const tgraph_calibration *c, const tgraph_entry *e,
                           const double *score, ag_failure *why)
{
    double *runtime = harness_alloc(2 * (size_t)c->count * sizeof *runtime);
    double *place = runtime + c->count;
    harness_monotone m = {0};
    ag_failure mine = {0};
    for (int i = 0; i < c->count; i++) runtime[i] = (double)e->file->runtime[c->item[i]];
    if (!ag_places(place, runtime, c->count, &mine) &&
        !harness_monotone_fit(&m, c->score, place, c->count, &mine))
        for (int i = 0; i < e->items; i++) calibrated[i] = harness_monotone_at(&m, score[i]);
    if (mine.status)
        ag_fail(why, mine.status, "%.200s, training configurations: %s", e->file->path,
                mine.sentence);
    harness_monotone_free(&m);
    harness_free(runtime);
    return why->status;
}
