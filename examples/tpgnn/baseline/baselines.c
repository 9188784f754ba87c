/* SPDX-License-Identifier: MIT */
/* The baselines that learn nothing. */
#include "examples/tpgnn/baseline/baselines.h"
#include "examples/harness/harness.h"

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
