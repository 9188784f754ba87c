/* SPDX-License-Identifier: MIT */
/* Draws tasks, then schedules of them, for each step. */
#include "examples/tpgnn/steps.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/base/draws.h"
#include "examples/harness/harness.h"

static int can_be_drawn(const tpgnn_data *data, const tpgnn_task *task)
{
    for (int i = 1; i < task->schedules; i++)
        if (data->schedule[task->first + i].runtime != data->schedule[task->first].runtime)
            return 1;
    return 0;
}

/* Lists the tasks that can be drawn, grouped by family. */
static void list_tasks(tpgnn_sampler *s)
{
    for (int f = 0; f < s->data->families; f++) {
        const int first = s->tasks;
        for (int i = 0; i < s->data->tasks; i++)
            if (s->data->task[i].family == f && can_be_drawn(s->data, &s->data->task[i]))
                s->task[s->tasks++] = i;
        if (s->tasks > first) s->family_start[s->families++] = first;
    }
    s->family_start[s->families] = s->tasks;
}

ag_status tpgnn_sampler_open(tpgnn_sampler *s, const tpgnn_data *data,
                             const tpgnn_settings *settings, const tpgnn_batch_options *batch,
                             ag_failure *why)
{
    int most = 1;
    *s = (tpgnn_sampler){.data = data, .settings = settings, .batch = *batch};
    for (int i = 0; i < data->tasks; i++)
        if (data->task[i].schedules > most) most = data->task[i].schedules;
    const int64_t together = (int64_t)settings->tasks * settings->schedules;
    if (settings->tasks < 1 || settings->schedules < 1 || together > 1 << 24)
        return ag_fail(why, AG_EUSE,
                       "training: %d tasks and %d schedules of each a step; take at least 1 of "
                       "each and at most 2^24 together",
                       settings->tasks, settings->schedules);
    s->task = HARNESS_TAKE(&s->memory, s->task, data->tasks);
    s->family_start = HARNESS_TAKE(&s->memory, s->family_start, data->families + 1);
    s->order = HARNESS_TAKE(&s->memory, s->order, most);
    s->drawn = HARNESS_TAKE(&s->memory, s->drawn, together);
    s->label = HARNESS_TAKE(&s->memory, s->label, together);
    list_tasks(s);
    if (s->tasks) return AG_OK;
    tpgnn_sampler_close(s);
    return ag_fail(why, AG_EUSE,
                   "training: none of the %d tasks has two schedules with different run times; "
                   "name other files",
                   data->tasks);
}

void tpgnn_sampler_close(void *sampler)
{
    tpgnn_sampler *s = sampler;
    ag_arena_free(s->memory);
    *s = (tpgnn_sampler){0};
}

static const tpgnn_task *draw_task(const tpgnn_sampler *s, ag_random *random)
{
    if (!s->settings->balanced) return &s->data->task[s->task[harness_below(random, s->tasks)]];
    const int32_t *tasks = s->family_start + harness_below(random, s->families);
    return &s->data->task[s->task[tasks[0] + harness_below(random, tasks[1] - tasks[0])]];
}

int tpgnn_sampler_draw(tpgnn_sampler *s, int64_t step)
{
    ag_random random = harness_stream(HARNESS_STREAM_DRAW,
                                      (uint64_t)s->settings->harness.common.seed, (uint64_t)step);
    int n = 0;
    if (s->settings->mixed) {
        for (; n < s->settings->tasks * s->settings->schedules; n++)
            s->drawn[n] = &s->data->schedule[harness_below(&random, s->data->schedules)];
        return n;
    }
    for (int i = 0; i < s->settings->tasks; i++) {
        const tpgnn_task *task = draw_task(s, &random);
        for (int k = 0; k < task->schedules; k++) s->order[k] = task->first + k;
        const int m = harness_draw(s->order, task->schedules, s->settings->schedules, &random);
        for (int k = 0; k < m; k++) s->drawn[n++] = &s->data->schedule[s->order[k]];
    }
    return n;
}

ag_status tpgnn_sampler_fill(void *source, int64_t step, void *buffer, ag_failure *why)
{
    tpgnn_sampler *s = source;
    const int n = tpgnn_sampler_draw(s, step);
    return tpgnn_batch_fill(buffer, s->data, s->drawn, n, &s->batch, why);
}
