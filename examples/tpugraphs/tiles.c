/* SPDX-License-Identifier: MIT */
/* Features, and tile files: one kernel, 24 numbers and a run time per tile size. */
#include "examples/tpugraphs/tpugraphs.h"
#include "core/error.h"
#include "examples/harness/base/base.h"

#include <math.h>

void tpugraphs_take_logs(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] != 0.0F) x[i] = copysignf(log1pf(fabsf(x[i])), x[i]); /* most features are 0 */
}

ag_status tpugraphs_raw_features(const tpugraphs_raw *raw, const char *name, float *feature,
                                 size_t rows, size_t columns, ag_failure *why)
{
    if (ag_npz_read(raw->npz, name, AG_F32, feature, why)) return why->status;
    for (size_t i = 0; i < rows * columns; i++)
        if (!isfinite(feature[i]))
            return ag_fail(why, AG_EDATA, "%s: %s[%zu%s] = %g, but features must be finite",
                           raw->name, name, i / columns,
                           columns > 1 ? harness_format(",%zu", i % columns) : "",
                           (double)feature[i]);
    return AG_OK;
}

ag_status tpugraphs_tiles_count(tpugraphs_raw *raw, ag_failure *why)
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

ag_status tpugraphs_tiles_read(tpugraphs_raw *raw, float *feature, int64_t *runtime,
                               int64_t *normalizer, ag_failure *why)
{
    static const char normalizers[] = "config_runtime_normalizers";
    if (tpugraphs_raw_features(raw, "config_feat", feature, (size_t)raw->configs,
                               TPUGRAPHS_TILE_FEATURES, why) ||
        tpugraphs_raw_runtimes(raw, runtime, why) ||
        ag_npz_read(raw->npz, normalizers, AG_I64, normalizer, why))
        return why->status;
    return tpugraphs_raw_positive(raw, normalizers, normalizer, why);
}
