/* SPDX-License-Identifier: MIT */
/* The arrays of a file with an entry per schedule: offsets, stores, run times. */
#include "examples/tpgnn/data/data_internal.h"

#include <math.h>
#include <xxhash.h>

uint64_t tpgnn_hash(uint64_t before, const void *x, size_t count, size_t size)
{
    return count ? XXH3_64bits_withSeed(x, count * size, before) : before;
}

ag_status tpgnn_check_finite(const tpugraphs_raw *raw, const char *name, const float *x,
                             int64_t count, ag_failure *why)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return ag_fail(why, AG_EDATA, "%s: value %lld of %s is %g, but all must be finite",
                           raw->name, (long long)i, name, (double)x[i]);
    return AG_OK;
}

int32_t *tpgnn_integers_read(const tpugraphs_raw *raw, const char *name, int64_t count,
                             int64_t most, const char *means, ag_failure *why)
{
    int32_t *x = tpugraphs_raw_array(raw, name, AG_I32, AG_SHAPE(count), means, why);
    for (int64_t i = 0; x && i < count; i++)
        if (x[i] < 0 || x[i] > most) {
            ag_fail(why, AG_EDATA, "%s: %s[%lld] = %d, but it must be 0 to %lld: %s", raw->name,
                    name, (long long)i, x[i], (long long)most, means);
            ag_free(x);
            return NULL;
        }
    return x;
}

int64_t *tpgnn_offsets_read(const tpgnn_reading *r, const char *name, int64_t end, int least,
                            ag_failure *why)
{
    return tpugraphs_raw_offsets(&r->raw, name, r->schedules, end, least,
                                 "where each schedule begins, and the end of the last", why);
}

/* ---- stores ---- */

static ag_status read_features(tpgnn_data *data, tpgnn_reading *r, int64_t *rows, ag_failure *why)
{
    tpgnn_file *f = r->file;
    const ag_array_info *info = tpugraphs_member(
        &r->raw, "feature_row", AG_SHAPE(-1, TPGNN_FEATURES), "164 features per row", why);
    if (!info) return why->status;
    *rows = info->size[0];
    if (*rows > INT32_MAX / TPGNN_FEATURES)
        return ag_fail(why, AG_EDATA, "%s: feature_row has %lld rows, but at most %d are supported",
                       r->raw.name, (long long)*rows, INT32_MAX / TPGNN_FEATURES);
    f->feature = tpugraphs_take(&data->budget, &f->bytes, (size_t)(*rows * TPGNN_FEATURES),
                                sizeof *f->feature, r->raw.name, why);
    if (!f->feature || ag_npz_read(r->raw.npz, "feature_row", AG_F32, f->feature, why))
        return why->status;
    return tpgnn_check_finite(&r->raw, "feature_row", f->feature, info->count, why);
}

static ag_status read_rows(tpgnn_data *data, tpgnn_reading *r, int64_t rows, ag_failure *why)
{
    static const char means[] = "a row of feature_row per stored buffer";
    tpgnn_file *f = r->file;
    const ag_array_info *info = tpugraphs_member(&r->raw, "store_row", AG_SHAPE(-1), means, why);
    if (!info) return why->status;
    if (info->count > INT32_MAX / 8 || (info->count && !rows))
        return ag_fail(why, AG_EDATA,
                       "%s: store_row has %lld entries for %lld rows of feature_row, but 0 to %d "
                       "are supported, and 0 where there is no row",
                       r->raw.name, (long long)info->count, (long long)rows, INT32_MAX / 8);
    f->stores = info->count;
    f->store = tpgnn_integers_read(&r->raw, "store_row", f->stores, rows - 1, means, why);
    if (!f->store) return why->status;
    const size_t bytes = (size_t)f->stores * sizeof *f->store;
    f->bytes += bytes;
    data->budget.used += bytes;
    return why->status;
}

ag_status tpgnn_stores_read(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    tpgnn_file *f = r->file;
    int64_t rows = 0;
    if (read_features(data, r, &rows, why) || read_rows(data, r, rows, why)) return why->status;
    r->store_offset = tpgnn_offsets_read(r, "store_offset", f->stores, 0, why);
    if (!r->store_offset) return why->status;
    for (int i = 0; i < r->schedules; i++) {
        r->schedule[i].feature = f->feature;
        r->schedule[i].store = f->store + r->store_offset[i];
        r->schedule[i].stores = (int)(r->store_offset[i + 1] - r->store_offset[i]);
    }
    f->hash = tpgnn_hash(f->hash, f->feature, (size_t)rows * TPGNN_FEATURES, sizeof *f->feature);
    f->hash = tpgnn_hash(f->hash, f->store, (size_t)f->stores, sizeof *f->store);
    f->hash = tpgnn_hash(f->hash, r->store_offset, (size_t)r->schedules + 1, sizeof(int64_t));
    return AG_OK;
}

/* ---- run times ---- */

/* A column of whole numbers, checked and in the hash. NULL with a sentence; ag_free. */
static int64_t *read_column(const tpgnn_reading *r, const char *name, int width, int64_t low,
                            int64_t high, const char *means, ag_failure *why)
{
    const ag_shape size = width == 1 ? AG_SHAPE(r->schedules) : AG_SHAPE(r->schedules, width);
    const int64_t count = (int64_t)r->schedules * width;
    int64_t *x = tpugraphs_raw_array(&r->raw, name, AG_I64, size, means, why);
    for (int64_t i = 0; x && i < count; i++)
        if (x[i] < low || x[i] > high) {
            if (low == 1)
                ag_fail(why, AG_EDATA, "%s: %s of schedule %lld is %lld, but must be at least 1 ns",
                        r->raw.name, name, (long long)(i / width), (long long)x[i]);
            else
                ag_fail(why, AG_EDATA, "%s: %s of schedule %lld is %lld, but must be %lld to %lld",
                        r->raw.name, name, (long long)(i / width), (long long)x[i], (long long)low,
                        (long long)high);
            ag_free(x);
            return NULL;
        }
    if (x) r->file->hash = tpgnn_hash(r->file->hash, x, (size_t)count, sizeof *x);
    return x;
}

/* Checked and hashed alone, as the medians and the hashes below: no model reads them. */
static ag_status check_spread(tpgnn_reading *r, ag_failure *why)
{
    static const char name[] = "schedule_spread";
    const int n = r->schedules;
    float *x =
        tpugraphs_raw_array(&r->raw, name, AG_F32, AG_SHAPE(n), "one spread per schedule", why);
    if (!x) return why->status;
    for (int i = 0; i < n && !why->status; i++)
        if (!isfinite(x[i]) || x[i] < 0)
            ag_fail(why, AG_EDATA, "%s: %s[%d] = %g, but must be a finite number from 0 on",
                    r->raw.name, name, i, (double)x[i]);
    r->file->hash = tpgnn_hash(r->file->hash, x, (size_t)n, sizeof *x);
    ag_free(x);
    return why->status;
}

enum { RUNTIME, MEDIAN, PASSES, NOISY, ORIGIN, HASH, COLUMNS };

static void set_column(tpgnn_schedule *s, int column, const int64_t *x)
{
    if (column == RUNTIME) s->runtime = *x;
    if (column == PASSES) s->pass[0] = x[0], s->pass[1] = x[1];
    if (column == NOISY) s->noisy = (int)*x;
    if (column == ORIGIN) s->origin = (int)*x;
}

ag_status tpgnn_times_read(tpgnn_reading *r, ag_failure *why)
{
    static const struct {
        const char *name;
        int width;
        int64_t low, high;
        const char *means;
    } column[COLUMNS] = {
        {"schedule_runtime", 1, 1, INT64_MAX, "one run time per schedule"},
        {"schedule_median", 1, 1, INT64_MAX, "one median per schedule"},
        {"schedule_passes", 2, 1, INT64_MAX, "two run times per schedule"},
        {"schedule_noisy", 1, 0, 1, "0 or 1 per schedule"},
        {"schedule_origin", 1, 0, TPGNN_TUNED, "where each schedule comes from"},
        {"schedule_hash", 1, INT64_MIN, INT64_MAX, "one hash per schedule"},
    };
    for (int c = 0; c < COLUMNS; c++) {
        int64_t *x = read_column(r, column[c].name, column[c].width, column[c].low, column[c].high,
                                 column[c].means, why);
        if (!x) return why->status;
        for (int i = 0; i < r->schedules; i++)
            set_column(&r->schedule[i], c, x + (int64_t)i * column[c].width);
        ag_free(x);
    }
    return check_spread(r, why);
}
