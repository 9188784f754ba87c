/* SPDX-License-Identifier: MIT */
#include "examples/tpu/data/pass.h"

static ag_status sort_kernels(tpu_pass *p, ag_failure *why)
{
    const int n = p->data->kernels;
    const size_t bytes = ((size_t)n + 1) * sizeof(int64_t);
    uint64_t *key = ag_alloc(bytes);
    p->order = ag_alloc(bytes / 2);
    p->first = ag_alloc(bytes);
    p->sample = ag_alloc(ag_size_mul((size_t)p->samples, sizeof *p->sample));
    if (!key || !p->order || !p->first || !p->sample)
        harness_files_no_memory("a pass over the data", bytes, why);
    for (int i = 0; !why->status && i < n; i++) {
        key[i] = (uint64_t)p->data->kernel[i].nodes;
        p->order[i] = i;
    }
    if (!why->status) ag_sort_u64(key, p->order, n, why);
    ag_free(key);
    return why->status;
}

ag_status tpu_pass_open(tpu_pass *p, const tpu_data *data, int samples, int nodes, ag_failure *why)
{
    *p = (tpu_pass){.data = data, .samples = samples, .nodes = nodes};
    if (samples < 1 || nodes < 1)
        return ag_fail(why, AG_EUSE,
                       "a batch of at most %d samples and %d nodes was asked for; take 1 or more "
                       "of each",
                       samples, nodes);
    if (sort_kernels(p, why)) {
        tpu_pass_close(p);
        return why->status;
    }
    p->first[0] = 0;
    for (int i = 0; i < data->kernels; i++) p->first[i + 1] = p->first[i] + data->kernel[i].configs;
    return AG_OK;
}

void tpu_pass_close(tpu_pass *p)
{
    ag_free(p->order);
    ag_free(p->first);
    ag_free(p->sample);
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
