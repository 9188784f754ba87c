/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/data/stores.h"
#include "examples/harness/harness.h"

#include <math.h>
#include <string.h>

/* The number of rows of features that the schedules of a task use. */
static int rows_of(const tpgnn_data *data, const tpgnn_task *task)
{
    int rows = 0;
    for (int i = task->first; i < task->first + task->schedules; i++) {
        const tpgnn_schedule *s = &data->schedule[i];
        for (int j = 0; j < s->stores; j++)
            if (s->store[j] >= rows) rows = s->store[j] + 1;
    }
    return rows;
}

/* first [tasks + 1]: where the rows of each task begin. */
static void take_rows(tpgnn_stores *stores, int *first, const tpgnn_data *data)
{
    for (int t = 0; t < data->tasks; t++) first[t + 1] = first[t] + rows_of(data, &data->task[t]);
    stores->rows = first[data->tasks];
    const size_t row = TPGNN_FEATURES * sizeof(float);
    float *feature = harness_alloc((size_t)stores->rows * row + 1);
    for (int t = 0; t < data->tasks; t++) {
        const tpgnn_schedule *s = &data->schedule[data->task[t].first];
        const size_t count = (size_t)(first[t + 1] - first[t]);
        if (count) memcpy(feature + (size_t)first[t] * TPGNN_FEATURES, s->feature, count * row);
    }
    stores->feature_row = feature;
}

void tpgnn_stores_take(tpgnn_stores *stores, const tpgnn_data *data)
{
    const size_t n = (size_t)data->schedules;
    int *first = harness_alloc(((size_t)data->tasks + 1) * sizeof *first);
    int32_t *row = harness_alloc((size_t)data->stores * sizeof *row + 1);
    int64_t *offset = harness_alloc((n + 1) * sizeof *offset);
    int64_t *runtime = harness_alloc(n * sizeof *runtime + 1);
    int32_t *task = harness_alloc(n * sizeof *task + 1);
    *stores = (tpgnn_stores){
        .columns = TPGNN_FEATURES, .schedules = data->schedules, .tasks = data->tasks};
    take_rows(stores, first, data);
    for (int i = 0; i < data->schedules; i++) {
        const tpgnn_schedule *s = &data->schedule[i];
        for (int j = 0; j < s->stores; j++) row[offset[i] + j] = first[s->task] + s->store[j];
        offset[i + 1] = offset[i] + s->stores;
        runtime[i] = s->runtime;
        task[i] = s->task;
    }
    stores->store_row = row;
    stores->store_offset = offset;
    stores->runtime = runtime;
    stores->task = task;
    harness_free(first);
}

void tpgnn_stores_drop(tpgnn_stores *stores)
{
    harness_free((void *)stores->feature_row);
    harness_free((void *)stores->store_row);
    harness_free((void *)stores->store_offset);
    harness_free((void *)stores->runtime);
    harness_free((void *)stores->task);
    *stores = (tpgnn_stores){0};
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
