/* SPDX-License-Identifier: MIT */
/* Tile files: one kernel, 24 numbers and a run time per tile size. */
#include "examples/tpu/data/data_internal.h"

#include <math.h>

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
    tpugraphs_member(raw, "config_runtime_normalizers", AG_SHAPE(raw->configs),
                     "one run time of the default tile per configuration", why);
    return why->status;
}

static ag_status read_configs(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, ag_failure *why)
{
    const size_t n = (size_t)raw->configs, values = n * TPUGRAPHS_TILE_FEATURES;
    tpugraphs_budget *budget = &data->budget;
    file->tile = tpugraphs_take(budget, &file->bytes, values, sizeof(float), raw->name, why);
    if (file->tile)
        file->runtime = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (file->runtime)
        file->normalizer = tpugraphs_take(budget, &file->bytes, n, sizeof(int64_t), raw->name, why);
    if (!file->normalizer || ag_npz_read(raw->npz, "config_feat", AG_F32, file->tile, why))
        return why->status;
    for (size_t i = 0; i < values; i++)
        if (!isfinite(file->tile[i]))
            return ag_fail(why, AG_EDATA,
                           "%s: config_feat[%zu,%zu] = %g, but features must be finite", raw->name,
                           i / TPUGRAPHS_TILE_FEATURES, i % TPUGRAPHS_TILE_FEATURES,
                           (double)file->tile[i]);
    if (tpugraphs_raw_runtimes(raw, file->runtime, why) ||
        ag_npz_read(raw->npz, "config_runtime_normalizers", AG_I64, file->normalizer, why))
        return why->status;
    return tpugraphs_raw_positive(raw, "config_runtime_normalizers", file->normalizer, why);
}

ag_status tpu_read_tile(tpu_data *data, tpu_file *file, tpugraphs_raw *raw, int *kernels,
                        ag_failure *why)
{
    if (count_configs(raw, why) || tpu_read_graph(data, file, raw, why) ||
        read_configs(data, file, raw, why) || tpu_make_kernels(data, 1, why))
        return why->status;
    const tpu_part part = {raw->name,     -1,           raw->nodes, raw->edges,
                           file->feature, file->opcode, file->edge};
    data->kernel[data->kernels] = (tpu_kernel){.nodes = raw->nodes,
                                               .edges = raw->edges,
                                               .feature = file->feature,
                                               .opcode = file->opcode,
                                               .edge = file->edge,
                                               .configs = raw->configs,
                                               .tile = file->tile,
                                               .runtime = raw->has_runtimes ? file->runtime : NULL,
                                               .normalizer = file->normalizer};
    *kernels = 1;
    return tpu_order(&part, &data->budget, why);
}
