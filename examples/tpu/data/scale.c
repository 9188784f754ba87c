/* SPDX-License-Identifier: MIT */
#include "examples/tpu/data/scale.h"

#include "examples/tpu/nest/nest_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void begin(tpu_range *range, int columns)
{
    memset(range, 0, sizeof *range);
    range->columns = columns;
}

void tpu_scaler_begin(tpu_scaler *s, int logs, int clamp)
{
    s->logs = logs;
    s->clamp = clamp;
    begin(&s->node, TPUGRAPHS_FEATURES);
    begin(&s->tile, TPUGRAPHS_TILE_FEATURES);
    begin(&s->analysis, TPU_STATIC);
    s->nest = (tpu_moments){.columns = TPU_NEST_COLUMNS};
}

/* A row after the logarithms, if they are taken. */
static const float *taken(float room[TPUGRAPHS_FEATURES], const float *x, int columns, int logs)
{
    if (!logs) return x;
    memcpy(room, x, (size_t)columns * sizeof *x);
    tpugraphs_take_logs(room, columns);
    return room;
}

static void widen(tpu_range *range, const float *x, int64_t rows, int logs)
{
    float room[TPUGRAPHS_FEATURES];
    for (int64_t i = 0; i < rows; i++) {
        const float *row = taken(room, x + i * range->columns, range->columns, logs);
        for (int k = 0; k < range->columns; k++) {
            const double value = (double)row[k];
            if (!range->rows || value < range->low[k]) range->low[k] = value;
            if (!range->rows || value > range->high[k]) range->high[k] = value;
        }
        range->rows++;
    }
}

void tpu_scaler_add(tpu_scaler *s, const tpu_kernel *kernel)
{
    widen(&s->node, kernel->feature, kernel->nodes, s->logs);
    widen(&s->analysis, kernel->analysis, 1, s->logs);
    if (kernel->tile) widen(&s->tile, kernel->tile, kernel->configs, s->logs);
}

void tpu_scaler_fit(tpu_scaler *s, const tpu_data *data, int logs, int clamp)
{
    tpu_scaler_begin(s, logs, clamp);
    for (int i = 0; i < data->kernels; i++) tpu_scaler_add(s, &data->kernel[i]);
}

/* Adds x, or the square of its distance from the mean, to the sums of the columns. */
static void add_rows(double *sum, const tpu_rows *rows, const double *mean)
{
    for (int r = 0; r < rows->first[rows->configs]; r++)
        for (int k = 0; k < TPU_NEST_COLUMNS; k++) {
            const double x = (double)rows->x[(size_t)r * TPU_NEST_COLUMNS + (size_t)k];
            sum[k] += mean ? (x - mean[k]) * (x - mean[k]) : x;
        }
}

/* out: the mean of the columns, or of the squares of their distances from `mean`. */
static void average(double *out, const tpu_data *data, const double *mean)
{
    enum { MOST = 64 };
    tpu_rows rows = {0};
    double count = 0;
    for (int k = 0; k < TPU_NEST_COLUMNS; k++) out[k] = 0;
    for (int i = 0; i < data->kernels; i++) {
        tpu_rows_set(&rows, &data->kernel[i], 0, (data->kernel[i].configs - 1) / MOST + 1);
        add_rows(out, &rows, mean);
        count += rows.first[rows.configs];
    }
    for (int k = 0; k < TPU_NEST_COLUMNS; k++) out[k] /= fmax(count, 1);
    tpu_rows_free(&rows);
}

void tpu_scaler_fit_nests(tpu_scaler *s, const tpu_data *data)
{
    average(s->nest.mean, data, NULL);
    average(s->nest.deviation, data, s->nest.mean);
    for (int k = 0; k < TPU_NEST_COLUMNS; k++) s->nest.deviation[k] = sqrt(s->nest.deviation[k]);
}

static double between(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static void scale(const tpu_range *range, int logs, int clamp, ag_real *y, const float *x,
                  int64_t rows)
{
    float room[TPUGRAPHS_FEATURES];
    const double low = clamp ? 0 : -(double)FLT_MAX, high = clamp ? 1 : (double)FLT_MAX;
    for (int64_t i = 0; i < rows; i++) {
        const float *row = taken(room, x + i * range->columns, range->columns, logs);
        ag_real *out = y + i * range->columns;
        for (int k = 0; k < range->columns; k++) {
            const double width = range->high[k] - range->low[k];
            const double value = ((double)row[k] - range->low[k]) / width;
            out[k] = width > 0 ? (ag_real)between(value, low, high) : 0;
        }
    }
}

void tpu_scale_nodes(const tpu_scaler *s, ag_real *y, const float *x, int64_t rows)
{
    scale(&s->node, s->logs, s->clamp, y, x, rows);
}

void tpu_scale_tiles(const tpu_scaler *s, ag_real *y, const float *x, int64_t rows)
{
    scale(&s->tile, s->logs, s->clamp, y, x, rows);
}

void tpu_scale_analysis(const tpu_scaler *s, ag_real *y, const float *x, int64_t rows)
{
    scale(&s->analysis, s->logs, s->clamp, y, x, rows);
}

void tpu_scale_nests(const tpu_scaler *s, ag_real *y, const float *x, int64_t rows)
{
    static const double least = 1e-6, most = 5;
    const tpu_moments *m = &s->nest;
    for (int64_t i = 0; i < rows * m->columns; i++) {
        const int64_t k = i % m->columns;
        const double off = ((double)x[i] - m->mean[k]) / m->deviation[k];
        y[i] = m->deviation[k] > least ? (ag_real)between(off, -most, most) : 0;
    }
}
