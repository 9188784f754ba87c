/* SPDX-License-Identifier: MIT */
/* The baselines that learn nothing. */
#include "examples/tpgnn/baseline/baselines.h"
#include "examples/harness/harness.h"

#include <math.h>
#include <string.h>

void tpgnn_throughput(double *y, const tpgnn_data *data)
{
    int64_t *best = harness_alloc((size_t)data->tasks * sizeof *best + 1);
    const tpgnn_schedule *s = data->schedule;
    for (int i = 0; i < data->schedules; i++) {
        int64_t *b = &best[s[i].task];
        if (!*b || s[i].runtime < *b) *b = s[i].runtime;
    }
    for (int i = 0; i < data->schedules; i++) y[i] = (double)best[s[i].task] / (double)s[i].runtime;
    harness_free(best);
}

void tpgnn_score_random(double *score, int schedules, uint64_t seed)
{
    ag_random random = {seed, 0x5450474e4e52, 0};
    for (int i = 0; i < schedules; i++) score[i] = -ag_random_uniform(&random);
}

void tpgnn_score_stores(double *score, const tpgnn_data *data)
{
    for (int i = 0; i < data->schedules; i++) score[i] = -data->schedule[i].stores;
}

void tpgnn_score_vectorised(double *score, const tpgnn_data *data)
{
    uint8_t *is = harness_alloc((size_t)data->kinds + 1);
    for (int k = 0; k < data->kinds; k++)
        is[k] = strcmp(data->kind[k].word[TPGNN_LOOP], "vectorized") == 0;
    for (int i = 0; i < data->schedules; i++) {
        const tpgnn_schedule *s = &data->schedule[i];
        score[i] = 0;
        for (int v = 0; v < s->nodes; v++)
            if (is[s->kind[v]] && s->value[v] > 1) score[i] -= log2((double)s->value[v]);
    }
    harness_free(is);
}
