/* SPDX-License-Identifier: MIT */
/* Tile files: one kernel, 24 numbers and a run time per tile size. */
#include "examples/tpu/data/data_internal.h"

static ag_status read_configs(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, ag_failure *why)
{
    const size_t n = (size_t)raw->configs, values = n * TPUGRAPHS_TILE_FEATURES;
    tpugraphs_budget *budget = &data->budget;
    tpu_kernel *all = &file->all;
    all->configs = raw->configs;
    all->tile = tpugraphs_take(budget, &file->bytes, values, sizeof(float), raw->name, why);
    if (all->tile)
        all->runtime = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (all->runtime)
        file->normalizer = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (!file->normalizer) return why->status;
    return tpugraphs_tiles_read(raw, all->tile, all->runtime, file->normalizer, why);
}

ag_status tpu_read_tile(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, int *kernels,
                        ag_failure *why)
{
    if (tpugraphs_tiles_count(raw, why) || tpugraphs_operands_check(raw, 0, NULL, NULL, why) ||
        tpu_read_graph(data, file, raw, why) || read_configs(data, file, raw, why) ||
        tpu_make_kernels(data, 1, why))
        return why->status;
    tpu_kernel *k = &data->kernel[data->kernels];
    *k = file->all;
    if (!raw->has_runtimes) k->runtime = NULL;
    *kernels = 1;
    return tpu_order(k, raw->name, &data->budget, why);
}
