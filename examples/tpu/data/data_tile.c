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
    const tpu_part part = {.file = raw->name,
                           .number = -1,
                           .nodes = raw->nodes,
                           .edges = raw->edges,
                           .feature = file->feature,
                           .opcode = file->opcode,
                           .reducer = file->reducer,
                           .edge = file->edge,
                           .dot = file->dot,
                           .dots = file->dots};
    tpu_kernel *k = &data->kernel[data->kernels];
    *k = tpu_part_kernel(&part);
    k->configs = raw->configs;
    k->tile = file->tile;
    k->runtime = raw->has_runtimes ? file->runtime : NULL;
    k->normalizer = file->normalizer;
    *kernels = 1;
    return tpu_order(&part, &data->budget, why);
}
