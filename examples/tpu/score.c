/* SPDX-License-Identifier: MIT */
/* Scores of all configurations of all kernels by a model. */
#include "examples/tpu/results.h"

#include "examples/harness/machine/device.h"

#include <math.h>

double tpu_nanoseconds(double score)
{
    static const double most = 300;
    return exp(fmax(-most, fmin(score, most)));
}

/* ---- one pass over all configurations ---- */

/* Kernels come by size, which keeps the padding to the longest of a batch small. */
typedef struct pass {
    const tpu_trained *net;
    const harness_scoring *how;
    const tpu_data *data;
    int samples, nodes; /* most of a batch */
    int32_t *order;     /* [kernels] by nodes, equal ones in the order of the data */
    int64_t *first;     /* [kernels] the place of a kernel's first score */
    int64_t scores;     /* of all kernels */
    int next, config;   /* the next sample: of kernel order[next] */
    tpu_sample *sample; /* [samples] the batch */
    ag_arena *memory;   /* of the arrays */
} pass;

static ag_status open_pass(pass *p, ag_failure *why)
{
    const size_t n = (size_t)p->data->kernels;
    uint64_t *key = harness_take(&p->memory, n * sizeof *key);
    p->order = harness_take(&p->memory, n * sizeof *p->order);
    p->first = harness_take(&p->memory, n * sizeof *p->first);
    p->sample = harness_take(&p->memory, (size_t)p->samples * sizeof *p->sample);
    for (int i = 0; i < p->data->kernels; i++) {
        key[i] = (uint64_t)p->data->kernel[i].nodes;
        p->order[i] = i;
        p->first[i] = p->scores;
        p->scores += p->data->kernel[i].configs;
    }
    return ag_sort_u64(key, p->order, p->data->kernels, why);
}

/* Fills the batch and returns the number of samples, 0 at the end. A kernel's configurations may
   continue in the next batch. */
static int next_batch(pass *p)
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

/* ---- scores ---- */

static ag_status add_scores(double *score, const pass *p, const ag_real *value, int count,
                            ag_failure *why)
{
    for (int i = 0; i < count; i++) {
        const tpu_sample *s = &p->sample[i];
        if (!isfinite((double)value[i]))
            return ag_fail(why, AG_EFINITE,
                           "%.160s, kernel %d: the score of configuration %d is %g; the run is of "
                           "no use, choose another checkpoint",
                           s->kernel->name, s->kernel->number, s->config, (double)value[i]);
        score[p->first[s->kernel - p->data->kernel] + s->config] +=
            1.0 / p->how->models * (double)value[i];
    }
    return AG_OK;
}

static ag_status score_batch(double *score, const pass *p, tpu_batch *batch, int count,
                             ag_failure *why)
{
    ag_tape *tape = p->how->tape;
    const tpu_model *m = &p->net->model;
    if (tpu_batch_fill(batch, p->sample, count, &p->net->scaler, &m->batch, why))
        return why->status;
    ag_tape_reset(tape);
    ag_tape_training(tape, 0);
    ag_tensor *y = tpu_forward(m, tape, batch);
    ag_forward(y);
    const ag_real *value = ag_values(y);
    if (!value)
        return harness_scoring_failed(tape, p->sample[0].kernel->name, "--eval-samples", why);
    return add_scores(score, p, value, count, why);
}

ag_status tpu_score(double *score, const tpu_data *data, const tpu_trained *net,
                    const harness_scoring *how, ag_failure *why)
{
    const tpu_settings *s = (const tpu_settings *)how->settings;
    pass p = {
        .net = net, .how = how, .data = data, .samples = s->eval_samples, .nodes = s->eval_nodes};
    tpu_batch batch = {0};
    harness_progress bar;
    int64_t done = 0;
    if (!open_pass(&p, why)) {
        harness_progress_start(&bar, "score", 0, p.scores);
        bar.shown = false; /* there is another bar */
        for (int n; (how->patient || harness_go_on(why)) && (n = next_batch(&p)) > 0;) {
            if (score_batch(score, &p, &batch, n, why)) break;
            harness_progress_update(&bar, done += n, NULL);
        }
    }
    ag_tape_reset(how->tape);
    ag_tape_training(how->tape, 1);
    tpu_batch_free(&batch);
    ag_arena_free(p.memory);
    return why->status;
}
