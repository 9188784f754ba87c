/* SPDX-License-Identifier: MIT */
/* Draws families, then programs, kernels and configurations, for each step. */
#include "examples/tpu/steps.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/sort.h"
#include "examples/harness/harness.h"
#include "examples/harness/base/draws.h"

/* The kernels that can be drawn, sorted by family and program. */
static ag_status list_kernels(tpu_sampler *s, ag_failure *why)
{
    uint64_t *key = HARNESS_TAKE(&s->memory, key, s->data->kernels);
    s->item = HARNESS_TAKE(&s->memory, s->item, s->data->kernels);
    for (int i = 0; i < s->data->kernels; i++) {
        const tpu_kernel *k = &s->data->kernel[i];
        if (!tpu_kernel_teaches(k)) continue;
        key[s->count] = (uint64_t)k->family << 32 | (uint64_t)k->program;
        s->item[s->count++] = i;
    }
    if (ag_sort_u64(key, s->item, s->count, why) || s->count) return why->status;
    return ag_fail(why, AG_EUSE,
                   "training: none of the %d kernels can be drawn: their run times are hidden "
                   "(0)%s; name other files",
                   s->data->kernels,
                   s->data->task == TPU_TILE ? ", or those of a kernel are all equal" : "");
}

static void mark_starts(tpu_sampler *s)
{
    const tpu_kernel *kernel = s->data->kernel;
    s->program_start = HARNESS_TAKE(&s->memory, s->program_start, s->data->programs + 1);
    s->family_start = HARNESS_TAKE(&s->memory, s->family_start, s->data->families + 1);
    for (int i = 0; i < s->count; i++) {
        const tpu_kernel *k = &kernel[s->item[i]], *before = i ? &kernel[s->item[i - 1]] : NULL;
        if (before && before->program == k->program) continue;
        if (!before || before->family != k->family) s->family_start[s->families++] = s->programs;
        s->program_start[s->programs++] = i;
    }
    s->program_start[s->programs] = s->count;
    s->family_start[s->families] = s->programs;
}

static void make_scratch(tpu_sampler *s)
{
    int most = 1;
    for (int i = 0; i < s->count; i++)
        if (s->data->kernel[s->item[i]].configs > most) most = s->data->kernel[s->item[i]].configs;
    if (s->kernels > s->count) s->kernels = s->count;
    if (s->configs > most || s->data->task == TPU_FUSION) s->configs = most;
    s->config = HARNESS_TAKE(&s->memory, s->config, most);
    s->taken = HARNESS_TAKE(&s->memory, s->taken, s->count);
    s->sample = HARNESS_TAKE(&s->memory, s->sample, (size_t)s->kernels * (size_t)s->configs);
}

ag_status tpu_sampler_open(tpu_sampler *s, const tpu_data *data, const tpu_scaler *scaler,
                           const tpu_settings *settings, const tpu_batch_options *batch,
                           ag_failure *why)
{
    *s = (tpu_sampler){.data = data,
                       .scaler = scaler,
                       .settings = settings,
                       .batch = *batch,
                       .kernels = settings->kernels,
                       .configs = settings->configs};
    if (list_kernels(s, why)) return why->status;
    mark_starts(s);
    make_scratch(s);
    return AG_OK;
}

void tpu_sampler_close(void *sampler)
{
    tpu_sampler *s = sampler;
    ag_arena_free(s->memory);
    *s = (tpu_sampler){0};
}

static int32_t draw_one(const tpu_sampler *s, ag_random *random)
{
    if (!s->settings->balanced) return harness_below(random, s->count);
    const int32_t *programs = s->family_start + harness_below(random, s->families);
    const int32_t *kernels =
        s->program_start + programs[0] + harness_below(random, programs[1] - programs[0]);
    return kernels[0] + harness_below(random, kernels[1] - kernels[0]);
}

/* Draws a kernel that this step has not drawn yet. When nearly all are wanted, repeated draws would
   take long, so it is then the next one in the list. */
static int32_t draw_new(tpu_sampler *s, ag_random *random)
{
    enum { TRIES = 64 };
    int32_t i = draw_one(s, random);
    for (int k = 0; s->taken[i] == s->turn && k < TRIES; k++) i = draw_one(s, random);
    while (s->taken[i] == s->turn) i = (i + 1) % s->count;
    s->taken[i] = s->turn;
    return i;
}

int tpu_sampler_draw(tpu_sampler *s, int64_t step)
{
    ag_random random = harness_stream(HARNESS_STREAM_DRAW,
                                      (uint64_t)s->settings->harness.common.seed, (uint64_t)step);
    int samples = 0;
    s->turn++;
    for (int i = 0; i < s->kernels; i++) {
        const tpu_kernel *k = &s->data->kernel[s->item[draw_new(s, &random)]];
        for (int c = 0; c < k->configs; c++) s->config[c] = c;
        const int configs = harness_draw(s->config, k->configs, s->configs, &random);
        for (int c = 0; c < configs; c++) s->sample[samples++] = (tpu_sample){k, s->config[c]};
    }
    return samples;
}

ag_status tpu_sampler_fill(void *source, int64_t step, void *buffer, ag_failure *why)
{
    tpu_sampler *s = source;
    return tpu_batch_fill(buffer, s->sample, tpu_sampler_draw(s, step), s->scaler, &s->batch, why);
}
