/* SPDX-License-Identifier: MIT */
/* Turns an npz file into arrays, and checks every shape against the others, every index against
   its range. */
#include "examples/tpugraphs/tpugraphs.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/base/base.h"

#include <math.h>
#include <string.h>

static const char *shape_text(char text[128], int rank, const int64_t size[AG_MAX_AXES])
{
    int n = snprintf(text, 128, "[");
    for (int i = 0; i < rank && i < AG_MAX_AXES; i++)
        if (size[i] < 0)
            n += snprintf(text + n, (size_t)(128 - n), i ? ",any" : "any");
        else
            n += snprintf(text + n, (size_t)(128 - n), i ? ",%lld" : "%lld", (long long)size[i]);
    snprintf(text + n, (size_t)(128 - n), "]");
    return text;
}

/* The names of a file's arrays, for the sentence about one that is missing. */
static void member_names(char text[200], const ag_npz *npz)
{
    int n = 0;
    snprintf(text, 200, "no array that can be read");
    for (int i = 0; i < ag_npz_count(npz) && n < 140; i++)
        n += snprintf(text + n, (size_t)(200 - n), "%s%.40s", i ? ", " : "",
                      ag_npz_info(npz, i)->name);
}

const ag_array_info *tpugraphs_member(const tpugraphs_raw *raw, const char *name, ag_shape size,
                                      const char *means, ag_failure *why)
{
    const ag_array_info *info = ag_npz_find(raw->npz, name);
    if (!info) {
        char names[200];
        if (ag_npz_check(raw->npz, name, why)) return NULL;
        member_names(names, raw->npz);
        ag_fail(why, AG_EDATA, "%s: there is no array %s, which must hold %s (the file has: %s)",
                raw->name, name, means, names);
        return NULL;
    }
    int fits = info->rank == size.rank;
    for (int i = 0; i < size.rank && fits; i++)
        fits = size.size[i] < 0 || info->size[i] == size.size[i];
    if (fits) return info;
    int64_t wanted[AG_MAX_AXES];
    for (int i = 0; i < AG_MAX_AXES; i++) wanted[i] = size.size[i];
    char is[128], must[128];
    ag_fail(why, AG_EDATA, "%s: %s has shape %s, but must be %s: %s", raw->name, name,
            shape_text(is, info->rank, info->size), shape_text(must, size.rank, wanted), means);
    return NULL;
}

int tpugraphs_has(const tpugraphs_raw *raw, const char *name, ag_failure *why)
{
    return !ag_npz_check(raw->npz, name, why) && ag_npz_find(raw->npz, name);
}

/* The array; after a failure it is released, and NULL. */
static void *unless_failed(void *array, const ag_failure *why)
{
    if (!why->status) return array;
    ag_free(array);
    return NULL;
}

void *tpugraphs_raw_read(const tpugraphs_raw *raw, const char *name, ag_dtype as, int64_t count,
                         ag_failure *why)
{
    size_t bytes = ag_size_mul((size_t)count, ag_dtype_bytes(as));
    if (tpugraphs_fits(raw->budget, bytes, raw->name, name, why)) return NULL;
    void *out = tpugraphs_alloc(bytes, raw->name, why);
    if (out) ag_npz_read(raw->npz, name, as, out, why);
    return unless_failed(out, why);
}

void *tpugraphs_raw_array(const tpugraphs_raw *raw, const char *name, ag_dtype as, ag_shape size,
                          const char *means, ag_failure *why)
{
    const ag_array_info *info = tpugraphs_member(raw, name, size, means, why);
    return info ? tpugraphs_raw_read(raw, name, as, info->count, why) : NULL;
}

int64_t *tpugraphs_raw_offsets(const tpugraphs_raw *raw, const char *name, int count, int64_t end,
                               int least, const char *means, ag_failure *why)
{
    int64_t *x = tpugraphs_raw_array(raw, name, AG_I64, AG_SHAPE(count + 1), means, why);
    if (!x) return NULL;
    if (x[0] != 0 || x[count] != end)
        ag_fail(why, AG_EDATA, "%s: %s goes from %lld to %lld, but must go from 0 to %lld",
                raw->name, name, (long long)x[0], (long long)x[count], (long long)end);
    for (int i = 1; i <= count && !why->status; i++)
        if (x[i] > end || x[i] < x[i - 1] + least)
            ag_fail(why, AG_EDATA,
                    "%s: %s[%d] = %lld follows %lld, but it must be at least %d more and at most "
                    "%lld",
                    raw->name, name, i, (long long)x[i], (long long)x[i - 1], least,
                    (long long)end);
    return unless_failed(x, why);
}

/* Op codes [nodes], for the caller to release with ag_free; NULL with a sentence. */
static int32_t *read_codes(const tpugraphs_raw *raw, const char *name, int opcodes, ag_failure *why)
{
    int32_t *code = tpugraphs_raw_array(raw, name, AG_I32, AG_SHAPE(raw->nodes),
                                        "one code per row of node_feat", why);
    for (int i = 0; code && i < raw->nodes && !why->status; i++)
        if (code[i] < 0 || code[i] > 255)
            ag_fail(why, AG_EDATA, "%s: %s[%d] = %d, but op codes are 0 to 255", raw->name, name, i,
                    code[i]);
        else if (code[i] >= opcodes)
            ag_fail(why, AG_EDATA,
                    "%s: %s[%d] = %d, but the model's op table has rows 0 to %d; leave the file "
                    "out, or give newer op codes the code 0 (unknown)",
                    raw->name, name, i, code[i], opcodes - 1);
    return unless_failed(code, why);
}

static ag_status read_nodes(tpugraphs_raw *raw, int opcodes, ag_failure *why)
{
    const ag_array_info *info = tpugraphs_member(raw, "node_feat", AG_SHAPE(-1, TPUGRAPHS_FEATURES),
                                                 "one row of 140 features per node", why);
    if (!info) return why->status;
    int64_t nodes = info->size[0];
    if (nodes < 1 || nodes > INT32_MAX / TPUGRAPHS_FEATURES)
        return ag_fail(why, AG_EDATA, "%s: node_feat has %lld nodes, but a graph has 1 to %d",
                       raw->name, (long long)nodes, INT32_MAX / TPUGRAPHS_FEATURES);
    raw->nodes = (int)nodes;
    raw->opcode = read_codes(raw, "node_opcode", opcodes, why);
    if (raw->opcode && tpugraphs_has(raw, "node_reducer", why))
        raw->reducer = read_codes(raw, "node_reducer", opcodes, why);
    return why->status;
}

/* Numbers that were checked, in half of the memory; releases `wide`. NULL after a failure. */
static int32_t *narrow(int64_t *wide, int64_t count, const tpugraphs_raw *raw, ag_failure *why)
{
    int32_t *out = NULL;
    if (!why->status) out = tpugraphs_alloc((size_t)count * sizeof *out, raw->name, why);
    for (int64_t i = 0; i < count && out; i++) out[i] = (int32_t)wide[i];
    ag_free(wide);
    return out;
}

int32_t *tpugraphs_raw_pairs(int *count, const tpugraphs_raw *raw, const char *name,
                             ag_failure *why)
{
    const ag_array_info *info =
        tpugraphs_member(raw, name, AG_SHAPE(-1, 2), "one pair (consumer, producer) per edge", why);
    if (!info) return NULL;
    int64_t edges = info->size[0];
    if (edges > INT32_MAX / 2) {
        ag_fail(why, AG_EDATA, "%s: %s has %lld edges, but at most %d are supported", raw->name,
                name, (long long)edges, INT32_MAX / 2);
        return NULL;
    }
    *count = (int)edges;
    int64_t *wide = tpugraphs_raw_read(raw, name, AG_I64, edges * 2, why);
    for (int64_t e = 0; wide && e < edges && !why->status; e++) {
        const int64_t u = wide[2 * e], v = wide[2 * e + 1];
        if (u < 0 || u >= raw->nodes || v < 0 || v >= raw->nodes)
            ag_fail(why, AG_EDATA, "%s: %s[%lld] = (%lld, %lld), but nodes are 0 to %d", raw->name,
                    name, (long long)e, (long long)u, (long long)v, raw->nodes - 1);
    }
    return narrow(wide, edges * 2, raw, why);
}

ag_status tpugraphs_raw_open(tpugraphs_raw *raw, const char *path, tpugraphs_budget *budget,
                             int opcodes, ag_failure *why)
{
    /* Arrays that are held whole are checked against the budget before they are allocated, and the
       packed store may go to disk, so the reader itself sets no limit here beyond the size claimed
       per compressed byte. */
    *raw = (tpugraphs_raw){.path = path, .name = harness_files_short(path), .budget = budget};
    raw->npz = ag_npz_open(path, SIZE_MAX / 2, why);
    if (!raw->npz) return why->status;
    if (!read_nodes(raw, opcodes, why))
        raw->edge = tpugraphs_raw_pairs(&raw->edges, raw, "edge_index", why);
    return why->status;
}

/* node_splits [1,s] or [s] rises from 0 to the number of nodes. It is not used, but a wrong one is
   a sign of damage. */
static ag_status check_splits(const tpugraphs_raw *raw, ag_failure *why)
{
    if (!tpugraphs_has(raw, "node_splits", why)) return why->status;
    const ag_array_info *info = ag_npz_find(raw->npz, "node_splits");
    if (info->count == 0) return AG_OK;
    int64_t *split = tpugraphs_raw_read(raw, "node_splits", AG_I64, info->count, why);
    if (!split) return why->status;
    for (int64_t i = 0; i < info->count && !why->status; i++)
        if (split[i] < (i ? split[i - 1] : 0) || split[i] > raw->nodes)
            ag_fail(why, AG_EDATA, "%s: node_splits[%lld] = %lld, but splits rise from 0 to %d",
                    raw->name, (long long)i, (long long)split[i], raw->nodes);
    ag_free(split);
    return why->status;
}

ag_status tpugraphs_raw_config_nodes(tpugraphs_raw *raw, ag_failure *why)
{
    const ag_array_info *info = tpugraphs_member(raw, "node_config_ids", AG_SHAPE(-1),
                                                 "one index per configurable node", why);
    if (!info) return why->status;
    int64_t count = info->size[0];
    if (count < 1 || count > raw->nodes)
        return ag_fail(why, AG_EDATA,
                       "%s: node_config_ids has %lld entries, but a graph of %d nodes has 1 to %d "
                       "configurable nodes",
                       raw->name, (long long)count, raw->nodes, raw->nodes);
    raw->configurable = (int)count;
    int64_t *id = tpugraphs_raw_read(raw, "node_config_ids", AG_I64, count, why);
    for (int64_t i = 0; id && i < count && !why->status; i++)
        if (id[i] < 0 || id[i] >= raw->nodes)
            ag_fail(why, AG_EDATA, "%s: node_config_ids[%lld] = %lld, but nodes are 0 to %d",
                    raw->name, (long long)i, (long long)id[i], raw->nodes - 1);
        else if (i && id[i] <= id[i - 1])
            ag_fail(why, AG_EDATA,
                    "%s: node_config_ids[%lld] = %lld follows %lld, but must be strictly ascending",
                    raw->name, (long long)i, (long long)id[i], (long long)id[i - 1]);
    raw->config_node = narrow(id, count, raw, why);
    return why->status ? why->status : check_splits(raw, why);
}

ag_status tpugraphs_raw_positive(const tpugraphs_raw *raw, const char *name, const int64_t *value,
                                 ag_failure *why)
{
    for (int i = 0; i < raw->configs; i++)
        if (value[i] <= 0)
            return ag_fail(why, AG_EDATA, "%s: %s[%d] = %lld, but it must be at least 1 ns",
                           raw->name, name, i, (long long)value[i]);
    return AG_OK;
}

ag_status tpugraphs_raw_runtimes(tpugraphs_raw *raw, int64_t *runtime, ag_failure *why)
{
    if (!tpugraphs_member(raw, "config_runtime", AG_SHAPE(raw->configs),
                          "one run time per configuration", why) ||
        ag_npz_read(raw->npz, "config_runtime", AG_I64, runtime, why))
        return why->status;
    raw->has_runtimes = 0;
    for (int i = 0; i < raw->configs; i++) raw->has_runtimes |= runtime[i] != 0;
    return raw->has_runtimes ? tpugraphs_raw_positive(raw, "config_runtime", runtime, why) : AG_OK;
}

void tpugraphs_take_logs(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] != 0.0F) x[i] = copysignf(log1pf(fabsf(x[i])), x[i]); /* most features are 0 */
}

ag_status tpugraphs_raw_finite(const tpugraphs_raw *raw, const char *name, float *value,
                               size_t rows, size_t columns, ag_failure *why)
{
    if (ag_npz_read(raw->npz, name, AG_F32, value, why)) return why->status;
    for (size_t i = 0; i < rows * columns; i++)
        if (!isfinite(value[i]))
            return ag_fail(why, AG_EDATA, "%s: %s[%zu%s] = %g, but it must be finite", raw->name,
                           name, i / columns,
                           columns > 1 ? harness_format(",%zu", i % columns) : "",
                           (double)value[i]);
    return AG_OK;
}

/* Reads an unused member in pieces, to check it. */
static ag_status verify(tpugraphs_raw *raw, const ag_array_info *info, ag_failure *why)
{
    enum { PIECE = 65536 };
    size_t value = ag_dtype_bytes(info->dtype);
    int64_t rows = info->rank ? info->size[0] : 1, done = 0;
    size_t row = rows ? (size_t)(info->count / rows) * value : 0;
    int64_t step = row && row < PIECE ? (int64_t)(PIECE / row) : rows && !row ? rows : 1;
    size_t bytes = row * (size_t)step;
    if (tpugraphs_fits(raw->budget, bytes, raw->name, info->name, why)) return why->status;
    ag_rows *stream = ag_rows_open(raw->npz, info->name, why);
    void *buffer = stream ? tpugraphs_alloc(bytes, raw->name, why) : NULL;
    while (!why->status) { /* at least once: the call that reads the last row verifies the CRC */
        int64_t n = rows - done < step ? rows - done : step;
        if (ag_rows_next(stream, n, info->dtype, buffer, why) || (done += n) == rows) break;
    }
    ag_free(buffer);
    ag_rows_close(stream);
    return why->status;
}

/* Whether a word is among those between the blanks of `words`. */
static int is_among(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (size_t n; (n = strcspn(words, " ")) != 0; words += n + (words[n] == ' '))
        if (n == length && !memcmp(words, word, n)) return 1;
    return 0;
}

ag_status tpugraphs_raw_verify(tpugraphs_raw *raw, const char *read, ag_failure *why)
{
    for (int i = 0; i < ag_npz_count(raw->npz) && !why->status; i++)
        if (!is_among(read, ag_npz_info(raw->npz, i)->name))
            verify(raw, ag_npz_info(raw->npz, i), why);
    return why->status;
}

void tpugraphs_raw_close(tpugraphs_raw *raw)
{
    if (raw->npz) ag_npz_close(raw->npz);
    ag_free(raw->opcode);
    ag_free(raw->reducer);
    ag_free(raw->edge);
    ag_free(raw->config_node);
}
