/* SPDX-License-Identifier: MIT */
/* The batches that the steps of a training run work on, prepared one step ahead. */
#include "examples/tgraph/data/feed.h"

#include <string.h>

static void list_entries(tgraph_feed *f, const tgraph_set *set)
{
    f->entry = harness_alloc((size_t)set->count * sizeof *f->entry);
    f->file = harness_alloc((size_t)set->count * sizeof *f->file);
    for (int i = 0; i < set->count; i++)
        if (set->entry[i].train) {
            f->file[f->count] = set->entry[i].file;
            f->entry[f->count++] = &set->entry[i];
        }
}

ag_status tgraph_feed_open(tgraph_feed *f, const tgraph_set *set, const nests_joined *joined,
                           int configs, uint64_t seed, int64_t first, ag_failure *why)
{
    *f = (tgraph_feed){.set = set, .tile = set->tile, .seed = seed, .epoch = -1};
    list_entries(f, set);
    f->order = harness_alloc((size_t)f->count * sizeof *f->order);
    if (f->tile) return AG_OK;
    f->buffer[0].joined = f->buffer[1].joined = joined;
    if (tgraph_source_open(&f->source, f->file, f->count, configs, seed, why)) return why->status;
    f->loader = harness_loader_new(tgraph_fill_batch, &f->source, &f->buffer[0], &f->buffer[1],
                                   first, 1, why);
    return why->status;
}

static ag_status next_layout(tgraph_feed *f, tgraph_work *work, ag_failure *why)
{
    work->batch = harness_loader_next(f->loader, why);
    for (int i = 0; work->batch && i < f->count; i++)
        if (f->file[i] == work->batch->file) work->entry = f->entry[i];
    return why->status;
}

ag_status tgraph_feed_next(tgraph_feed *f, int64_t step, tgraph_work *work, ag_failure *why)
{
    *work = (tgraph_work){0};
    if (!f->tile) return next_layout(f, work, why);
    const int64_t epoch = step / f->count;
    if (epoch != f->epoch) harness_epoch_order(f->order, f->count, f->seed, epoch);
    f->epoch = epoch;
    work->entry = f->entry[f->order[step % f->count]];
    return AG_OK;
}

void tgraph_feed_close(tgraph_feed *f)
{
    harness_loader_free(f->loader);
    tgraph_source_close(&f->source);
    for (int i = 0; i < 2; i++) tgraph_batch_free(&f->buffer[i]);
    harness_free(f->entry);
    harness_free(f->file);
    harness_free(f->order);
    *f = (tgraph_feed){0};
}
