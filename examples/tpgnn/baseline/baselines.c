/* SPDX-License-Identifier: MIT */
/* Checks of the baselines' data, and the baselines that learn nothing. */
#include "examples/tpgnn/baseline/baselines.h"
#include "examples/harness/harness.h"

#include <math.h>

static ag_status check_stores(const tpgnn_stores *s, ag_failure *why)
{
    if (s->rows < 0 || s->columns < 1 || s->schedules < 0 || s->tasks < 0)
        return ag_fail(why, AG_ESHAPE,
                       "stored buffers: %d rows, %d columns, %d schedules and %d tasks; there must "
                       "be a column, and none of the others may be below 0",
                       s->rows, s->columns, s->schedules, s->tasks);
    if (s->store_offset[0])
        return ag_fail(why, AG_EINDEX, "stored buffers: offset 0 is %lld; it must be 0",
                       (long long)s->store_offset[0]);
    for (int i = 0; i < s->schedules; i++)
        if (s->store_offset[i + 1] < s->store_offset[i])
            return ag_fail(why, AG_EINDEX,
                           "stored buffers: offset %d is %lld, below the %lld of the one before; "
                           "offsets must not fall",
                           i + 1, (long long)s->store_offset[i + 1], (long long)s->store_offset[i]);
    for (int64_t j = 0; j < s->store_offset[s->schedules]; j++)
        if (s->store_row[j] < 0 || s->store_row[j] >= s->rows)
            return ag_fail(why, AG_EINDEX,
                           "stored buffers: number %lld has row %d, but there are rows 0 to %d",
                           (long long)j, (int)s->store_row[j], s->rows - 1);
    return AG_OK;
}

static ag_status check_features(const tpgnn_stores *s, ag_failure *why)
{
    for (int r = 0; r < s->rows; r++)
        for (int c = 0; c < s->columns; c++) {
            const double x = (double)s->feature_row[(size_t)r * (size_t)s->columns + (size_t)c];
            if (!isfinite(x))
                return ag_fail(why, AG_EFINITE,
                               "stored buffers: feature %d of row %d is %g; all must be finite", c,
                               r, x);
        }
    return AG_OK;
}

static ag_status check_measured(const tpgnn_stores *s, ag_failure *why)
{
    for (int i = 0; i < s->schedules; i++) {
        if (s->task[i] < 0 || s->task[i] >= s->tasks)
            return ag_fail(why, AG_EINDEX,
                           "stored buffers: schedule %d is of task %d, but there are tasks 0 to %d",
                           i, (int)s->task[i], s->tasks - 1);
        if (s->runtime[i] < 1)
            return ag_fail(why, AG_EDATA,
                           "stored buffers: the run time of schedule %d is %lld ns; it must be at "
                           "least 1",
                           i, (long long)s->runtime[i]);
    }
    return AG_OK;
}

ag_status tpgnn_stores_check(const tpgnn_stores *s, int measured, ag_failure *why)
{
    if (check_stores(s, why) || check_features(s, why)) return why->status;
    return measured ? check_measured(s, why) : AG_OK;
}

void tpgnn_throughput(double *y, const tpgnn_stores *s)
{
    int64_t *best = harness_alloc((size_t)s->tasks * sizeof *best + 1);
    for (int i = 0; i < s->schedules; i++) {
        int64_t *b = &best[s->task[i]];
        if (!*b || s->runtime[i] < *b) *b = s->runtime[i];
    }
    for (int i = 0; i < s->schedules; i++) y[i] = (double)best[s->task[i]] / (double)s->runtime[i];
    harness_free(best);
}

void tpgnn_score_random(double *score, int schedules, uint64_t seed)
{
    ag_random random = {seed, 0x5450474e4e52, 0};
    for (int i = 0; i < schedules; i++) score[i] = -ag_random_uniform(&random);
}

void tpgnn_score_stores(double *score, const tpgnn_stores *s)
{
    for (int i = 0; i < s->schedules; i++)
        score[i] = (double)(s->store_offset[i] - s->store_offset[i + 1]);
}

void tpgnn_score_extents(double *score, const float *extent, const uint8_t *marked,
                         const int64_t *offset, int schedules)
{
    for (int i = 0; i < schedules; i++) {
        score[i] = 0;
        for (int64_t j = offset[i]; j < offset[i + 1]; j++)
            if (marked[j] && extent[j] > 1) score[i] -= log2((double)extent[j]);
    }
}
