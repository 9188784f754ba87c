/* SPDX-License-Identifier: MIT */
/* Reads files of schedules. */
#include "examples/harness/harness.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/tpgnn/data/data_internal.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

/* ---- arrays ---- */

static void hash(tpgnn_reading *r, const void *x, int64_t count, size_t size)
{
    if (count) r->hash = XXH3_64bits_withSeed(x, (size_t)count * size, r->hash);
}

static ag_status read_finite(float *x, tpgnn_reading *r, const char *name, int64_t rows,
                             int columns, ag_failure *why)
{
    if (!tpugraphs_raw_finite(&r->raw, name, x, (size_t)rows, (size_t)columns, why))
        hash(r, x, rows * columns, sizeof *x);
    return why->status;
}

/* An array of so many integers, each 0 to `most`. */
static ag_status read_integers(int32_t *x, tpgnn_reading *r, const char *name, int64_t count,
                               int64_t most, const char *means, ag_failure *why)
{
    if (!tpugraphs_member(&r->raw, name, AG_SHAPE(count), means, why) ||
        ag_npz_read(r->raw.npz, name, AG_I32, x, why))
        return why->status;
    hash(r, x, count, sizeof *x);
    for (int64_t i = 0; i < count; i++)
        if (x[i] < 0 || x[i] > most)
            return ag_fail(why, AG_EDATA, "%s: %s[%lld] = %d, but it must be 0 to %lld: %s",
                           r->raw.name, name, (long long)i, x[i], (long long)most, means);
    return AG_OK;
}

/* [schedules + 1] */
static int64_t *read_offsets(const tpgnn_reading *r, const char *name, int64_t end, int least,
                             ag_failure *why)
{
    return tpugraphs_raw_offsets(&r->raw, name, r->task.schedules, end, least,
                                 "where each schedule begins, and the end of the last", why);
}

/* ---- sizes ---- */

static ag_status read_sizes(tpgnn_reading *r, ag_failure *why)
{
    tpugraphs_raw *raw = &r->raw;
    if (!tpugraphs_has(raw, "node_kind", why) && tpugraphs_has(raw, "node_feat", why))
        return ag_fail(
            why, AG_EDATA,
            "%s: this is a file of TpuGraphs or the lab (it has node_feat), which tgraph "
            "and tpu read; name files of schedules",
            raw->name);
    const ag_array_info *kind =
        tpugraphs_member(raw, "node_kind", AG_SHAPE(-1), "a line of kinds per node", why);
    const ag_array_info *runtime = kind ? tpugraphs_member(raw, "schedule_runtime", AG_SHAPE(-1),
                                                           "one run time per schedule", why)
                                        : NULL;
    if (!runtime ||
        !tpugraphs_member(raw, "workload", AG_SHAPE(-1), "text, the name of the workload", why))
        return why->status;
    const int64_t nodes = kind->size[0], schedules = runtime->size[0];
    if (nodes < 1 || nodes > INT32_MAX / 8 || schedules < 1 || schedules > nodes)
        return ag_fail(why, AG_EDATA,
                       "%s: there are %lld schedules of %lld nodes together, but a file has 1 to "
                       "%d nodes and 1 schedule to as many as it has nodes",
                       raw->name, (long long)schedules, (long long)nodes, INT32_MAX / 8);
    r->nodes = nodes;
    r->task.schedules = (int)schedules;
    r->offset = read_offsets(r, "node_offset", nodes, 1, why);
    return why->status;
}

static ag_status read_store_sizes(tpgnn_reading *r, ag_failure *why)
{
    const ag_array_info *feature = tpugraphs_member(
        &r->raw, "feature_row", AG_SHAPE(-1, TPGNN_FEATURES), "164 features per row", why);
    const ag_array_info *store =
        feature ? tpugraphs_member(&r->raw, "store_row", AG_SHAPE(-1),
                                   "a row of feature_row per stored buffer", why)
                : NULL;
    if (!store) return why->status;
    const int64_t rows = feature->size[0];
    r->task.rows = (int)rows;
    r->stores = store->count;
    if (rows > INT32_MAX / TPGNN_FEATURES)
        return ag_fail(why, AG_EDATA, "%s: feature_row has %lld rows, but at most %d are supported",
                       r->raw.name, (long long)rows, INT32_MAX / TPGNN_FEATURES);
    if (store->count > INT32_MAX / 8 || (store->count && !rows))
        return ag_fail(why, AG_EDATA,
                       "%s: store_row has %lld entries for %lld rows of feature_row, but 0 to %d "
                       "are supported, and 0 where there is no row",
                       r->raw.name, (long long)store->count, (long long)rows, INT32_MAX / 8);
    return AG_OK;
}

/* ---- kinds and nodes ---- */

static ag_status read_kinds(const tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    const ag_array_info *info =
        tpugraphs_member(&r->raw, "kinds", AG_SHAPE(-1), "text, a line per kind of node", why);
    char *text = info ? tpugraphs_raw_read(&r->raw, "kinds", AG_U8, info->count, why) : NULL;
    if (text) tpgnn_kinds_cut(data, r, text, info->count, why);
    ag_free(text);
    return why->status;
}

/* The hash is of the nodes as read, so it does not depend on the vocabulary. */
static ag_status read_nodes(tpgnn_reading *r, ag_failure *why)
{
    const int64_t n = r->nodes;
    for (int i = 0; i < r->lines; i++)
        hash(r, r->line[i].text, (int64_t)strlen(r->line[i].text) + 1, 1);
    if (read_integers(r->given, r, "node_kind", n, r->lines - 1, "a line of kinds per node", why) ||
        read_integers(r->children, r, "node_children", n, n, "the number of children of each node",
                      why) ||
        read_integers(r->refers, r, "node_refers", n, n, "a declaration or 0 per node", why) ||
        !tpugraphs_member(&r->raw, "node_value", AG_SHAPE(n), "a number per node", why) ||
        read_finite(r->value, r, "node_value", n, 1, why))
        return why->status;
    hash(r, r->offset, r->task.schedules + 1, sizeof *r->offset);
    return tpgnn_trees_find(r, why);
}

/* ---- stores ---- */

static ag_status read_stores(tpgnn_reading *r, ag_failure *why)
{
    if (read_finite(r->feature, r, "feature_row", r->task.rows, TPGNN_FEATURES, why) ||
        read_integers(r->store, r, "store_row", r->stores, r->task.rows - 1,
                      "a row of feature_row per stored buffer", why))
        return why->status;
    int64_t *offset = read_offsets(r, "store_offset", r->stores, 0, why);
    if (!offset) return why->status;
    for (int i = 0; i < r->task.schedules; i++) {
        r->schedule[i].feature = r->feature;
        r->schedule[i].store = r->store + offset[i];
        r->schedule[i].stores = (int)(offset[i + 1] - offset[i]);
    }
    hash(r, offset, r->task.schedules + 1, sizeof *offset);
    ag_free(offset);
    return AG_OK;
}

/* ---- run times ---- */

enum { RUNTIME, MEDIAN, PASSES, NOISY, ORIGIN, HASH, COLUMNS };

/* A column of whole numbers; in `means` an entry per schedule. */
static const struct column {
    const char *name;
    int width;
    int64_t low, high;
    const char *means;
} columns[COLUMNS] = {
    {"schedule_runtime", 1, 1, INT64_MAX, "one run time per schedule"},
    {"schedule_median", 1, 1, INT64_MAX, "one median per schedule"},
    {"schedule_passes", 2, 1, INT64_MAX, "two run times per schedule"},
    {"schedule_noisy", 1, 0, 1, "0 or 1 per schedule"},
    {"schedule_origin", 1, 0, 3, "where each schedule comes from"},
    {"schedule_hash", 1, INT64_MIN, INT64_MAX, "one hash per schedule"},
};

static ag_status check_column(const tpgnn_reading *r, const struct column *c, const int64_t *x,
                              ag_failure *why)
{
    for (int64_t i = 0; i < (int64_t)r->task.schedules * c->width; i++) {
        const long long schedule = (long long)(i / c->width), value = (long long)x[i];
        if (x[i] >= c->low && x[i] <= c->high) continue;
        if (c->low == 1)
            return ag_fail(why, AG_EDATA,
                           "%s: %s of schedule %lld is %lld, but must be at least 1 ns",
                           r->raw.name, c->name, schedule, value);
        return ag_fail(why, AG_EDATA, "%s: %s of schedule %lld is %lld, but must be %lld to %lld",
                       r->raw.name, c->name, schedule, value, (long long)c->low,
                       (long long)c->high);
    }
    return AG_OK;
}

static void set_column(tpgnn_schedule *s, int column, const int64_t *x)
{
    if (column == RUNTIME) s->runtime = *x;
    if (column == PASSES) s->pass[0] = x[0], s->pass[1] = x[1];
    if (column == NOISY) s->noisy = *x != 0;
}

static ag_status read_column(tpgnn_reading *r, int column, ag_failure *why)
{
    const struct column *c = &columns[column];
    const ag_shape size =
        c->width == 1 ? AG_SHAPE(r->task.schedules) : AG_SHAPE(r->task.schedules, c->width);
    int64_t *x = tpugraphs_raw_array(&r->raw, c->name, AG_I64, size, c->means, why);
    if (x && !check_column(r, c, x, why)) {
        hash(r, x, (int64_t)r->task.schedules * c->width, sizeof *x);
        for (int i = 0; i < r->task.schedules; i++)
            set_column(&r->schedule[i], column, x + (int64_t)i * c->width);
    }
    ag_free(x);
    return why->status;
}

/* Checked and hashed, as the medians and the hashes above: no model reads them. */
static ag_status check_spread(tpgnn_reading *r, ag_failure *why)
{
    static const char name[] = "schedule_spread";
    const int n = r->task.schedules;
    float *x =
        tpugraphs_raw_array(&r->raw, name, AG_F32, AG_SHAPE(n), "one spread per schedule", why);
    if (!x) return why->status;
    for (int i = 0; i < n && !why->status; i++)
        if (!isfinite(x[i]) || x[i] < 0)
            ag_fail(why, AG_EDATA, "%s: %s[%d] = %g, but must be a finite number from 0 on",
                    r->raw.name, name, i, (double)x[i]);
    hash(r, x, n, sizeof *x);
    ag_free(x);
    return why->status;
}

/* ---- files ---- */

static ag_status read_file(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    static const char read[] =
        "kinds node_kind node_children node_value node_refers node_offset feature_row store_row "
        "store_offset schedule_runtime schedule_median schedule_spread schedule_passes "
        "schedule_noisy schedule_origin schedule_hash";
    r->raw.npz = ag_npz_open(r->raw.path, SIZE_MAX / 2, why);
    if (!r->raw.npz) return why->status;
    r->task.name = tpugraphs_take_name(&data->budget, &r->task.bytes, r->raw.path, why);
    if (!r->task.name) return why->status;
    hash(r, r->task.name, (int64_t)strlen(r->task.name) + 1, 1);
    if (read_sizes(r, why) || read_kinds(data, r, why) || read_store_sizes(r, why) ||
        tpgnn_reading_room(data, r, why) || read_nodes(r, why) || read_stores(r, why))
        return why->status;
    for (int c = 0; c < COLUMNS; c++)
        if (read_column(r, c, why)) return why->status;
    return check_spread(r, why) ? why->status : tpugraphs_raw_verify(&r->raw, read, why);
}

ag_status tpgnn_data_add(tpgnn_data *data, const harness_files *paths, ag_failure *why)
{
    harness_reading all = {.path = paths->path, .count = paths->count};
    for (const char *path; (path = harness_reading_next(&all, why));) {
        tpgnn_reading r = {
            .raw = {.path = path, .name = harness_files_short(path), .budget = &data->budget}};
        if (!read_file(data, &r, why)) tpgnn_reading_keep(data, &r, why);
        tpgnn_reading_end(data, &r);
    }
    if (!why->status) tpgnn_kinds_settle(data);
    return why->status;
}

ag_status tpgnn_data_read(void *files, const harness_paths *given, const char *option,
                          ag_failure *why)
{
    tpgnn_data *data = files;
    if (harness_files_read(&data->paths, given, option, why)) return why->status;
    return tpgnn_data_add(data, &data->paths, why);
}
