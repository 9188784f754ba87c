/* SPDX-License-Identifier: MIT */
/* A file, from its path to something that batches can be drawn from. */
#include "examples/harness/harness.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/tgraph/data/data_internal.h"

tgraph_data_options tgraph_layout_defaults(void)
{
    return (tgraph_data_options){.prune = 1, .repad = 1, .dedup = TGRAPH_KEEP_ALL};
}

/* Finds the number of configurations in a file, checked before any memory is taken for them. */
static ag_status count_configs(tpugraphs_raw *raw, ag_failure *why)
{
    const ag_array_info *info =
        tpugraphs_member(raw, "node_config_feat", AG_SHAPE(-1, raw->configurable, TGRAPH_DIGITS),
                         "18 layout values per configuration and configurable node", why);
    if (!info) return why->status;
    if (info->size[0] < 1)
        return ag_fail(
            why, AG_EDATA,
            "%s: node_config_feat has 0 configurations, but a file needs at least 1; leave it out",
            raw->name);
    if (info->size[0] > INT32_MAX)
        return ag_fail(why, AG_EDATA,
                       "%s: node_config_feat has %lld configurations, but at most %d fit",
                       raw->name, (long long)info->size[0], INT32_MAX);
    raw->configs = (int)info->size[0];
    return AG_OK;
}

static ag_status take_configs(tgraph_file *f, const tpugraphs_raw *raw, ag_failure *why)
{
    size_t configs = (size_t)raw->configs;
    f->runtime = tpugraphs_take(f->budget, &f->bytes, configs, sizeof *f->runtime, raw->name, why);
    if (!f->runtime) return why->status;
    f->file_row =
        tpugraphs_take(f->budget, &f->bytes, configs, sizeof *f->file_row, raw->name, why);
    if (!f->file_row) return why->status;
    return tgraph_store_open(&f->store, raw->configs, (int64_t)raw->configurable * TGRAPH_WORDS,
                             f->budget, raw->name, why);
}

/* Nothing here reads them, but a file that contradicts itself is not to be trusted. */
static ag_status check_dots(const tpugraphs_raw *raw, ag_failure *why)
{
    int count;
    ag_free(tpugraphs_dots_read(&count, raw, why));
    return why->status;
}

static ag_status check_kind(const tpugraphs_raw *raw, ag_failure *why)
{
    if (ag_npz_find(raw->npz, "node_config_feat") || !ag_npz_find(raw->npz, "config_feat"))
        return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "%s is a tile file, but tgraph ranks layouts; \"tpu\" is the program for tiles",
                   raw->name);
}

static ag_status open_raw(tgraph_file *f, tpugraphs_raw *raw, ag_failure *why)
{
    if (tpugraphs_raw_open(raw, f->path, f->budget, TGRAPH_OPCODES, why) || check_kind(raw, why) ||
        tpugraphs_raw_config_nodes(raw, why) || count_configs(raw, why) ||
        tpugraphs_operands_check(raw, 0, NULL, NULL, why) || check_dots(raw, why))
        return why->status;
    f->file_nodes = raw->nodes;
    f->file_edges = raw->edges;
    f->file_configs = f->configs = raw->configs;
    f->graph.configurable = raw->configurable;
    return AG_OK;
}

static ag_status read_file(tgraph_file *f, tpugraphs_raw *raw, const tgraph_data_options *options,
                           ag_failure *why)
{
    static const char read[] = "node_feat node_opcode node_reducer edge_index node_config_feat "
                               "node_config_ids config_runtime node_splits";
    if (open_raw(f, raw, why)) return why->status;
    /* Pruning changes the edges of `raw`. */
    if (options->operations && nests_layout_read(&f->operations, raw, &f->bytes, why))
        return why->status;
    if ((!options->configs_only && tgraph_graph_build(&f->graph, raw, options, &f->bytes, why)) ||
        take_configs(f, raw, why) || tgraph_configs_read(f, raw, options->dedup, why))
        return why->status;
    f->has_runtimes = raw->has_runtimes;
    f->train_count = f->configs;
    return tpugraphs_raw_verify(raw, read, why);
}

tgraph_file *tgraph_file_open(const char *path, const tgraph_data_options *options,
                              tpugraphs_budget *budget, ag_failure *why)
{
    tpugraphs_raw raw = {0};
    tgraph_file *f = harness_alloc(sizeof *f);
    *f = (tgraph_file){.path = path, .name = harness_files_base(path), .budget = budget};
    read_file(f, &raw, options, why);
    tpugraphs_raw_close(&raw);
    if (!why->status) return f;
    tgraph_file_close(f);
    return NULL;
}

void tgraph_file_close(tgraph_file *f)
{
    if (!f) return;
    tgraph_store_close(&f->store, f->budget);
    if (f->budget) f->budget->used -= f->bytes;
    tgraph_graph_free(&f->graph);
    nests_layout_free(&f->operations);
    ag_free(f->runtime);
    ag_free(f->file_row);
    harness_free(f->train);
    harness_free(f->held);
    harness_free(f);
}

int tgraph_file_trainable(const tgraph_file *f) { return f->has_runtimes && f->train_count >= 2; }

ag_status tgraph_file_split(tgraph_file *f, double fraction, uint64_t seed, ag_failure *why)
{
    double wanted = fraction * f->configs + 0.5;
    if (!(fraction > 0 && fraction < 1) || wanted < 1 || wanted >= f->configs)
        return ag_fail(why, AG_EUSE,
                       "%s: a split of %g leaves a part of its %d configurations empty; choose a "
                       "fraction between "
                       "0 and 1 that leaves at least one on each side",
                       harness_files_short(f->path), fraction, f->configs);
    int32_t *order = HARNESS_NEW(order, f->configs), *mark = HARNESS_NEW(mark, f->configs);
    harness_free(f->train);
    harness_free(f->held);
    f->train_count = (int)wanted;
    f->held_count = f->configs - f->train_count;
    harness_shuffle(order, f->configs, harness_stream(HARNESS_STREAM_SPLIT, seed, 0));
    for (int i = 0; i < f->configs; i++) mark[order[i]] = i < f->train_count;
    f->train = HARNESS_NEW(f->train, f->train_count);
    f->held = HARNESS_NEW(f->held, f->held_count);
    ag_part(f->train, mark, f->configs, 1, 0);
    ag_part(f->held, mark, f->configs, 0, 0);
    harness_free(order);
    harness_free(mark);
    return AG_OK;
}
