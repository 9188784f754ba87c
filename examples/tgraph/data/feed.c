/* SPDX-License-Identifier: MIT */
/* The batches that the steps of a training run work on, prepared one step ahead. */
#include "examples/tgraph/data/feed.h"

ag_status tgraph_feed_open(tgraph_feed *f, const tgraph_set *set, const nests_joined *joined,
                           int configs, uint64_t seed, int64_t first, ag_failure *why)
{
    int count = 0;
    *f = (tgraph_feed){.set = set,
                       .file = harness_alloc((size_t)set->count * sizeof *f->file),
                       .buffer = {{.joined = joined}, {.joined = joined}}};
    for (int i = 0; i < set->count; i++)
        if (set->entry[i].train) f->file[count++] = set->entry[i].file;
    if (tgraph_source_open(&f->source, f->file, count, configs, seed, why) || set->tile)
        return why->status;
    f->loader = harness_loader_new(tgraph_source_draw, &f->source, &f->buffer[0], &f->buffer[1],
                                   first, 1, why);
    return why->status;
}

ag_status tgraph_feed_next(tgraph_feed *f, int64_t step, tgraph_work *work, ag_failure *why)
{
    const tgraph_set *set = f->set;
    *work = (tgraph_work){.batch = set->tile ? NULL : harness_loader_next(f->loader, why)};
    if (why->status) return why->status;
    const tgraph_file *file = set->tile ? tgraph_source_at(&f->source, step) : work->batch->file;
    for (int i = 0; i < set->count; i++)
        if (set->entry[i].file == file) work->entry = &set->entry[i];
    return AG_OK;
}

void tgraph_feed_close(tgraph_feed *f)
{
    harness_loader_free(f->loader);
    tgraph_source_close(&f->source);
    for (int i = 0; i < 2; i++) tgraph_batch_free(&f->buffer[i]);
    harness_free(f->file);
    *f = (tgraph_feed){0};
}
