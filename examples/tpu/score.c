/* SPDX-License-Identifier: MIT */
/* Scores of all configurations of all kernels by a model. */
#include "examples/tpu/hooks.h"

#include "examples/harness/machine/device.h"

typedef struct pass {
    const tpu_trained *net;
    const harness_scoring *how;
    const tpu_data *data;
    tpu_sample *sample; /* [eval_samples] the batch */
    int count;          /* of it */
    int next, config;   /* the next sample: of this kernel */
} pass;

/* Fills the batch; returns 0 at the end. A kernel's configurations may continue in the next one. */
static int next_batch(pass *p)
{
    const tpu_settings *s = (const tpu_settings *)p->how->settings;
    int64_t nodes = 0;
    for (p->count = 0; p->next < p->data->kernels && p->count < s->eval_samples; p->count++) {
        const tpu_kernel *k = &p->data->kernel[p->next];
        nodes += k->nodes;
        if (p->count && nodes > s->eval_nodes) break;
        p->sample[p->count] = (tpu_sample){k, p->config++};
        if (p->config < k->configs) continue;
        p->config = 0;
        p->next++;
    }
    return p->count;
}

static ag_status score_batch(double *score, const pass *p, tpu_batch *batch, ag_failure *why)
{
    ag_tape *tape = p->how->tape;
    const tpu_model *m = &p->net->model;
    if (tpu_batch_fill(batch, p->sample, p->count, &p->net->scaler, &m->batch, why))
        return why->status;
    ag_tape_begin(tape, 0);
    ag_tensor *y = tpu_forward(m, tape, batch);
    const ag_real *value = harness_outputs_of(p->how->outputs, tape, y, p->count);
    if (!value)
        return harness_scoring_failed(tape, p->sample[0].kernel->name, "--eval-samples", why);
    for (int i = 0; i < p->count; i++) score[i] += 1.0 / p->how->models * (double)value[i];
    return AG_OK;
}

ag_status tpu_score(double *score, const tpu_data *data, const tpu_trained *net,
                    const harness_scoring *how, ag_failure *why)
{
    const int most = ((const tpu_settings *)how->settings)->eval_samples;
    pass p = {.net = net, .how = how, .data = data};
    tpu_batch batch = {0};
    harness_progress bar;
    int64_t all = 0;
    for (int i = 0; i < data->kernels; i++) all += data->kernel[i].configs;
    p.sample = HARNESS_NEW(p.sample, most);
    harness_progress_start(&bar, "score", 0, all);
    bar.shown = false; /* there is another bar */
    while ((how->patient || harness_go_on(why)) && next_batch(&p) > 0) {
        if (score_batch(score, &p, &batch, why)) break;
        score += p.count;
        harness_progress_update(&bar, bar.done + p.count, NULL);
    }
    tpu_batch_free(&batch);
    harness_free(p.sample);
    return why->status;
}
