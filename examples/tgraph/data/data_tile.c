/* SPDX-License-Identifier: MIT */
/* The 24 numbers per configuration of a tile file. A step uses all configurations. */
#include "examples/harness/harness.h"
#include "examples/tgraph/data/data_internal.h"

#include <string.h>

static void lay_arrays(tgraph_file *f, char *block, size_t *bytes)
{
    const int64_t c = f->configs, features = c * TPUGRAPHS_TILE_FEATURES;
    *bytes = 0;
    f->runtime = tpugraphs_lay(block, bytes, c, sizeof *f->runtime);
    f->raw = tpugraphs_lay(block, bytes, features, sizeof *f->raw);
    f->feature = tpugraphs_lay(block, bytes, features, sizeof *f->feature);
    f->normalizer = tpugraphs_lay(block, bytes, c, sizeof *f->normalizer);
    f->target = tpugraphs_lay(block, bytes, c, sizeof *f->target);
    f->rank = tpugraphs_lay(block, bytes, c, sizeof *f->rank);
}

static ag_status take_configs(tgraph_file *f, ag_failure *why)
{
    size_t bytes;
    lay_arrays(f, NULL, &bytes);
    char *block = tpugraphs_take(f->budget, &f->bytes, bytes, 1, harness_files_short(f->path), why);
    if (!block) return why->status;
    memset(block, 0, bytes);
    lay_arrays(f, block, &bytes);
    return AG_OK;
}

/* The bits of the target sort in the order of its values, since it is not negative. */
static ag_status rank_targets(tgraph_file *f, ag_failure *why)
{
    const size_t n = (size_t)f->configs;
    int64_t *bits = harness_alloc(n * sizeof *bits);
    uint64_t *key = harness_alloc(n * sizeof *key);
    int32_t *index = harness_alloc(n * sizeof *index);
    for (int i = 0; i < f->configs; i++)
        f->target[i] = (double)f->runtime[i] / ((double)f->normalizer[i] + 1e-5);
    memcpy(bits, f->target, n * sizeof *bits);
    harness_ranks(f->rank, bits, f->configs, key, index, why);
    harness_free(bits);
    harness_free(key);
    harness_free(index);
    return why->status;
}

ag_status tgraph_tiles_read(tgraph_file *f, tpugraphs_raw *raw, int logs, ag_failure *why)
{
    if (take_configs(f, why) || tpugraphs_tiles_read(raw, f->raw, f->runtime, f->normalizer, why))
        return why->status;
    tgraph_range(&f->fastest, &f->slowest, f->runtime, f->configs);
    if (logs) tpugraphs_take_logs(f->raw, (int64_t)f->configs * TPUGRAPHS_TILE_FEATURES);
    return rank_targets(f, why);
}
