/* SPDX-License-Identifier: MIT */
#include "examples/tpu/data/pass.h"

#include "examples/harness/harness.h"

ag_status tpu_pass_open(tpu_pass *p, const tpu_data *data, int samples, int nodes, ag_failure *why)
{
    const size_t n = (size_t)data->kernels;
    uint64_t *key = harness_alloc(n * sizeof *key);
    *p = (tpu_pass){.data = data,
                    .samples = samples,
                    .nodes = nodes,
                    .order = harness_alloc(n * sizeof *p->order),
                    .first = harness_alloc((n + 1) * sizeof *p->first),
                    .sample = harness_alloc((size_t)samples * sizeof *p->sample)};
    for (int i = 0; i < data->kernels; i++) {
        key[i] = (uint64_t)data->kernel[i].nodes;
        p->order[i] = i;
        p->first[i + 1] = p->first[i] + data->kernel[i].configs;
    }
    ag_sort_u64(key, p->order, data->kernels, why);
    harness_free(key);
    return why->status;
}

void tpu_pass_close(tpu_pass *p)
{
    harness_free(p->order);
    harness_free(p->first);
    harness_free(p->sample);
    *p = (tpu_pass){0};
}

int tpu_pass_next(tpu_pass *p)
{
    int samples = 0;
    int64_t nodes = 0;
    while (p->next < p->data->kernels && samples < p->samples) {
        const tpu_kernel *k = &p->data->kernel[p->order[p->next]];
        nodes += k->nodes;
        if (samples && nodes > p->nodes) break;
        p->sample[samples++] = (tpu_sample){k, p->config++};
        if (p->config < k->configs) continue;
        p->config = 0;
        p->next++;
    }
    return samples;
}

int64_t tpu_pass_place(const tpu_pass *p, const tpu_sample *sample)
{
    return p->first[sample->kernel - p->data->kernel] + sample->config;
}
