/* SPDX-License-Identifier: MIT */
/* One pass over node_config_feat: checked, packed, de-duplicated; only packed rows are held. */
#include "examples/harness/harness.h"
#include "examples/tgraph/data/data_internal.h"

#include <string.h>

/* The state of one pass, besides the store. */
typedef struct stream {
    tgraph_file *file;
    const tpugraphs_raw *raw;
    tgraph_dedup dedup;
    tgraph_unique unique;
    int64_t *low, *high; /* per kept row, the range of its duplicates; or NULL */
    uint32_t *word;      /* one packed row */
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

static void keep_row(stream *s, int64_t c)
{
    tgraph_file *f = s->file;
    int64_t at = f->store.rows;
    f->runtime[at] = f->runtime[c]; /* in place: no more are kept than were read */
    f->file_row[at] = (int32_t)c;
    if (s->low) s->low[at] = s->high[at] = f->runtime[at];
    tgraph_store_put(&f->store, s->word);
}

static void merge_row(stream *s, int64_t c, int64_t known)
{
    tgraph_file *f = s->file;
    int64_t t = f->runtime[c];
    if (t < s->low[known]) s->low[known] = t;
    if (t > s->high[known]) s->high[known] = t;
    if (s->dedup == TGRAPH_KEEP_FASTEST && t < f->runtime[known]) {
        f->runtime[known] = t;
        f->file_row[known] = (int32_t)c;
    }
}

static ag_status stream_rows(stream *s, ag_failure *why)
{
    size_t row = (size_t)s->raw->configurable * TGRAPH_DIGITS;
    int64_t step = 1 + (int64_t)(65536 / row), configs = s->raw->configs;
    ag_rows *rows = ag_rows_open(s->raw->npz, "node_config_feat", why);
    if (!rows) return why->status;
    float *buffer = harness_alloc(ag_size_mul((size_t)step * row, sizeof *buffer));
    for (int64_t first = 0; first < configs && !why->status; first += step) {
        int64_t n = configs - first < step ? configs - first : step;
        if (ag_rows_next(rows, n, AG_F32, buffer, why)) break;
        for (int64_t i = 0; i < n; i++) {
            if (pack_row(s, buffer + (size_t)i * row, first + i, why)) break;
            int64_t known = s->low ? tgraph_unique_add(&s->unique, &s->file->store, s->word) : -1;
            if (known < 0)
                keep_row(s, first + i);
            else
                merge_row(s, first + i, known);
        }
    }
    harness_free(buffer);
    ag_rows_close(rows);
    return why->status;
}

static ag_status open_stream(stream *s, ag_failure *why)
{
    const size_t configs = (size_t)s->raw->configs;
    s->word = harness_alloc((size_t)s->raw->configurable * TGRAPH_WORDS * sizeof *s->word);
    if (s->dedup == TGRAPH_KEEP_ALL) return AG_OK;
    /* both ranges and up to 4 slots a row */
    const size_t table = ag_size_mul(configs, 6 * sizeof *s->low);
    if (tpugraphs_fits(s->file->budget, table, s->raw->name, "de-duplication", why))
        return why->status;
    s->low = harness_alloc(configs * sizeof *s->low);
    s->high = harness_alloc(configs * sizeof *s->high);
    tgraph_unique_open(&s->unique, s->raw->configs);
    return AG_OK;
}

static double spread(const stream *s)
{
    double most = 0;
    for (int i = 0; i < s->file->configs && s->low; i++) {
        double r = s->low[i] ? (double)s->high[i] / (double)s->low[i] - 1 : 0;
        if (r > most) most = r;
    }
    return most;
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
        file->spread = spread(&s);
        tgraph_store_trim(&file->store, file->budget);
    }
    harness_free(s.low);
    harness_free(s.high);
    harness_free(s.word);
    tgraph_unique_close(&s.unique);
    return why->status;
}
