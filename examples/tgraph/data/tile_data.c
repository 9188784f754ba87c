/* SPDX-License-Identifier: MIT */
/* Tile files: a small kernel graph and 24 numbers per tile configuration. A step uses all of
   them. */
#include "examples/harness/harness.h"
#include "examples/tgraph/data/data_internal.h"

#include <string.h>

tgraph_data_options tgraph_tile_defaults(void)
{
    return (tgraph_data_options){.opcodes = TGRAPH_OPCODES, .dedup = TGRAPH_KEEP_ALL};
}

static void lay_arrays(tgraph_tile *t, size_t *bytes)
{
    const int64_t c = t->configs, features = c * TPUGRAPHS_TILE_FEATURES;
    *bytes = 0;
    t->raw = tpugraphs_lay(t->block, bytes, features, sizeof *t->raw);
    t->feature = tpugraphs_lay(t->block, bytes, features, sizeof *t->feature);
    t->runtime = tpugraphs_lay(t->block, bytes, c, sizeof *t->runtime);
    t->normalizer = tpugraphs_lay(t->block, bytes, c, sizeof *t->normalizer);
    t->target = tpugraphs_lay(t->block, bytes, c, sizeof *t->target);
    t->rank = tpugraphs_lay(t->block, bytes, c, sizeof *t->rank);
}

static ag_status take_configs(tgraph_tile *t, ag_failure *why)
{
    size_t bytes;
    lay_arrays(t, &bytes);
    t->block = tpugraphs_take(t->budget, &t->bytes, bytes, 1, harness_files_short(t->path), why);
    if (!t->block) return why->status;
    memset(t->block, 0, bytes);
    lay_arrays(t, &bytes);
    return AG_OK;
}

static ag_status read_configs(tgraph_tile *t, tpugraphs_raw *raw, int logs, ag_failure *why)
{
    if (tpugraphs_tiles_read(raw, t->raw, t->runtime, t->normalizer, why)) return why->status;
    if (logs) tpugraphs_take_logs(t->raw, (int64_t)t->configs * TPUGRAPHS_TILE_FEATURES);
    t->has_runtimes = raw->has_runtimes;
    return AG_OK;
}

/* The bits of the target sort in the order of its values, since it is not negative. */
static ag_status rank_targets(tgraph_tile *t, ag_failure *why)
{
    const size_t n = (size_t)t->configs;
    int64_t *bits = harness_alloc(n * sizeof *bits);
    uint64_t *key = harness_alloc(n * sizeof *key);
    int32_t *index = harness_alloc(n * sizeof *index);
    for (int i = 0; i < t->configs; i++)
        t->target[i] = (double)t->runtime[i] / ((double)t->normalizer[i] + 1e-5);
    memcpy(bits, t->target, n * sizeof *bits);
    harness_ranks(t->rank, bits, t->configs, key, index, why);
    harness_free(bits);
    harness_free(key);
    harness_free(index);
    return why->status;
}

static ag_status read_tile(tgraph_tile *t, tpugraphs_raw *raw, const tgraph_data_options *options,
                           ag_failure *why)
{
    static const char read[] = "node_feat node_opcode node_reducer edge_index config_feat "
                               "config_runtime config_runtime_normalizers";
    if (tpugraphs_raw_open(raw, t->path, t->budget, options->opcodes, why) ||
        tpugraphs_tiles_count(raw, why) || tpugraphs_operands_check(raw, 0, NULL, NULL, why))
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
    tpugraphs_raw raw = {0};
    tgraph_tile *t = harness_alloc(sizeof *t);
    *t = (tgraph_tile){.path = path, .name = harness_files_base(path), .budget = budget};
    read_tile(t, &raw, options, why);
    tpugraphs_raw_close(&raw);
    if (!why->status) return t;
    tgraph_tile_close(t);
    return NULL;
}

void tgraph_tile_close(tgraph_tile *t)
{
    if (!t) return;
    if (t->budget) t->budget->used -= t->bytes;
    tgraph_graph_free(&t->graph);
    ag_free(t->block);
    harness_free(t);
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
    tgraph_scaler_apply(&s->config, t->feature, t->raw, t->configs);
    return AG_OK;
}
