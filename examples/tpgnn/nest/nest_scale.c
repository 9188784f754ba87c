/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/nest/nest_scale.h"

#include <math.h>
#include <string.h>

/* A smaller deviation is what rounding leaves of a constant. */
static const double least = 1e-6;

/* Mean and sum of squared distances from it, row by row: sums of squares would cancel. */
static void add_row(tpgnn_row_scale *s, const float *row, int64_t before)
{
    for (int k = 0; k < TPGNN_ROW; k++) {
        const double off = (double)row[k] - s->mean[k];
        s->mean[k] += off / (double)(before + 1);
        s->deviation[k] += off * ((double)row[k] - s->mean[k]);
    }
}

static int most_stores(const tpgnn_data *data)
{
    int most = 1;
    for (int i = 0; i < data->schedules; i++) {
        const int n = tpgnn_nest_stores(data, &data->schedule[i]);
        if (n > most) most = n;
    }
    return most;
}

ag_status tpgnn_row_scale_fit(tpgnn_row_scale *s, const tpgnn_data *data, ag_failure *why)
{
    const int room = most_stores(data);
    const size_t bytes = (size_t)room * (TPGNN_ROW + 1) * sizeof(float);
    float *row = ag_alloc(bytes);
    if (!row) return harness_files_no_memory("the rows of a schedule", bytes, why);
    float *cost = row + (size_t)room * TPGNN_ROW;
    int64_t rows = 0;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < data->schedules && !why->status; i++) {
        const int n = tpgnn_nest_rows(row, cost, room, data, &data->schedule[i], why);
        for (int k = 0; k < n; k++) add_row(s, row + (size_t)k * TPGNN_ROW, rows++);
    }
    for (int k = 0; k < TPGNN_ROW && rows; k++)
        s->deviation[k] = sqrt(s->deviation[k] / (double)rows);
    ag_free(row);
    return why->status;
}

void tpgnn_row_scale_apply(float *out, const tpgnn_row_scale *s, const float *row)
{
    for (int k = 0; k < TPGNN_ROW; k++) {
        const double off = (double)row[k] - s->mean[k], width = s->deviation[k];
        out[k] =
            width > least ? (float)fmax(-TPGNN_ROW_MOST, fmin(TPGNN_ROW_MOST, off / width)) : 0;
    }
}

ag_status tpgnn_row_scale_check(const tpgnn_row_scale *s, ag_failure *why)
{
    for (int k = 0; k < TPGNN_ROW; k++)
        if (!isfinite(s->mean[k]) || !isfinite(s->deviation[k]) || s->deviation[k] < 0)
            return ag_fail(why, AG_EDATA,
                           "state.row.mean[%d] is %g and state.row.deviation[%d] %g; they must be "
                           "finite, and the second at least 0",
                           k, s->mean[k], k, s->deviation[k]);
    return AG_OK;
}
