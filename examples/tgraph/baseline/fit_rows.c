/* SPDX-License-Identifier: MIT */
/* The rows of a fit: which configurations and columns it has, and their standardisation. */
#include "examples/tgraph/baseline/fit.h"

#include <math.h>

enum { RANDOM_ROWS = 65 }; /* a Philox stream of their own */

/* A configuration of a part, and its target. */
typedef struct fit_row {
    int32_t part, config;
    double y;
} fit_row;

static bool is_usable(const tgraph_part *part)
{
    return part->file->has_runtimes && part->count >= 2;
}

/* Log run times of the rows of one program, to mean 0 and deviation 1; without spread they
   stay 0. */
static void standardise_target(fit_row *row, int count)
{
    double mean = 0, square = 0;
    for (int i = 0; i < count; i++) mean += row[i].y / count;
    for (int i = 0; i < count; i++) square += (row[i].y - mean) * (row[i].y - mean) / count;
    double scale = square > 1e-24 ? 1 / sqrt(square) : 0;
    for (int i = 0; i < count; i++) row[i].y = (row[i].y - mean) * scale;
}

/* Draws at most `quota` rows of a part at random and returns their number. */
static int draw_part(fit_row *row, const tgraph_part *part, int index, int quota, int32_t *order)
{
    ag_random random = harness_stream(RANDOM_ROWS, 0, (uint64_t)index);
    for (int i = 0; i < part->count; i++) order[i] = i;
    const int n = harness_draw(order, part->count, quota, &random);
    for (int i = 0; i < n; i++) {
        int config = tgraph_part_config(part, order[i]);
        row[i] = (fit_row){index, config, log((double)part->file->runtime[config])};
    }
    standardise_target(row, n);
    return n;
}

/* The rows of a few programs are shuffled together, so that the last rows cover all of them. From
   five programs on, the rows of a program stay together. */
static int apart(int programs) { return programs >= 5; }

static void mix_rows(fit_row *row, int rows)
{
    ag_random random = harness_stream(RANDOM_ROWS, 0, UINT32_MAX);
    for (int i = rows - 1; i > 0; i--) {
        int j = (int)ag_random_below(&random, (uint32_t)i + 1);
        fit_row t = row[i];
        row[i] = row[j];
        row[j] = t;
    }
}

/* The rows of all parts; *programs: how many parts they are of. */
static fit_row *draw_rows(int *rows, int *programs, const tgraph_fit *f, const tgraph_part *parts,
                          int count)
{
    int largest = 1, quota;
    *programs = *rows = 0;
    for (int p = 0; p < count; p++)
        if (is_usable(&parts[p])) {
            ++*programs;
            largest = parts[p].count > largest ? parts[p].count : largest;
        }
    quota = *programs ? f->most_rows / *programs : 2;
    quota = quota < 2 ? 2 : quota > largest ? largest : quota;
    const size_t room = ag_size_mul((size_t)*programs, (size_t)quota);
    fit_row *row = HARNESS_NEW(row, room);
    int32_t *order = HARNESS_NEW(order, largest);
    for (int p = 0; p < count; p++)
        if (is_usable(&parts[p])) *rows += draw_part(row + *rows, &parts[p], p, quota, order);
    if (!apart(*programs)) mix_rows(row, *rows);
    harness_free(order);
    return row;
}

/* Picks the counts that vary over the rows. */
static void pick_counts(tgraph_fit *f, const fit_row *row, int rows, const tgraph_part *parts,
                        const float *pooled)
{
    enum { ALL = TGRAPH_COUNT_COLUMNS };
    float *first = HARNESS_NEW(first, ALL);
    uint8_t *varies = harness_alloc(ALL);
    f->key = HARNESS_NEW(f->key, ALL);
    for (int r = 0; r < rows; r++) {
        const float *pool = pooled + (size_t)row[r].part * TGRAPH_POOLED;
        tgraph_count_row(r ? f->raw : first, parts[row[r].part].file, row[r].config, pool);
        for (int k = 0; r && k < ALL; k++) varies[k] |= f->raw[k] != first[k];
    }
    for (int k = 0; k < ALL; k++)
        if (varies[k]) f->key[f->columns++] = k;
    harness_free(first);
    harness_free(varies);
}

void tgraph_fit_columns(float *x, tgraph_fit *f, const tgraph_part *part, int config,
                        const float *pooled)
{
    if (f->within)
        tgraph_onehot_row(x, f->key, f->columns, part->file, config);
    else {
        tgraph_count_row(f->raw, part->file, config, pooled);
        for (int k = 0; k < f->columns; k++) x[k] = f->raw[f->key[k]];
    }
    for (int k = 0; k < f->columns; k++) x[k] = (x[k] - f->mean[k]) * f->scale[k];
}

/* Mean 0 and deviation 1 for every column; a constant one becomes 0. */
static void standardise_columns(tgraph_fit *f)
{
    const size_t p = (size_t)f->columns, n = (size_t)f->rows;
    double *sum = HARNESS_NEW(sum, 2 * p), *square = sum + p;
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < p; k++) sum[k] += (double)f->x[r * p + k];
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < p; k++) {
            double d = (double)f->x[r * p + k] - sum[k] / (double)n;
            square[k] += d * d;
        }
    for (size_t k = 0; k < p; k++) {
        f->mean[k] = (float)(sum[k] / (double)n);
        f->scale[k] = square[k] > 0 ? (float)(1 / sqrt(square[k] / (double)n)) : 0;
    }
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < p; k++)
            f->x[r * p + k] = (f->x[r * p + k] - f->mean[k]) * f->scale[k];
    harness_free(sum);
}

/* The number of rows in front of the last fifth, which is a fifth of the rows or of the
   programs. */
static int head_of(const fit_row *row, int rows, int programs)
{
    int seen = 0, want = programs - programs / 5;
    if (!apart(programs)) return rows - rows / 5;
    for (int r = 0; r < rows; r++) {
        seen += !r || row[r].part != row[r - 1].part;
        if (seen > want) return r;
    }
    return rows;
}

static void fill(tgraph_fit *f, const fit_row *row, const tgraph_part *parts, const float *pooled)
{
    const size_t p = (size_t)f->columns, n = (size_t)f->rows;
    f->mean = HARNESS_NEW(f->mean, p);
    f->scale = HARNESS_NEW(f->scale, p);
    f->x = HARNESS_NEW(f->x, ag_size_mul(n, p));
    f->y = HARNESS_NEW(f->y, n);
    for (size_t k = 0; k < p; k++) f->scale[k] = 1;
    for (size_t r = 0; r < n; r++) {
        const float *pool = f->within ? NULL : pooled + (size_t)row[r].part * TGRAPH_POOLED;
        tgraph_fit_columns(f->x + r * p, f, &parts[row[r].part], row[r].config, pool);
        f->y[r] = row[r].y;
    }
    standardise_columns(f);
}

/* Returns the pooled columns of all parts; NULL within a file. */
static float *choose_columns(tgraph_fit *f, const fit_row *row, int rows, const tgraph_part *parts,
                             int count, ag_failure *why)
{
    if (f->within) {
        int32_t *config = HARNESS_NEW(config, rows);
        for (int r = 0; r < rows; r++) config[r] = row[r].config;
        f->key = tgraph_onehot_keys(&f->columns, &f->found, parts[0].file, config, rows,
                                    f->most_columns, why);
        harness_free(config);
        return NULL;
    }
    f->raw = HARNESS_NEW(f->raw, TGRAPH_COUNT_COLUMNS);
    float *pooled = HARNESS_NEW(pooled, ag_size_mul((size_t)count, TGRAPH_POOLED));
    for (int p = 0; p < count; p++)
        tgraph_pool(pooled + (size_t)p * TGRAPH_POOLED, &parts[p].file->graph);
    pick_counts(f, row, rows, parts, pooled);
    return pooled;
}

static const char *describe(const tgraph_fit *f, int programs, int64_t all)
{
    const char *of = f->within ? "this file"
                               : harness_format("%d program%s", programs, programs == 1 ? "" : "s");
    return harness_format("%d of %lld configurations of %s, %d columns%s", f->rows, (long long)all,
                          of, f->columns,
                          f->found > f->columns ? harness_format(" of %d", f->found) : "");
}

ag_status tgraph_fit_read(tgraph_fit *f, const char **note, const tgraph_part *parts, int count,
                          ag_failure *why)
{
    int rows, programs;
    int64_t all = 0;
    float *pooled = NULL;
    fit_row *row = draw_rows(&rows, &programs, f, parts, count);
    for (int p = 0; p < count; p++) all += is_usable(&parts[p]) ? parts[p].count : 0;
    if (rows) pooled = choose_columns(f, row, rows, parts, count, why);
    if (rows && !why->status) {
        /* Every n-th row stays, so that the matrix is within its limit. */
        const int64_t step = ((int64_t)rows * f->columns + f->most_cells - 1) / f->most_cells;
        for (int64_t r = 0; r < rows; r += step ? step : 1) row[f->rows++] = row[r];
        f->head = head_of(row, f->rows, programs);
        fill(f, row, parts, pooled);
    }
    *note = describe(f, programs, all);
    harness_free(row);
    harness_free(pooled);
    return why->status;
}
