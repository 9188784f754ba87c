/* SPDX-License-Identifier: MIT */
/* One pass over node_config_feat: checked, packed, de-duplicated; only packed rows are held. */
#include "examples/harness/harness.h"
#include "core/error.h"
#include "examples/tgraph/data/data_internal.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The state of one pass, besides the store. */
typedef struct stream {
    tgraph_file *file;
    const tpugraphs_raw *raw;
    tgraph_dedup dedup;
    uint64_t *slot; /* [mask + 1] upper 32 bits of a kept row's hash, its index + 1; 0: free; NULL:
                       every row is kept */
    uint64_t mask;
    uint32_t *word; /* one packed row */
} stream;

static ag_status pack_row(stream *s, const float *value, int64_t c, ag_failure *why)
{
    for (int i = 0; i < s->raw->configurable; i++) {
        const float *v = value + (size_t)i * TGRAPH_DIGITS;
        int bad = tgraph_pack(s->word + (size_t)i * TGRAPH_WORDS, v);
        if (bad >= 0)
            return ag_fail(
                why, AG_EDATA,
                "%s: node_config_feat[%lld,%d,%d] = %g, but layout values are integers -1 to 5",
                s->raw->name, (long long)c, i, bad, (double)v[bad]);
    }
    return AG_OK;
}

/* The kept row that is equal, or -1: then this one is remembered as the next to be kept. A hash
   selects, a comparison of the whole row decides. */
static int64_t find_row(stream *s)
{
    const uint64_t low = UINT32_MAX;
    const tgraph_store *store = &s->file->store;
    const size_t bytes = (size_t)store->width * sizeof *s->word;
    const uint64_t hash = XXH3_64bits(s->word, bytes);
    uint64_t at = hash & s->mask;
    for (; s->slot[at]; at = (at + 1) & s->mask) {
        if ((s->slot[at] ^ hash) & ~low) continue;
        const int64_t known = (int64_t)(s->slot[at] & low) - 1;
        if (!memcmp(store->word + known * store->width, s->word, bytes)) return known;
    }
    s->slot[at] = (hash & ~low) | (uint64_t)(store->rows + 1);
    return -1;
}

/* Keeps a row unless an equal one is kept; of the two, the run time that `dedup` asks for stays. */
static void keep_row(stream *s, int64_t c)
{
    tgraph_file *f = s->file;
    const int64_t known = s->slot ? find_row(s) : -1, at = known < 0 ? f->store.rows : known;
    if (known < 0)
        tgraph_store_put(&f->store, s->word);
    else if (s->dedup != TGRAPH_KEEP_FASTEST || f->runtime[c] >= f->runtime[at])
        return;
    f->runtime[at] = f->runtime[c]; /* in place: no more are kept than were read */
    f->file_row[at] = (int32_t)c;
}

static ag_status stream_rows(stream *s, ag_failure *why)
{
    size_t row = (size_t)s->raw->configurable * TGRAPH_DIGITS;
    int64_t step = 1 + (int64_t)(65536 / row), configs = s->raw->configs;
    ag_rows *rows = ag_rows_open(s->raw->npz, "node_config_feat", why);
    if (!rows) return why->status;
    float *buffer = HARNESS_NEW(buffer, (size_t)step * row);
    for (int64_t first = 0; first < configs && !why->status; first += step) {
        int64_t n = configs - first < step ? configs - first : step;
        if (ag_rows_next(rows, n, AG_F32, buffer, why)) break;
        for (int64_t i = 0; i < n; i++) {
            if (pack_row(s, buffer + (size_t)i * row, first + i, why)) break;
            keep_row(s, first + i);
        }
    }
    harness_free(buffer);
    ag_rows_close(rows);
    return why->status;
}

static ag_status open_stream(stream *s, ag_failure *why)
{
    const size_t configs = (size_t)s->raw->configs;
    s->word = HARNESS_NEW(s->word, (size_t)s->raw->configurable * TGRAPH_WORDS);
    if (s->dedup == TGRAPH_KEEP_ALL) return AG_OK;
    size_t slots = 16;
    while (slots < 2 * configs) slots *= 2; /* at most half full */
    const size_t table = ag_size_mul(slots, sizeof *s->slot);
    if (tpugraphs_fits(s->file->budget, table, s->raw->name, "de-duplication", why))
        return why->status;
    s->mask = slots - 1;
    s->slot = harness_alloc(table);
    return AG_OK;
}

/* Before equal configurations become one. */
static void find_range(tgraph_file *f)
{
    f->fastest = f->slowest = f->runtime[0];
    for (int i = 1; i < f->file_configs; i++) {
        if (f->runtime[i] < f->fastest) f->fastest = f->runtime[i];
        if (f->runtime[i] > f->slowest) f->slowest = f->runtime[i];
    }
}

ag_status tgraph_configs_read(tgraph_file *file, tpugraphs_raw *raw, tgraph_dedup dedup,
                              ag_failure *why)
{
    stream s = {.file = file, .raw = raw, .dedup = dedup};
    if (tpugraphs_raw_runtimes(raw, file->runtime, why)) return why->status;
    find_range(file);
    if (!open_stream(&s, why) && !stream_rows(&s, why)) {
        file->configs = (int)file->store.rows;
        tgraph_store_trim(&file->store, file->budget);
    }
    harness_free(s.word);
    harness_free(s.slot);
    return why->status;
}
