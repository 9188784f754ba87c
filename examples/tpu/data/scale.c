/* SPDX-License-Identifier: MIT */
/* Finds the ranges of columns and scales features by them. */
#include "examples/tpu/data/scale.h"

#include "examples/harness/rank/unseen.h"

#include <float.h>
#include <string.h>

void tpu_scaler_begin(tpu_scaler *s, int logs, int clamp)
{
    *s = (tpu_scaler){.logs = logs,
                      .clamp = clamp,
                      .node.columns = TPUGRAPHS_FEATURES,
                      .tile.columns = TPUGRAPHS_TILE_FEATURES,
                      .analysis.columns = TPU_STATIC};
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

int tpu_scaler_far(const tpu_scaler *s, const tpu_kernel *kernel)
{
    const int columns = s->node.columns;
    double low[TPUGRAPHS_FEATURES], high[TPUGRAPHS_FEATURES];
    float room[TPUGRAPHS_FEATURES];
    int64_t far = 0;
    for (int k = 0; k < columns; k++) {
        const double beyond = (s->node.high[k] - s->node.low[k]) / 4;
        low[k] = s->node.low[k] - beyond;
        high[k] = s->node.high[k] + beyond;
    }
    for (int v = 0; v < kernel->nodes; v++)
        far += harness_far_rows(
            taken(room, kernel->feature + (size_t)v * (size_t)columns, columns, s->logs), 1,
            columns, low, high);
    return (int)far;
}

void tpu_scaler_fit(tpu_scaler *s, const tpu_data *data, int logs, int clamp)
{
    tpu_scaler_begin(s, logs, clamp);
    for (int i = 0; i < data->kernels; i++) tpu_scaler_add(s, &data->kernel[i]);
}

static double between(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

void tpu_scale(ag_real *y, const tpu_scaler *s, const tpu_range *range, const float *x,
               int64_t rows)
{
    float room[TPUGRAPHS_FEATURES];
    const double low = s->clamp ? 0 : -(double)FLT_MAX, high = s->clamp ? 1 : (double)FLT_MAX;
    for (int64_t i = 0; i < rows; i++) {
        const float *row = taken(room, x + i * range->columns, range->columns, s->logs);
        ag_real *out = y + i * range->columns;
        for (int k = 0; k < range->columns; k++) {
            const double width = range->high[k] - range->low[k];
            const double value = ((double)row[k] - range->low[k]) / width;
            out[k] = width > 0 ? (ag_real)between(value, low, high) : 0;
        }
    }
}
