/* SPDX-License-Identifier: MIT */
/* Tile files: a small kernel graph and 24 numbers per tile configuration. A step uses all of
   them. */
#include "examples/tgraph/data/data_internal.h"

#include <math.h>
#include <string.h>

tgraph_data_options tgraph_tile_defaults(void)
{
    return (tgraph_data_options){.opcodes = TGRAPH_OPCODES, .dedup = TGRAPH_KEEP_ALL};
}

static ag_status count_configs(tpugraphs_raw *raw, ag_failure *why)
{
    const ag_array_info *info =
        tpugraphs_member(raw, "config_feat", AG_SHAPE(-1, TPUGRAPHS_TILE_FEATURES),
                         "24 features per tile configuration", why);
    if (!info) return why->status;
    if (info->size[0] < 1 || info->size[0] > INT32_MAX / TPUGRAPHS_TILE_FEATURES)
        return ag_fail(why, AG_EDATA,
                       "%s: config_feat has %lld configurations, but a file needs 1 to %d",
                       raw->name, (long long)info->size[0], INT32_MAX / TPUGRAPHS_TILE_FEATURES);
    raw->configs = (int)info->size[0];
    return tpugraphs_member(raw, "config_runtime_normalizers", AG_SHAPE(raw->configs),
                            "one run time of the default tile per configuration", why)
               ? AG_OK
               : why->status;
}

/* Allocates an array of the file, zeroed. */
static void *take(tgraph_tile *t, size_t count, size_t size, ag_failure *why)
{
    void *block =
        tpugraphs_take(t->budget, &t->bytes, count, size, harness_files_short(t->path), why);
    return block ? memset(block, 0, count * size) : NULL;
}

static ag_status take_configs(tgraph_tile *t, ag_failure *why)
{
    size_t c = (size_t)t->configs;
    t->raw = take(t, c * TPUGRAPHS_TILE_FEATURES, sizeof *t->raw, why);
    if (t->raw) t->feature = take(t, c * TPUGRAPHS_TILE_FEATURES, sizeof *t->feature, why);
    if (t->feature) t->runtime = take(t, c, sizeof *t->runtime, why);
    if (t->runtime) t->normalizer = take(t, c, sizeof *t->normalizer, why);
    if (t->normalizer) t->target = take(t, c, sizeof *t->target, why);
    if (t->target) t->scaled = take(t, c, sizeof *t->scaled, why);
    if (t->scaled) t->rank = take(t, c, sizeof *t->rank, why);
    return why->status;
}

static ag_status read_configs(tgraph_tile *t, tpugraphs_raw *raw, int logs, ag_failure *why)
{
    if (ag_npz_read(raw->npz, "config_feat", AG_F32, t->raw, why)) return why->status;
    for (int i = 0; i < t->configs * TPUGRAPHS_TILE_FEATURES; i++)
        if (!isfinite(t->raw[i]))
            return ag_fail(why, AG_EDATA,
                           "%s: config_feat[%d,%d] = %g, but features must be finite", raw->name,
                           i / TPUGRAPHS_TILE_FEATURES, i % TPUGRAPHS_TILE_FEATURES,
                           (double)t->raw[i]);
    if (logs) tpugraphs_take_logs(t->raw, (int64_t)t->configs * TPUGRAPHS_TILE_FEATURES);
    if (tpugraphs_raw_runtimes(raw, t->runtime, why) ||
        ag_npz_read(raw->npz, "config_runtime_normalizers", AG_I64, t->normalizer, why))
        return why->status;
    t->has_runtimes = raw->has_runtimes;
    return tpugraphs_raw_positive(raw, "config_runtime_normalizers", t->normalizer, why);
}

/* The bits of the target sort in the order of its values, since it is not negative. */
static ag_status rank_targets(tgraph_tile *t, ag_failure *why)
{
    size_t bytes = (size_t)t->configs * sizeof(int64_t);
    int64_t *bits = ag_alloc(bytes);
    uint64_t *key = ag_alloc(bytes);
    int32_t *index = ag_alloc(bytes / 2);
    for (int i = 0; i < t->configs; i++)
        t->target[i] = (double)t->runtime[i] / ((double)t->normalizer[i] + 1e-5);
    if (bits && key && index) {
        memcpy(bits, t->target, bytes);
        harness_ranks(t->rank, bits, t->configs, key, index, why);
    } else
        harness_files_no_memory(harness_files_short(t->path), bytes, why);
    ag_free(bits);
    ag_free(key);
    ag_free(index);
    return why->status;
}

static ag_status read_tile(tgraph_tile *t, tpugraphs_raw *raw, const tgraph_data_options *options,
                           ag_failure *why)
{
    static const char *const read[] = {
        "node_feat",   "node_opcode",    "edge_index",
        "config_feat", "config_runtime", "config_runtime_normalizers",
        NULL};
    if (tpugraphs_raw_open(raw, t->path, t->budget, options->opcodes, why) ||
        count_configs(raw, why))
        return why->status;
    t->configs = raw->configs;
    if (tgraph_graph_build(&t->graph, raw, options, t->budget, &t->bytes, why) ||
        take_configs(t, why) || read_configs(t, raw, options->logs, why) || rank_targets(t, why))
        return why->status;
    return tpugraphs_raw_verify(raw, read, why);
}

tgraph_tile *tgraph_tile_open(const char *path, const tgraph_data_options *options,
                              tpugraphs_budget *budget, ag_failure *why)
{
    size_t length = strlen(path) + 1;
    tgraph_tile *t = ag_alloc(sizeof *t);
    if (!t) {
        harness_files_no_memory(harness_files_short(path), sizeof *t, why);
        return NULL;
    }
    memset(t, 0, sizeof *t);
    t->budget = budget;
    t->path = ag_alloc(length);
    if (!t->path)
        harness_files_no_memory(harness_files_short(path), length, why);
    else {
        tpugraphs_raw raw = {0};
        memcpy(t->path, path, length);
        t->name = harness_files_base(t->path);
        read_tile(t, &raw, options, why);
        tpugraphs_raw_close(&raw);
    }
    if (!why->status) return t;
    tgraph_tile_close(t);
    return NULL;
}

void tgraph_tile_close(tgraph_tile *t)
{
    if (!t) return;
    if (t->budget) t->budget->used -= t->bytes;
    tgraph_graph_free(&t->graph);
    ag_free(t->raw);
    ag_free(t->feature);
    ag_free(t->runtime);
    ag_free(t->normalizer);
    ag_free(t->target);
    ag_free(t->scaled);
    ag_free(t->rank);
    ag_free(t->path);
    ag_free(t);
}

void tgraph_tile_fit(tgraph_tile_scalers *s, tgraph_tile *const *tiles, int count)
{
    tgraph_scaler_begin(&s->node, TGRAPH_NUMERIC);
    tgraph_scaler_begin(&s->config, TPUGRAPHS_TILE_FEATURES);
    tgraph_scaler_begin(&s->target, 1);
    for (int i = 0; i < count; i++) {
        tgraph_scaler_add(&s->node, tiles[i]->graph.raw, AG_F32, tiles[i]->graph.nodes);
        tgraph_scaler_add(&s->config, tiles[i]->raw, AG_F32, tiles[i]->configs);
        tgraph_scaler_add(&s->target, tiles[i]->target, AG_F64, tiles[i]->configs);
    }
    tgraph_scaler_end(&s->node);
    tgraph_scaler_end(&s->config);
    tgraph_scaler_end(&s->target);
}

ag_status tgraph_tile_scale(tgraph_tile *t, const tgraph_tile_scalers *s, ag_failure *why)
{
    if (s->config.columns != TPUGRAPHS_TILE_FEATURES || s->target.columns != 1)
        return ag_fail(why, AG_EUSE,
                       "standardisation: the scalers have %d and %d columns, but a tile has %d "
                       "features and 1 target",
                       s->config.columns, s->target.columns, TPUGRAPHS_TILE_FEATURES);
    if (tgraph_graph_scale(&t->graph, &s->node, why)) return why->status;
    tgraph_scaler_apply(&s->config, t->feature, t->raw, AG_F32, t->configs);
    tgraph_scaler_apply(&s->target, t->scaled, t->target, AG_F64, t->configs);
    return AG_OK;
}
