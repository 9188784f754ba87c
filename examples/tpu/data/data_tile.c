/* SPDX-License-Identifier: MIT */
/* Tile files: one kernel, 24 numbers and a run time per tile size. */
#include "examples/tpu/data/data_internal.h"

static ag_status read_configs(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, ag_failure *why)
{
    const size_t n = (size_t)raw->configs, values = n * TPUGRAPHS_TILE_FEATURES;
    tpugraphs_budget *budget = &data->budget;
    file->tile = tpugraphs_take(budget, &file->bytes, values, sizeof(float), raw->name, why);
    if (file->tile)
        file->runtime = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (file->runtime)
        file->normalizer = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (!file->normalizer) return why->status;
    return tpugraphs_tiles_read(raw, file->tile, file->runtime, file->normalizer, why);
}

ag_status tpu_read_tile(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, int *kernels,
                        ag_failure *why)
{
    if (tpugraphs_tiles_count(raw, why) || tpugraphs_operands_check(raw, 0, NULL, NULL, why) ||
        tpu_read_graph(data, file, raw, why) || read_configs(data, file, raw, why) ||
        tpu_make_kernels(data, 1, why))
        return why->status;
    tpu_kernel *k = &data->kernel[data->kernels];
    *k = (tpu_kernel){.nodes = raw->nodes,
                      .edges = raw->edges,
                      .feature = file->feature,
                      .opcode = file->opcode,
                      .reducer = file->reducer,
                      .edge = file->edge,
                      .dots = file->dots,
                      .dot = file->dot,
                      .configs = raw->configs,
                      .tile = file->tile,
                      .runtime = raw->has_runtimes ? file->runtime : NULL};
    *kernels = 1;
    return tpu_order(k, raw->name, &data->budget, why);
}
