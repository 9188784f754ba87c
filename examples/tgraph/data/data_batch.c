/* SPDX-License-Identifier: MIT */
/* Batches: configurations out of the packed store, as the model reads them. */
#include "examples/harness/harness.h"
#include "core/memory.h"
#include "examples/tgraph/data/data_internal.h"

#include <string.h>

static void take_arrays(tgraph_batch *b, size_t nodes)
{
    const size_t n = (size_t)b->configs;
    ag_arena **m = &b->memory;
    ag_arena_reset(*m);
    b->config = HARNESS_TAKE(m, b->config, n);
    b->rank = HARNESS_TAKE(m, b->rank, n);
    b->runtime = HARNESS_TAKE(m, b->runtime, n);
    b->digit = HARNESS_TAKE(m, b->digit, n * nodes * TGRAPH_DIGITS);
}

ag_status tgraph_batch_fill(tgraph_batch *b, const tgraph_file *f, const int32_t *config, int count,
                            ag_failure *why)
{
    const size_t nodes = (size_t)f->graph.configurable;
    b->file = f;
    b->configs = count;
    take_arrays(b, nodes);
    for (int c = 0; c < count; c++) {
        const uint32_t *word = tgraph_file_words(f, config[c]);
        b->config[c] = config[c];
        b->runtime[c] = f->runtime[config[c]];
        for (size_t v = 0; v < nodes; v++)
            tgraph_unpack(b->digit + (v * (size_t)count + (size_t)c) * TGRAPH_DIGITS,
                          word + v * TGRAPH_WORDS);
    }
    harness_timed *order = HARNESS_TAKE(&b->memory, order, count);
    harness_ranks(b->rank, b->runtime, count, order);
    return tgraph_batch_join(b, why);
}

void tgraph_batch_free(void *batch)
{
    tgraph_batch *b = batch;
    nests_joined_batch_free(&b->nests);
    nests_rows_free(&b->rows);
    ag_arena_free(b->memory);
    *b = (tgraph_batch){0};
}

void tgraph_source_open(tgraph_source *s, tgraph_file *const *files, int count, int configs,
                        uint64_t seed)
{
    int most = 0;
    *s = (tgraph_source){.count = count, .configs = configs, .seed = seed, .epoch = -1};
    for (int i = 0; i < count; i++)
        if (files[i]->train_count > most) most = files[i]->train_count;
    s->files = HARNESS_NEW(s->files, count);
    memcpy(s->files, files, (size_t)count * sizeof *files);
    s->order = HARNESS_NEW(s->order, count);
    s->items = HARNESS_NEW(s->items, most);
}

/* The file that a step visits. */
static const tgraph_file *file_at(tgraph_source *s, int64_t step)
{
    const int64_t epoch = step / s->count;
    if (epoch != s->epoch)
        harness_shuffle(s->order, s->count,
                        harness_stream(HARNESS_STREAM_EPOCH, s->seed, (uint64_t)epoch));
    s->epoch = epoch;
    return s->files[s->order[step % s->count]];
}

ag_status tgraph_source_draw(void *source, int64_t step, void *buffer, ag_failure *why)
{
    tgraph_source *s = source;
    const tgraph_file *f = file_at(s, step);
    const int count = f->train_count;
    ((tgraph_batch *)buffer)->joined = s->joined;
    if (f->train)
        memcpy(s->items, f->train, (size_t)count * sizeof *s->items);
    else
        for (int i = 0; i < count; i++) s->items[i] = i;
    ag_random random = harness_stream(HARNESS_STREAM_DRAW, s->seed, (uint64_t)step);
    return tgraph_batch_fill(buffer, f, s->items,
                             harness_draw(s->items, count, s->configs, &random), why);
}

void tgraph_source_close(void *source)
{
    tgraph_source *s = source;
    harness_free(s->files);
    harness_free(s->order);
    harness_free(s->items);
    *s = (tgraph_source){0};
}
